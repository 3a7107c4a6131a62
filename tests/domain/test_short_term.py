"""Which places and whose words may become candidates."""

from datetime import date

import pytest

from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN, Origin, Provenance, SessionKind
from openclaw_memd.domain.short_term import is_quarantine, may_be_candidate, note_day, short_term_note


@pytest.mark.parametrize(
    "path",
    [
        "memory/2026-04-03.md",
        "memory/2026-04-03-standup.md",
        "memory/deep/er/2026-04-03.md",
        "memory/old notes/2026-04-03.md",
        "memory/заметки/2026-04-03.md",
        "memory/2026/04/03.md",
        "./memory/2026-04-03.md",
        "memory\\2026-04-03.md",
        "2026-04-03.md",
    ],
)
def test_notes_of_days(path: str) -> None:
    assert short_term_note(path) is not None
    assert note_day(path) == date(2026, 4, 3)


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md",
        "USER.md",
        "DREAMS.md",
        "notes/2026-04-03.md",
        "memory/gateway.md",
        "memory/2026-13-03.md",
        "memory/dreaming/deep/2026-04-03.md",
        "memory/.dreams/2026-04-03.md",
        "memory/imports/2026-04-03.md",
        "../../vault/memory/dreaming/2026-04-03.md",
        "memory/../2026-04-03.md",
        "extra/wiki/2026-04-03.md",
        "sessions/main/2026-04-03.md",
    ],
)
def test_everything_else(path: str) -> None:
    assert short_term_note(path) is None
    assert note_day(path) is None


def test_quarantine_is_known_by_its_name() -> None:
    assert is_quarantine("memory/2026-04-03-untrusted.md")
    assert not is_quarantine("memory/2026-04-03-untrusted-hosts.md")


def test_whose_words_are_recorded() -> None:
    def recorded(kind: SessionKind, writer: str | None, *, is_session: bool) -> bool:
        return may_be_candidate(Provenance(Origin.AGENT, kind, writer), is_session=is_session)

    for is_session in (True, False):
        assert recorded(SessionKind.INTERACTIVE, "session:1", is_session=is_session)
        for kind in (SessionKind.CRON, SessionKind.HEARTBEAT, SessionKind.SUBAGENT):
            assert not recorded(kind, "session:1", is_session=is_session)
        assert not recorded(SessionKind.UNKNOWN, "session:1", is_session=is_session)
    assert may_be_candidate(HANDWRITTEN, is_session=False)
    assert not may_be_candidate(HANDWRITTEN, is_session=True)
    assert may_be_candidate(FOREIGN, is_session=False)
