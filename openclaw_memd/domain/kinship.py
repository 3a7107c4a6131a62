"""What kind of session one is, by the sessions that it descends from."""

from collections.abc import Callable, Iterator
from typing import Final

from openclaw_memd.domain.provenance import SessionKind

_INHERITED: Final = (SessionKind.CRON, SessionKind.HEARTBEAT, SessionKind.SUBAGENT)
"""Kinds that pass to descendants, strongest first."""


def lineage(session_id: str, parent_of: Callable[[str], str | None]) -> Iterator[str]:
    """A session and those that it descends from, nearest first, each once.

    ``parent_of`` says None for a session that has no parent or is not known.
    """
    seen: set[str] = set()
    current: str | None = session_id
    while current is not None and current not in seen:
        seen.add(current)
        yield current
        current = parent_of(current)


def inherited_kind(own: SessionKind, ancestors: Iterator[SessionKind]) -> SessionKind:
    """The kind of a session whose host called it ``own``; ``ancestors`` are the kinds of those above it.

    What a scheduled run or a sub-agent started is what it is, whatever it is called.
    """
    kinds = {own, *ancestors}
    return next((kind for kind in _INHERITED if kind in kinds), own)
