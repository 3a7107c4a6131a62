import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.recall_intent import GRAMMARS, asking_languages, asks_about_past
from tests.domain.recall_questions import ASKING, NOT_ASKING
from tests.work import grows_with_length

LEAST_EXAMPLES = 25


def test_every_language_has_its_examples() -> None:
    assert {grammar.language for grammar in GRAMMARS} == set(ASKING) == set(NOT_ASKING)
    for language in ASKING:
        assert len(ASKING[language]) + len(NOT_ASKING[language]) >= LEAST_EXAMPLES


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in ASKING.items() for text in texts]
)
def test_a_question_about_the_past_is_one(language: str, text: str) -> None:
    assert language in set(asking_languages(text))


@pytest.mark.parametrize("text", [text for texts in NOT_ASKING.values() for text in texts])
def test_anything_else_is_none(text: str) -> None:
    assert not asks_about_past(text)


@pytest.mark.parametrize("text", [text for texts in ASKING.values() for text in texts])
def test_case_blanks_and_neighbours_make_no_difference(text: str) -> None:
    assert asks_about_past(f"Hello there.\n{text.upper().replace(' ', '   ')}\nThank you!")


def test_a_wish_for_the_future_does_not_hide_another_sentence() -> None:
    assert asks_about_past("Remind me tomorrow. And what did we decide about the port?")


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    assert asks_about_past(text) == bool(set(asking_languages(text)))


@pytest.mark.parametrize(
    "piece",
    [
        "what did ",
        "what x ",
        "was haben wir ",
        "haben wir x ",
        "qué a a ",
        "o que é que ",
        "что мы с тобой ",
        "记得啊",
        "之前",
        "前回何",
        "지난번 뭐",
        "우리가 ",
        " ",
        "a",
        "1",
        "remember ",
        "summarize our ",
        "conversation from ",
        "kannst du dich an ",
        "why a did you ",
        "wie hast du be ",
        "wie a be ge ",
        "¿dónde a a ",
        "por que a gente ",
        "когда мы там ",
        "我们什么时候",
        "なぜをを",
        "우리 왜 를 ",
        "왜 를 를 ",
    ],
)
def test_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    assert grows_with_length(lambda size: asks_about_past(piece * size), 20_000 // len(piece.encode()))
