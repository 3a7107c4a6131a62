"""For whom a command acts: the owner on a terminal or with ``--as-owner``, else nobody in particular.

Whoever reaches the socket could be anything, so a script speaks for the owner only when it says so.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import RpcError, call

SESSION = "cli"
"""The session of what the owner does here, unless another one is named."""

_HINT = "with --as-owner the call would be the owner's"


def configure_owner(parser: ArgumentParser) -> None:
    """The option that makes a command the owner's."""
    parser.add_argument(
        "--as-owner", action="store_true", help="act as the owner, as commands on a terminal do"
    )


def acts_as_owner(options: Namespace) -> bool:
    """Whether the owner types this, or vouches for who does."""
    return bool(options.as_owner) or is_typed()


def is_typed() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def context_of(
    options: Namespace, *, session_id: str | None = None, own_session: str | None = SESSION, is_owner: bool
) -> dict[str, Any]:
    """The parameter ``context``, where there is any: the owner's, or that of a session and no more.

    What the owner only looks at has no ``own_session``: text from outside that a person reads taints nothing.
    """
    context: dict[str, Any] = {"agent": options.agent or "main"}
    if is_owner:
        context |= {
            "session_kind": "interactive",
            "chat_type": "direct",
            "sender": {"id": _login_name(), "is_owner": True},
        }
        session_id = session_id or own_session
    elif not session_id:
        return {}
    if session_id:
        context |= {"session_id": session_id}
    return {"context": context}


def call_for(
    options: Namespace,
    method: str,
    params: dict[str, Any],
    *,
    session_id: str | None = None,
    own_session: str | None = SESSION,
    timeout_s: float = 30.0,
) -> Any:
    """The result of one call, made as the owner where the command is; then ``own_session`` is the default.

    Raises:
        NoDaemonError: nobody answers.
        RpcError: the daemon refused or failed; it says so when being the owner would have helped.
    """
    is_owner = acts_as_owner(options)
    try:
        context = context_of(options, session_id=session_id, own_session=own_session, is_owner=is_owner)
        return call(options, method, context | params, timeout_s=timeout_s)
    except RpcError as error:
        if not is_owner and error.kind == "denied" and error.reason in ("no_context", "not_owner"):
            error.message += f"; {_HINT}"
        raise


def _login_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # containers often have no entry
        return str(os.getuid())
