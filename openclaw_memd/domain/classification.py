"""The origin of what enters memory, from the structured facts of a call alone.

What is unknown is untrusted when it may come from outside and ``system`` when it is scaffolding; it is never
the owner's. No function here is given a text.
"""

from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import Origin, SessionKind

_OWNERS = frozenset({ChatType.DIRECT})
_OWNERS_OR_GROUPS = _OWNERS | {ChatType.GROUP}
_SCHEDULED = frozenset({SessionKind.CRON, SessionKind.HEARTBEAT})


def origin_of_write(caller: Caller | None, *, tainted: bool, owner_in_groups: bool = False) -> Origin:
    """The origin of a note that ``caller`` appends.

    ``tainted`` is what the ledger knows of the turn; what the caller says of it is joined to that. A call
    without context could come from anything that reaches the socket, so nobody vouches for its text. Where
    others can write, what an agent notes for its owner may be theirs: nobody vouches for it either, except in
    groups with ``owner_in_groups``, the setting of that name in ``[admission]``. An agent writes notes, also
    for its owner: only ``memory.remember`` makes owner's text.
    """
    if caller is None or tainted or caller.tainted:
        return Origin.UNTRUSTED
    if caller.sender.is_owner:
        chats = _OWNERS_OR_GROUPS if owner_in_groups else _OWNERS
        return Origin.AGENT if caller.chat_type in chats else Origin.UNTRUSTED
    if caller.sender == Sender() and caller.session_kind in _SCHEDULED:
        return Origin.SYSTEM
    return Origin.UNTRUSTED


def origin_of_question(sender: Sender, *, is_scaffolding: bool) -> Origin:
    """The origin of a user message, and so of the turn that it begins.

    ``is_scaffolding`` messages were made by the runtime: scheduled prompts, recalled memory and the like.
    """
    if is_scaffolding:
        return Origin.SYSTEM
    return Origin.OWNER if sender.is_owner else Origin.UNTRUSTED


def origin_of_answer(turn: Origin, *, tainted: bool) -> Origin:
    """The origin of an assistant's message in a turn whose question had the origin ``turn``."""
    if tainted:
        return Origin.UNTRUSTED
    return Origin.AGENT if turn is Origin.OWNER else turn
