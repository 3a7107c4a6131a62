"""What names a session and its messages in a call."""

from collections.abc import Sequence
from typing import Final

from openclaw_memd.domain.callers import Caller
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.rendering import has_lone_surrogate

MOST_ID_CHARS: Final = 512


def read_session(caller: Caller | None) -> tuple[Caller, SessionKey]:
    """The context of a call, and the session that it names.

    Raises:
        InvalidParamsError: it names none, or what it says cannot name one.
    """
    if caller is None or caller.session_id is None:
        raise InvalidParamsError(
            "context.session_id is missing", field="context.session_id", reason="missing"
        )
    _check_id(caller.session_id, "context.session_id")
    return caller, SessionKey(caller.agent, caller.session_id)


def check_messages(messages: Sequence[Message]) -> None:
    """Refuse messages whose id cannot be one, or whose text cannot be kept.

    Raises:
        InvalidParamsError: there is such a message.
    """
    for number, message in enumerate(messages):
        _check_id(message.id, f"messages[{number}].id")
        if has_lone_surrogate(message.text):
            raise _refusal(f"messages[{number}].text", "holds a lone surrogate")


def _check_id(text: str, field: str) -> None:
    if not 0 < len(text) <= MOST_ID_CHARS:
        raise _refusal(field, f"has to have 1 to {MOST_ID_CHARS} characters")
    if has_lone_surrogate(text):
        raise _refusal(field, "holds a lone surrogate")


def _refusal(field: str, what: str) -> InvalidParamsError:
    return InvalidParamsError(f"{field} {what}", field=field, reason="value")
