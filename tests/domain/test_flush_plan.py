from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.flush_plan import (
    DEFAULT_PROMPT,
    FLUSH_REASONS,
    FlushReason,
    FlushRules,
    FlushState,
    add_time,
    complete_prompt,
    is_due,
    judge_flush,
)
from openclaw_memd.domain.provenance import SessionKind

RULES = FlushRules()
PATH = "memory/2026-01-11.md"
DAY = date(2026, 1, 11)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (FlushState(175_999), FlushReason.BELOW_THRESHOLD),
        (FlushState(176_000), FlushReason.TOKENS),
        (FlushState(103_999, context_window=128_000), FlushReason.BELOW_THRESHOLD),
        (FlushState(104_000, context_window=128_000), FlushReason.TOKENS),
        (FlushState(6_000, context_window=20_000, reserve_tokens=10_000), FlushReason.TOKENS),
        (FlushState(5_999, context_window=20_000, reserve_tokens=10_000), FlushReason.BELOW_THRESHOLD),
        (FlushState(10**9, context_window=24_000), FlushReason.BELOW_THRESHOLD),
        (FlushState(1, context_window=24_001), FlushReason.TOKENS),
        (FlushState(0, transcript_bytes=2_097_151), FlushReason.BELOW_THRESHOLD),
        (FlushState(0, transcript_bytes=2_097_152), FlushReason.TRANSCRIPT_BYTES),
        (FlushState(10**9, is_flushed=True), FlushReason.ALREADY_FLUSHED),
        (FlushState(10**9, session_kind=SessionKind.HEARTBEAT), FlushReason.HEARTBEAT),
        (FlushState(10**9, session_kind=SessionKind.CRON), FlushReason.CRON),
        (FlushState(10**9, session_kind=SessionKind.SUBAGENT), FlushReason.TOKENS),
        (FlushState(10**9, self_compacting=True), FlushReason.SELF_COMPACTING),
        (FlushState(10**9, read_only_sandbox=True), FlushReason.READ_ONLY_SANDBOX),
    ],
)
def test_when_a_flush_is_due(state: FlushState, reason: FlushReason) -> None:
    assert judge_flush(state, RULES) is reason
    assert is_due(reason) is (reason in {FlushReason.TOKENS, FlushReason.TRANSCRIPT_BYTES})


def test_a_flush_that_is_turned_off_is_never_due() -> None:
    assert judge_flush(FlushState(10**9), FlushRules(enabled=False)) is FlushReason.DISABLED


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_more_tokens_never_make_it_less_due(tokens: int, more: int, window: int, reserve: int) -> None:
    def due(count: int) -> bool:
        return is_due(judge_flush(FlushState(count, window, reserve), RULES))

    assert due(tokens + more) or not due(tokens)


def test_every_reason_is_described() -> None:
    assert set(FLUSH_REASONS) == set(FlushReason)


def test_a_prompt_gets_the_rules_that_it_lacks_and_each_once() -> None:
    once = complete_prompt("Save to memory/YYYY-MM-DD.md.", path=PATH, day=DAY)
    assert once.startswith("Save to memory/2026-01-11.md.\n")
    for word in (f"Save only to {PATH}", "Append only", "MEMORY.md", "read-only", "NO_REPLY"):
        assert once.count(word) == 1
    assert complete_prompt(once, path=PATH, day=DAY) == once
    assert complete_prompt("", path=PATH, day=DAY).startswith("Save only")


def test_the_time_is_told_once() -> None:
    prompt = complete_prompt(DEFAULT_PROMPT, path=PATH, day=DAY)
    timed = add_time(prompt, datetime(2026, 1, 11, 18, 17, tzinfo=UTC), "America/Los_Angeles")
    assert timed.endswith("\nCurrent time: 2026-01-11 18:17 (America/Los_Angeles)")
    assert add_time(timed, datetime(2026, 1, 12, tzinfo=UTC), "UTC") == timed
