"""Who may act as the owner."""

from openclaw_memd.domain.callers import Caller, ChatType
from openclaw_memd.domain.provenance import SessionKind


def missing_authority(
    caller: Caller | None, *, tainted: bool = False, owner_in_groups: bool = False
) -> str | None:
    """What a caller lacks of owner authority, as a reason code; None when it lacks nothing.

    ``tainted`` is what the ledger knows of the turn: a host that does not report a taint cannot lift it.
    ``owner_in_groups`` is the setting of that name in ``[admission]``.
    """
    if caller is None:
        return "no_context"
    if not caller.sender.is_owner:
        return "not_owner"
    if caller.session_kind is not SessionKind.INTERACTIVE:
        return "not_interactive"
    if caller.chat_type is not ChatType.DIRECT and not (
        owner_in_groups and caller.chat_type is ChatType.GROUP
    ):
        return "not_direct"
    if tainted or caller.tainted:
        return "tainted"
    return None
