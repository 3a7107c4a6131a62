import json
from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.deep.replies import (
    REPLY_CHARS,
    AnswerAction,
    GetAction,
    InvalidReply,
    SearchAction,
    parse_reply,
)


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ('{"action":"search","query":"gateway port"}', SearchAction("gateway port")),
        (
            '{"action":"search","query":"port","after":"2026-01-01","before":"soon"}',
            SearchAction("port", date(2026, 1, 1)),
        ),
        ('{"action":"get","path":"memory/a.md","from":12}', GetAction("memory/a.md", 12)),
        ('{"action":"get","path":"memory/a.md","from":-3}', GetAction("memory/a.md")),
        ('{"action":"get","path":"memory/a.md","from":true}', GetAction("memory/a.md")),
        ('{"action":"answer","answer":"the port is 18789"}', AnswerAction("the port is 18789")),
        ('Sure!\n```json\n{"action":"answer","answer":"x is y"}\n```', AnswerAction("x is y")),
        (r'{"action":"search","query":"\ud800 port"}', SearchAction("? port")),
        (r'{"action":"get","path":"\udc80.md"}', GetAction("?.md")),
        (r'{"action":"answer","answer":"port \ud800"}', AnswerAction("port ?")),
    ],
)
def test_an_action_is_read(reply: str, action: object) -> None:
    assert parse_reply(reply) == action


@pytest.mark.parametrize(
    "said",
    [
        "NONE", "none.", "No_reply", "nothing useful", "No relevant memory", "no relevant memories found",
        "n/a", "N/A", "nothing",
    ],
)  # fmt: skip
def test_none_can_be_said_in_several_words(said: str) -> None:
    assert parse_reply(msgspec.json.encode({"action": "answer", "answer": said}).decode()) == AnswerAction("")
    assert parse_reply(said) == AnswerAction(""), "a bare one too"


@pytest.mark.parametrize(
    "said",
    [
        "[]", "{}", "null", "", "  ", "timeout", "Request timed out.", "unknown",
        "I'm sorry, but I can't help with that.", "I am sorry", "Unfortunately, there is nothing.",
        "As an AI, I have no memory.", "I could not find anything.", "There is no relevant information.",
    ],
)  # fmt: skip
def test_what_stands_for_an_answer_is_not_none(said: str) -> None:
    reply = msgspec.json.encode({"action": "answer", "answer": said}).decode()

    assert isinstance(parse_reply(reply), InvalidReply)
    assert isinstance(parse_reply(said), InvalidReply)


@pytest.mark.parametrize("said", ["None of the servers uses port 80.", "Nothing changed since May.", "Noel"])
def test_an_answer_that_only_begins_like_that_is_one(said: str) -> None:
    reply = msgspec.json.encode({"action": "answer", "answer": said}).decode()

    assert parse_reply(reply) == AnswerAction(said)


@pytest.mark.parametrize(
    "reply",
    [
        "the port is 18789",
        '{"action":"search"}',
        '{"action":"search","query":" "}',
        '{"action":"search","query":7}',
        '{"action":"get"}',
        '{"action":"delete","path":"memory/a.md"}',
        '{"action":"answer"}',
        '{"action":"answer","answer":null}',
        '{"action":"answer","answer":["a"]}',
        '{"action": "answer", "answer": "cut o',
        '["search"]',
        "{{}}",
        "{" * 5_000 + "}" * 5_000,
        '{"action":"answer","answer":"' + "x" * REPLY_CHARS + '"}',
    ],
    ids=lambda reply: reply[:30],
)
def test_anything_else_is_no_action(reply: str) -> None:
    assert isinstance(parse_reply(reply), InvalidReply)


NAMES = st.sampled_from(["action", "query", "path", "from", "answer", "after"]) | st.text(max_size=5)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["search", "get", "answer"])
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=8,
)


@given(st.text(max_size=200) | VALUES.map(json.dumps))
def test_any_reply_is_read(reply: str) -> None:
    parse_reply(reply)
