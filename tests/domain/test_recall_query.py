import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.framing import BEGIN_RECALL, END_RECALL
from openclaw_memd.domain.recall_query import (
    ASSISTANT_CHARS,
    FULL_CHARS,
    QUERY_CHARS,
    USER_CHARS,
    QueryMode,
    Turn,
    clean,
    make_query,
)

BEFORE = (
    Turn("user", "first question"),
    Turn("assistant", "first answer"),
    Turn("user", "second question"),
    Turn("assistant", "second answer"),
    Turn("user", "third question"),
)


def said(mode: QueryMode, turns: tuple[Turn, ...] = BEFORE) -> list[str]:
    return [turn.text for turn in make_query("what did we decide?", turns, mode).before]


def test_a_message_is_its_own_query() -> None:
    query = make_query("What did we   decide\nabout ports?", BEFORE, "message")

    assert query.text == query.message == "What did we decide about ports?"
    assert query.before == ()


@pytest.mark.parametrize("short", ["and then?", "why", "那呢"])
def test_a_short_message_borrows_the_users_turn_before(short: str) -> None:
    assert make_query(short, BEFORE, "message").text == f"third question {short}"
    assert make_query(short, (*BEFORE, Turn("user", short)), "message").text == f"third question {short}"
    assert make_query(short, (Turn("assistant", "an answer"),), "recent").text == short


def test_what_is_borrowed_is_short_itself() -> None:
    assert len(make_query("why", (Turn("user", "word " * 100),), "recent").text) <= 125


def test_recent_turns_are_the_last_two_of_the_user_and_one_of_the_assistant() -> None:
    assert said("recent") == ["second question", "second answer", "third question"]
    assert said("full") == [turn.text for turn in BEFORE]
    assert said("message") == []


def test_recent_turns_are_shortened() -> None:
    user, assistant = make_query(
        "what did we decide?",
        (Turn("user", "word " * 1_000), Turn("assistant", "word " * 1_000)),
        "recent",
    ).before

    assert USER_CHARS - 10 <= len(user.text) <= USER_CHARS
    assert ASSISTANT_CHARS - 10 <= len(assistant.text) <= ASSISTANT_CHARS


def test_of_very_many_turns_the_last_that_fit_are_kept() -> None:
    turns = tuple(Turn("user", f"{number} " + "word " * 400) for number in range(50))

    kept = make_query("what did we decide?", turns, "full").before

    assert sum(len(turn.text) for turn in kept) <= FULL_CHARS
    assert 5 < len(kept) < 50
    assert kept[-1].text.startswith("49 ")


def test_a_query_is_bounded_and_of_a_long_message_the_end_counts() -> None:
    query = make_query("word " * 100_000 + "what did we decide about the port?", (), "recent")

    assert len(query.text) <= QUERY_CHARS
    assert query.message.endswith("about the port?")
    assert len(query.message.encode()) <= 4_096


def test_what_nobody_said_is_taken_out() -> None:
    message = "\n".join(
        [
            BEGIN_RECALL,
            "> an old memory",
            END_RECALL,
            "[Telegram Ada id:12 2026-01-11 10:00]",
            "Sender (untrusted metadata): {}",
            "> somebody wrote this",
            "```json",
            '{"secret": 1}',
            "```",
            "What did we decide?",
        ]
    )

    assert clean(message) == "What did we decide?"
    assert make_query("why", (Turn("user", message),), "recent").text == "What did we decide? why"


@given(st.text(max_size=400), st.lists(st.text(max_size=100), max_size=5))
def test_any_message_gives_a_query(message: str, turns: list[str]) -> None:
    query = make_query(message, [Turn("user", turn) for turn in turns], "recent")

    assert len(query.text) <= QUERY_CHARS
    assert "\n" not in query.text
