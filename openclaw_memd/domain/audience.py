"""Who sees what: from the context of a call to what it may find, read and be given."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, assert_never

from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind, Source, Tier


class Notes(Enum):
    """Which notes count."""

    NONE = "none"
    OWN = "own"  # what the caller's own conversation wrote
    ALL = "all"


class Bootstrap(Enum):
    """Which curated files come at the start of a session; instructions always come with them."""

    NONE = "none"
    USER = "user"  # USER.md
    PROJECT = "project"  # USER.md and the entries of the project
    ALL = "all"


class Injection(Enum):
    """What a message brings along without being asked for."""

    NONE = "none"
    REMINDERS = "reminders"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class View:
    """What one caller may see. What it may not see counts as nothing.

    ``foreign`` are imports and extra paths. ``agent`` is whose sessions are in question: nobody sees those of
    another agent. ``session_id`` and ``writer``, the key of the conversation, say what is the caller's own.
    """

    curated: bool = False
    notes: Notes = Notes.NONE
    own_session: bool = False
    other_sessions: bool = False
    foreign: bool = False
    bootstrap: Bootstrap = Bootstrap.NONE
    injection: Injection = Injection.NONE
    agent: str = "main"
    session_id: str | None = None
    writer: str | None = None

    @property
    def sees_all_memory(self) -> bool:
        """Whether no memory file is kept from this caller."""
        return self.curated and self.notes is Notes.ALL


OPERATOR: Final = View(curated=True, notes=Notes.ALL, foreign=True)
"""On the socket with no context: somebody who can read the files anyway."""

_OWNER: Final = View(
    curated=True,
    notes=Notes.ALL,
    own_session=True,
    foreign=True,
    bootstrap=Bootstrap.ALL,
    injection=Injection.ALL,
)
_SUBAGENT: Final = View(
    curated=True, notes=Notes.ALL, own_session=True, foreign=True, bootstrap=Bootstrap.PROJECT
)
_SCHEDULED: Final = View(curated=True, notes=Notes.ALL, bootstrap=Bootstrap.USER)
_NARROWEST: Final = View(notes=Notes.OWN, own_session=True)


def sources_in(view: View) -> frozenset[Source]:
    """The sources that anything can be seen of."""
    seen = set()
    if view.curated or view.notes is not Notes.NONE:
        seen.add(Source.MEMORY)
    if view.own_session or view.other_sessions:
        seen.add(Source.SESSIONS)
    if view.foreign:
        seen |= {Source.IMPORTS, Source.EXTRA}
    return frozenset(seen)


def sees(view: View, *, tier: Tier, path: str, writer: str | None) -> bool:
    """Whether the view has a text of this ``tier`` at this virtual path, written in this conversation."""
    is_own = writer is not None and writer == view.writer
    match tier:
        case Tier.CURATED:
            return view.curated
        case Tier.EPISODIC:
            return view.notes is Notes.ALL or (view.notes is Notes.OWN and is_own)
        case Tier.SESSION:
            is_agents = path.startswith(session_folder(view.agent))
            return is_agents and (view.other_sessions or (view.own_session and is_own))
        case Tier.IMPORT | Tier.EXTRA:
            return view.foreign
        case _:
            assert_never(tier)


def session_folder(agent: str) -> str:
    """The virtual folder of an agent's sessions; the ids of agents need no escapes in paths."""
    return f"sessions/{agent}/"


def view_of(caller: Caller | None, *, cross_conversation: bool = False) -> View:
    """The view of ``caller``; a context with holes has the narrowest.

    ``cross_conversation`` is the setting of that name in ``[sessions]``.
    """
    if caller is None:
        return OPERATOR
    own = replace(
        _kind_of_view(caller, cross_conversation=cross_conversation),
        agent=caller.agent,
        session_id=caller.session_id,
        writer=caller.writer,
    )
    if own.writer is None and own.notes is Notes.OWN:
        own = replace(own, notes=Notes.NONE)
    return own if own.writer is not None else replace(own, own_session=False)


def _kind_of_view(caller: Caller, *, cross_conversation: bool) -> View:
    is_owner = caller.sender.is_owner and caller.chat_type is ChatType.DIRECT
    match caller.session_kind:
        case SessionKind.INTERACTIVE if is_owner:
            return replace(_OWNER, other_sessions=cross_conversation)
        case SessionKind.SUBAGENT if is_owner:
            return _SUBAGENT
        case SessionKind.CRON if _is_private(caller):
            return _SCHEDULED
        case SessionKind.HEARTBEAT if _is_private(caller):
            return replace(_SCHEDULED, injection=Injection.REMINDERS)
        case _:
            return _NARROWEST


def _is_private(caller: Caller) -> bool:
    """Whether nobody but the owner reads along: a scheduled run has no sender, and often no chat."""
    is_alone = caller.chat_type in (ChatType.DIRECT, ChatType.UNKNOWN)
    return is_alone and (caller.sender.is_owner or caller.sender == Sender())
