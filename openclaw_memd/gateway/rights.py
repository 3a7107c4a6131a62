"""Who may call what."""

from typing import Literal, assert_never

from openclaw_memd.errors import DeniedError
from openclaw_memd.gateway.schemas import Context

Right = Literal["R", "N", "O", "A"]
"""R: anyone on the socket; N: any host for a session; O: owner authority; A: operator or owner."""


def check_right(right: Right, context: Context | None) -> None:
    """Let the caller pass who has ``right``. A caller without context is the operator, but never the owner.

    Raises:
        DeniedError: the caller has not; ``reason`` names what is missing.
    """
    match right:
        case "R" | "N":
            return
        case "A" | "O":
            if context is None and right == "A":
                return
            reason = missing_authority(context)
        case _:
            assert_never(right)
    if reason is not None:
        raise DeniedError("this needs the owner's authority", reason=reason)


def missing_authority(context: Context | None) -> str | None:
    """What a context lacks of owner authority; None when it lacks nothing."""
    if context is None:
        return "no_context"
    if context.sender is None or context.sender.is_owner is not True:
        return "not_owner"
    if context.session_kind != "interactive":
        return "not_interactive"
    if context.chat_type != "direct":
        return "not_direct"
    if context.tainted:
        return "tainted"
    return None
