"""What is claimed in a conversation."""

import pytest

from openclaw_memd.domain.session_claims import Said, read_said, tells_something
from openclaw_memd.domain.text import Analyzer


def texts(line: str) -> list[str]:
    return [said.text for said in read_said(line)]


def test_a_sentence_is_a_claim_and_a_question_is_none() -> None:
    line = "User: The VPN drops, e.g. on Monday. Set the MTU to 1380! Is that all? Nothing else helps."
    assert texts(line) == ["The VPN drops, e.g. on Monday.", "Set the MTU to 1380!", "Nothing else helps."]


def test_scripts_without_spaces() -> None:
    assert texts("Assistant: 网关端口是18789。你好吗？请重启服务器吧。") == [
        "网关端口是18789。",
        "请重启服务器吧。",
    ]
    assert texts("User: ゲートウェイは毎朝再起動します。はい。") == ["ゲートウェイは毎朝再起動します。"]


def test_what_comes_again_may_be_a_claim() -> None:
    line = "User: Ana will call the plumber of the house in Graz again."
    assert texts(line) == [line.removeprefix("User: ")]


def test_who_said_it() -> None:
    assert [said.is_answer for said in read_said("Assistant: The boiler runs at 55.")] == [True]
    assert [said.is_answer for said in read_said("User: The boiler runs at 55.")] == [False]


@pytest.mark.parametrize(
    "line",
    [
        "User: ok, thanks!",
        "User: The printer again.",
        "User: And the VPN once more!",
        "User: Der Drucker schon wieder.",
        "User: 123456789012345",
        "User: too short",
        "User: password: hunter2hunter2hunter2",
        "User: Where is the key of the cellar?",
        "User: Call me at +43 660 1234567 tomorrow.",
        "",
    ],
)
def test_no_claims(line: str) -> None:
    assert texts(line) == []


@pytest.mark.parametrize(
    ("text", "by_people", "by_agents"),
    [
        ("Set the MTU to 1380.", True, True),
        ("The change of Ana is CHG-48213.", True, True),
        ("Restart the printer spooler when it prints blank pages.", True, False),
        ("网关在地下室的蓝色柜子里面。", True, False),
        ("Run the tests and commit.", False, False),
        ("What a day it was today again.", False, False),
        ("Let me know if you need anything else!", False, False),
        ("Try it 3.", False, False),
    ],
)
def test_what_tells_something(text: str, by_people: bool, by_agents: bool) -> None:
    analyzer = Analyzer()
    assert tells_something(Said(text, is_answer=False), analyzer) is by_people
    assert tells_something(Said(text, is_answer=True), analyzer) is by_agents
