from dataclasses import replace

import pytest

from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.escalation import (
    ESCALATION_REASONS,
    EscalationMode,
    EscalationReason,
    EscalationRules,
    decide_escalation,
)
from openclaw_memd.domain.provenance import SessionKind

QUESTION = "what did we decide about the port?"
ORDER = "deploy the service"
OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=Channel("telegram", "default", "Chat-1"),
    sender=Sender("u1", is_owner=True),
)
NOBODY = replace(OWNER, channel=Channel())


def decide(
    text: str = QUESTION,
    caller: Caller | None = OWNER,
    *,
    mode: EscalationMode = "escalate",
    chat_types: frozenset[ChatType] = frozenset({ChatType.DIRECT}),
    allow: frozenset[str] = frozenset(),
    deny: frozenset[str] = frozenset(),
    strong_hit: bool = False,
) -> tuple[bool, str]:
    rules = EscalationRules(mode, chat_types, allow, deny)
    found = decide_escalation(rules, caller, text, strong_hit=strong_hit)
    return found.run, found.reason


def test_every_reason_is_described() -> None:
    assert set(ESCALATION_REASONS) == set(EscalationReason)


@pytest.mark.parametrize(
    ("mode", "text", "strong_hit", "expected"),
    [
        ("off", QUESTION, False, (False, "off")),
        ("always", ORDER, False, (True, "always")),
        ("always", ORDER, True, (True, "always")),
        ("escalate", QUESTION, False, (True, "recall_intent")),
        ("escalate", QUESTION, True, (False, "strong_hit")),
        ("escalate", ORDER, True, (False, "strong_hit")),
        ("escalate", ORDER, False, (False, "no_recall_intent")),
        ("escalate", "remind me tomorrow to call Ada", False, (False, "no_recall_intent")),
    ],
)
def test_the_mode_decides_for_the_owner(
    mode: EscalationMode, text: str, strong_hit: bool, expected: tuple[bool, str]
) -> None:
    assert decide(text, mode=mode, strong_hit=strong_hit) == expected


@pytest.mark.parametrize("kind", [kind for kind in SessionKind if kind is not SessionKind.INTERACTIVE])
@pytest.mark.parametrize("mode", ["escalate", "always"])
def test_only_interactive_sessions_run(kind: SessionKind, mode: EscalationMode) -> None:
    assert decide(caller=replace(OWNER, session_kind=kind), mode=mode) == (False, "not_interactive")


def test_a_session_of_a_session_does_not_run() -> None:
    assert decide(caller=replace(OWNER, parent_session_id="s0")) == (False, "not_interactive")


def test_only_the_owner_runs() -> None:
    assert decide(caller=replace(OWNER, sender=Sender("u2"))) == (False, "not_owner")
    assert decide(caller=Caller()) == (False, "not_interactive")


@pytest.mark.parametrize("chat_type", list(ChatType))
def test_only_the_listed_kinds_of_chat_run(chat_type: ChatType) -> None:
    caller = replace(OWNER, chat_type=chat_type)

    assert decide(caller=caller)[0] == (chat_type is ChatType.DIRECT)
    assert decide(caller=caller, chat_types=frozenset({chat_type}))[0]
    assert decide(caller=caller, chat_types=frozenset()) == (False, "chat_type")


@pytest.mark.parametrize(
    ("allow", "deny", "expected"),
    [
        ({"chat-1"}, set(), "recall_intent"),
        ({" CHAT-1 "}, set(), "recall_intent"),
        ({"chat-2"}, set(), "not_allowed"),
        (set(), {"CHAT-1"}, "denied_conversation"),
        ({"chat-1"}, {"chat-1"}, "denied_conversation"),
        (set(), {"chat-2"}, "recall_intent"),
    ],
)
def test_denying_beats_allowing(allow: set[str], deny: set[str], expected: str) -> None:
    assert decide(allow=frozenset(allow), deny=frozenset(deny))[1] == expected


def test_a_list_of_allowed_conversations_needs_one_that_is_known() -> None:
    assert decide(caller=NOBODY, allow=frozenset({"chat-1"})) == (False, "not_allowed")
    assert decide(caller=NOBODY, deny=frozenset({"chat-1"})) == (True, "recall_intent")


def test_the_operator_asks_for_it() -> None:
    assert decide(ORDER, None) == (True, "asked")
    assert decide(ORDER, None, allow=frozenset({"chat-1"})) == (True, "asked")
    assert decide(QUESTION, None, mode="off") == (False, "off")
