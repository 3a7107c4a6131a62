"""Who may be promoted, by the gates in their order."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.promotion_gates import Exclusion, Ranking, Thresholds, rank, why_ineligible
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind

NOW = datetime(2026, 1, 20, 3, tzinfo=UTC)
LIMITS = Thresholds()
ASKED = Signals(
    recalls=4,
    total_score=4 * 0.9,
    queries=4,
    days=(date(2026, 1, 11), date(2026, 1, 14), date(2026, 1, 18)),
    tags=4,
    last_at=NOW - timedelta(days=1),
)


@dataclass(frozen=True)
class Known:
    """A candidate for tests."""

    key: str = "t1"
    text: str = "The gateway listens on port 18789."
    path: str = "memory/2026-01-11.md"
    is_session: bool = False
    provenance: Provenance = HANDWRITTEN
    signals: Signals = field(default=ASKED)
    promoted_at: datetime | None = None
    rejected_at: datetime | None = None


def reason(candidate: Known, *, min_score: float = 0.75) -> Exclusion | None:
    return rank([candidate], NOW, replace(LIMITS, min_score=min_score)).judged[0].excluded


def test_asked_on_several_days_passes_with_every_gate_explained() -> None:
    (one,) = rank([Known()], NOW, LIMITS).selected

    assert [(gate.gate.value, gate.threshold, gate.passed) for gate in one.gates] == [
        ("signals", 1, True),
        ("recalls", 3, True),
        ("queries", 3, True),
        ("age", 30.0, True),
        ("score", 0.75, True),
    ]
    assert [gate.value for gate in one.gates] == [4, 4, 4, 1.0, pytest.approx(one.score.total)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"provenance": Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE)}, Exclusion.ORIGIN),
        ({"provenance": Provenance(Origin.SYSTEM, SessionKind.INTERACTIVE)}, Exclusion.ORIGIN),
        ({"provenance": Provenance(Origin.OWNER, SessionKind.CRON)}, Exclusion.SESSION_KIND),
        ({"provenance": Provenance(Origin.AGENT, SessionKind.HEARTBEAT)}, Exclusion.SESSION_KIND),
        ({"provenance": Provenance(Origin.AGENT, SessionKind.SUBAGENT)}, Exclusion.SESSION_KIND),
        ({"is_session": True}, Exclusion.SESSION_KIND),
        ({"text": "Candidate: x confidence: 0.1 evidence: memory/a.md:1-1 status: staged recalls: 1"},
         Exclusion.CONTAMINATION),
        ({"text": "User: hello"}, Exclusion.CONTAMINATION),
        ({"text": "password: hunter2-Blue-Horse"}, Exclusion.SECRET),
        ({"text": "Traceback (most recent call last):"}, Exclusion.UNFIT),
        ({"text": "Thanks!"}, Exclusion.UNFIT),
        ({"text": "`rm -rf build`"}, Exclusion.UNFIT),
        ({"promoted_at": NOW}, Exclusion.PROMOTED),
        ({"promoted_at": NOW, "rejected_at": NOW - timedelta(1)}, Exclusion.PROMOTED),  # then accepted
        ({"promoted_at": NOW, "rejected_at": NOW}, Exclusion.REJECTED),  # undone
        ({"rejected_at": NOW}, Exclusion.REJECTED),
        ({"signals": Signals()}, Exclusion.SIGNALS),
        ({"signals": replace(ASKED, recalls=0, dailies=40, queries=0)}, Exclusion.RECALLS),
        ({"signals": replace(ASKED, recalls=2)}, Exclusion.RECALLS),
        ({"signals": replace(ASKED, queries=2)}, Exclusion.QUERIES),
        ({"signals": replace(ASKED, last_at=NOW - timedelta(days=31))}, Exclusion.AGE),
        ({"signals": replace(ASKED, total_score=0.4)}, Exclusion.SCORE),
    ],
)  # fmt: skip
def test_each_reason(change: dict[str, object], expected: Exclusion) -> None:
    assert reason(replace(Known(), **change)) is expected  # type: ignore[arg-type]


def test_what_the_owner_deleted_stays_out() -> None:
    assert why_ineligible(Known(), deleted={"t1"}) is Exclusion.DELETED


def test_what_was_said_in_an_interactive_session_may_be_promoted() -> None:
    interactive = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)

    said = Known(text="The pump is behind the shelf.", is_session=True, provenance=interactive)

    assert reason(said) is None
    assert reason(replace(said, text="Conversation Summary: x")) is Exclusion.CONTAMINATION


def test_age_and_score_are_inclusive() -> None:
    at_the_edge = replace(ASKED, last_at=NOW - timedelta(days=30))
    score = rank([Known()], NOW, LIMITS).judged[0].score.total

    assert reason(Known(signals=at_the_edge), min_score=0.0) is None
    assert reason(Known(), min_score=score) is None
    assert reason(Known(), min_score=score + 1e-9) is Exclusion.SCORE


def test_ineligible_ones_take_no_place() -> None:
    """Ten from outside with top scores and three trusted ones below them, ten a night."""
    best = replace(ASKED, total_score=4.0, recalls=9, queries=9)
    outside = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE)
    worse = [Known(key=f"t{number}", path=f"memory/{number}.md") for number in range(3)]
    candidates = [Known(key=f"u{number}", provenance=outside, signals=best) for number in range(10)]

    found = rank([*candidates, *worse], NOW, LIMITS)

    assert [one.candidate.key for one in found.selected] == ["t0", "t1", "t2"]
    assert found.excluded == {Exclusion.ORIGIN: 10}


def test_ties_go_by_recalls_then_path() -> None:
    same = [
        Known(key="a", path="memory/c.md"),
        Known(key="b", path="memory/a.md"),
        Known(key="c", path="memory/b.md", signals=replace(ASKED, recalls=3, dailies=1)),
    ]

    assert [one.candidate.key for one in rank(same, NOW, LIMITS).selected] == ["b", "a", "c"]


def test_what_is_over_the_limit_is_told() -> None:
    candidates = [Known(key=f"t{number}", path=f"memory/{number}.md") for number in range(5)]

    found = rank(candidates, NOW, replace(LIMITS, limit=2))

    assert [one.candidate.key for one in found.selected] == ["t0", "t1"]
    assert found.excluded == {Exclusion.LIMIT: 3}
    assert rank(candidates, NOW, replace(LIMITS, limit=0)).selected == ()


def test_who_is_late_may_be_told_anew() -> None:
    candidates = [Known(key=f"t{number}", path=f"memory/{number}.md") for number in range(4)]
    out = Known(key="u", provenance=Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE))

    found = rank([*candidates, out], NOW, replace(LIMITS, limit=2))
    assert [one.candidate.key for one in found.passed] == ["t0", "t1", "t2", "t3"]
    told = found.limited({"t0"})

    assert [one.candidate.key for one in told.selected] == ["t1", "t2", "t3"]
    assert told.excluded == {Exclusion.ORIGIN: 1, Exclusion.LIMIT: 1}
    assert {one.candidate.key for one in told.judged} == {"t0", "t1", "t2", "t3", "u"}
    assert all(one.excluded is None for one in told.selected)


def test_phase_boost_decides_at_three_signals() -> None:
    """OpenClaw's golden case: three questions on three days need light and REM to pass."""
    days = (date(2026, 1, 18), date(2026, 1, 19), date(2026, 1, 20))
    asked = Signals(recalls=3, total_score=3 * 0.58, queries=3, days=days, tags=4, last_at=NOW)
    boosted = replace(asked, light_hits=3, rem_hits=3, last_light_at=NOW, last_rem_at=NOW)

    assert reason(Known(signals=asked)) is Exclusion.SCORE
    assert reason(Known(signals=boosted)) is None


_signals = st.builds(
    Signals,
    recalls=st.integers(0, 20),
    dailies=st.integers(0, 50),
    grounded=st.integers(0, 10),
    total_score=st.floats(0, 60),
    queries=st.integers(0, 20),
    tags=st.integers(0, 8),
    light_hits=st.integers(0, 50),
    rem_hits=st.integers(0, 50),
    last_light_at=st.just(NOW),
    last_rem_at=st.just(NOW),
    last_at=st.just(NOW),
)


@given(st.lists(st.tuples(_signals, st.sampled_from(Origin)), max_size=8))
def test_laws(drawn: list[tuple[Signals, Origin]]) -> None:
    """Nothing never asked for, nothing from outside; each is counted once; outside moves nothing."""
    candidates = [
        Known(key=f"{number}", signals=signals, provenance=Provenance(origin, SessionKind.INTERACTIVE))
        for number, (signals, origin) in enumerate(drawn)
    ]
    found: Ranking[Known] = rank(candidates, NOW, replace(LIMITS, min_recalls=1, min_queries=1, limit=2))

    assert all(one.candidate.signals.recalls for one in found.selected)
    assert len(found.judged) == len(candidates)
    assert sum(found.excluded.values()) + len(found.selected) == len(candidates)
    trusted = [one for one in candidates if one.provenance.origin in (Origin.OWNER, Origin.AGENT)]
    alone = rank(trusted, NOW, replace(LIMITS, min_recalls=1, min_queries=1, limit=2))
    assert found.selected == alone.selected
