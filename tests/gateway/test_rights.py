from typing import Any

import msgspec
import pytest

from openclaw_memd.domain.authority import missing_authority
from openclaw_memd.errors import DeniedError
from openclaw_memd.gateway import rights
from openclaw_memd.gateway.contexts import caller_of
from openclaw_memd.gateway.rights import Right
from openclaw_memd.gateway.schemas import Context

OWNER: dict[str, Any] = {
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}


def context(**changes: Any) -> Context:
    return msgspec.convert(OWNER | changes, Context)


def check_right(right: Right, context: Context | None) -> None:
    rights.check_right(right, caller_of(context), missing_authority)


@pytest.mark.parametrize("right", ["R", "N", "O", "A"])
def test_the_owner_may_do_everything(right: Right) -> None:
    check_right(right, context())


@pytest.mark.parametrize("right", ["R", "N"])
def test_anyone_may_read_and_append(right: Right) -> None:
    check_right(right, None)
    check_right(right, Context())


def test_the_operator_administers_and_is_no_owner() -> None:
    check_right("A", None)
    with pytest.raises(DeniedError) as caught:
        check_right("O", None)
    assert caught.value.reason == "no_context"


@pytest.mark.parametrize("right", ["O", "A"])
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sender": None}, "not_owner"),
        ({"sender": {"id": "u1"}}, "not_owner"),
        ({"sender": {"is_owner": None}}, "not_owner"),
        ({"sender": {"is_owner": False}}, "not_owner"),
        ({"session_kind": "cron"}, "not_interactive"),
        ({"session_kind": "heartbeat"}, "not_interactive"),
        ({"session_kind": "subagent"}, "not_interactive"),
        ({"session_kind": "unknown"}, "not_interactive"),
        ({"chat_type": "group"}, "not_direct"),
        ({"chat_type": "channel"}, "not_direct"),
        ({"chat_type": "unknown"}, "not_direct"),
        ({"tainted": True}, "tainted"),
    ],
)
def test_each_missing_piece_of_authority_is_named(right: Right, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(DeniedError) as caught:
        check_right(right, context(**changes))
    assert caught.value.reason == reason
