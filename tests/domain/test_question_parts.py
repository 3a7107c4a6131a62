import pytest

from openclaw_memd.domain.question_parts import MOST_PARTS, find_names, is_topicless, split_question
from openclaw_memd.domain.text import Analyzer

ANALYZER = Analyzer()


def parts(question: str) -> list[str]:
    return [part.text for part in split_question(question, ANALYZER)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which city have both Jean and John visited?", ("Jean", "John")),
        ("What are Caroline's hobbies?", ("Caroline",)),
        ("Was mag die Katze?", ("Katze",)),
        ("Где живёт Анна?", ("Анна",)),
        ('who wrote "the old man"?', ("the old man",)),
        ("谁写了「老人与海」", ("老人与海",)),
        ("what did we decide?", ()),
        ("", ()),
    ],
)
def test_names_begin_with_a_capital_or_stand_in_quotation_marks(
    question: str, names: tuple[str, ...]
) -> None:
    assert find_names(question) == names


def test_the_whole_question_comes_first_and_counts_most() -> None:
    whole, *others = split_question("Which city have Jean and John visited?", ANALYZER)

    assert (whole.text, whole.weight) == ("Which city have Jean and John visited?", 1.0)
    assert all(part.weight < 1 for part in others)


def test_each_of_several_names_has_a_query_of_its_own() -> None:
    found = parts("Which city have both Jean and John visited?")

    assert "Which city have both and visited?" in found
    assert "Which city have both Jean and visited?" in found
    assert "Which city have both and John visited?" in found


def test_an_identifier_is_a_query_of_its_own() -> None:
    assert "chg-48213" in parts("what was wrong with CHG-48213 in the end")


def test_clauses_are_queries_of_their_own() -> None:
    found = parts("which port has the gateway, and where are the backups stored?")

    assert "which port has the gateway" in found
    assert any("backups stored" in part and "gateway" not in part for part in found)


def test_what_asks_for_the_same_words_comes_once() -> None:
    assert parts("backups") == ["backups"]
    assert parts("???") == []


def test_there_are_never_many() -> None:
    question = ", ".join(f"where is item{number} kept now" for number in range(50))

    assert len(parts(question)) == MOST_PARTS


@pytest.mark.parametrize(
    "question",
    [
        "what did we talk about?",
        "What happened",
        "¿qué hicimos?",
        "o que fizemos?",
        "was haben wir gemacht",
        "о чём мы говорили",
        "我们讨论了什么",
        "我們聊了什麼",
        "何をした",
        "우리 뭐 했지",
        "",
    ],
)
def test_a_question_about_nothing_but_a_time_has_no_topic(question: str) -> None:
    assert is_topicless(question)


@pytest.mark.parametrize(
    "question", ["what did we decide about the port?", "哪个数据库", "データベース", "порт", "which Ada"]
)
def test_any_other_has_one(question: str) -> None:
    assert not is_topicless(question)
