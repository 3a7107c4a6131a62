"""What people are told about the sessions that are known."""

from collections import Counter
from typing import Final

from openclaw_memd.index.ledger.session_rows import Session, SessionKey
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.sessions.outcomes import SessionSummary

LISTED: Final = 200


def list_sessions(
    known: KnownSessions, agent: str | None = None, *, limit: int = LISTED, after: SessionKey | None = None
) -> tuple[SessionSummary, ...]:
    """The next ``limit`` sessions after ``after``, of one agent or of all, by agent and id."""
    found = sorted(
        (session for session in known.all() if agent in (None, session.agent)),
        key=lambda session: session.key,
    )
    chosen = [session for session in found if after is None or session.key > after][:limit]
    return tuple(_summarize(known, session) for session in chosen)


def count_exclusions(known: KnownSessions, agent: str | None = None) -> dict[str, int]:
    """How many messages each rule of admission keeps out, of one agent's sessions or of all.

    A rule that came after the messages counts them where it takes their whole session.
    """
    counts: Counter[str] = Counter()
    for session in known.all():
        if agent in (None, session.agent):
            counts.update(dict(session.exclusions))
            if (rule := known.exclusion(session)) is not None:
                counts[rule.value] += session.kept
    return dict(sorted(counts.items()))


def _summarize(known: KnownSessions, session: Session) -> SessionSummary:
    return SessionSummary(
        session_id=session.session_id,
        agent=session.agent,
        kind=known.ancestry(session.key).kind_of(session.kind),
        messages=session.last_seq,
        last_at=session.last_at,
        excluded=known.exclusion(session) or session.excluded,
    )
