"""Who may call what."""

from collections.abc import Callable
from typing import Literal, assert_never

from openclaw_memd.domain.callers import Caller
from openclaw_memd.errors import DeniedError

Right = Literal["R", "N", "O", "A"]
"""R: anyone on the socket; N: any host for a session; O: owner authority; A: operator or owner."""

MissingAuthority = Callable[[Caller | None], str | None]
"""What a caller lacks of owner authority; None when it lacks nothing."""


def check_right(right: Right, caller: Caller | None, missing_authority: MissingAuthority) -> None:
    """Let the caller pass who has ``right``. A caller without context is the operator, but never the owner.

    Raises:
        DeniedError: the caller has not; ``reason`` names what is missing.
    """
    match right:
        case "R" | "N":
            return
        case "A" | "O":
            if caller is None and right == "A":
                return
            reason = missing_authority(caller)
        case _:
            assert_never(right)
    if reason is not None:
        raise DeniedError("this needs the owner's authority", reason=reason)
