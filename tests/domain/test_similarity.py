import pytest
from hypothesis import given

from openclaw_memd.domain.similarity import find_signs, jaccard, near_duplicate, shingles
from openclaw_memd.domain.text import Analyzer
from tests.domain.samples import mixed_text

ANALYZER = Analyzer(("en", "de"))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("- 用户喜欢简短的回答", "- 用户喜欢简短回答。"),
        ("The user prefers short answers.", "- user prefers short answers"),
        ("Users prefer **short** answers", "users prefer short answers!"),
        ("Der Nutzer mag kurze Antworten", "Nutzer mag kurze Antworten."),
        ("予備の鍵は受付", "予備の鍵は受付。"),
        ("Deploy CHG-48213 on Friday", "deploy CHG-48213 on Friday."),
        ("Cafe\u0301 opens at 10:30", "CAFÉ opens at 10:30"),
        ("", "..."),
        ("> Tea - green", "Tea: green"),
        ("Users prefer short answers", "Usеrs prefer short аnswers"),  # Cyrillic е and а
    ],
)
def test_near_duplicates(left: str, right: str) -> None:
    assert near_duplicate(left, right, ANALYZER)
    assert near_duplicate(right, left, ANALYZER)


LONG = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
LONG_CHINESE = (
    "用户喜欢在每个周五上午收到一份关于二楼仓库备用零件清点结果的简短报告并且希望报告里写清楚库存变化"
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Lab server runs on port 7001.", "Test server runs on port 7002."),
        ("Server runs on port 7001.", "Server runs on port 7002."),
        (f"{LONG} 7001 {LONG} end", f"{LONG} 7002 {LONG} end"),
        (f"{LONG} deploys {LONG}", f"{LONG} never deploys {LONG}"),
        (f"{LONG} does deploy {LONG}", f"{LONG} doesn't deploy {LONG}"),
        (f"{LONG} does deploy {LONG}", f"{LONG} dоes nоt deploy {LONG}"),  # Cyrillic о
        (f"{LONG} two {LONG} end", f"{LONG} three {LONG} end"),
        (f"{LONG} CHG-48213 {LONG}", f"{LONG} CHG-48214 {LONG}"),
        (f"{LONG} 50% {LONG}", f"{LONG} 50 {LONG}"),
        (f"{LONG} -5 {LONG}", f"{LONG} 5 {LONG}"),
        (LONG_CHINESE, LONG_CHINESE.replace("喜欢", "不喜欢")),
        (LONG_CHINESE, LONG_CHINESE.replace("二楼", "三楼")),
        ("用户喜欢简短回答", "用户喜欢详细回答"),
        ("ไม่ชอบกาแฟ", "ชอบกาแฟ"),
        ("コーヒーを飲みます", "コーヒーを飲みません"),
        ("나는 커피를 마신다", "나는 커피를 안 마신다"),
        ("Пользователь пьёт кофе", "Пользователь не пьёт кофе"),
        ("a note", ""),
        ("a < b", "a > b"),
        ("a<b", "a b"),
        (f"{LONG} x = 1 {LONG}", f"{LONG} x != 1 {LONG}"),
        (f"{LONG} one -> other {LONG}", f"{LONG} one <- other {LONG}"),
        (f"{LONG} from → to {LONG}", f"{LONG} from ← to {LONG}"),
        (f"{LONG} n + 1 {LONG}", f"{LONG} n - 1 {LONG}"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("| a b | | |---|---| | c | d |", "| a | b | |---|---| | c | d |"),
    ],
)
def test_texts_that_differ_in_sense_are_no_near_duplicates(left: str, right: str) -> None:
    assert not near_duplicate(left, right, ANALYZER)
    assert not near_duplicate(right, left, ANALYZER)


@pytest.mark.parametrize(
    "text",
    [
        "- item",
        "> 5 quoted",
        "<b>bold</b> <http://a.example>",
        "Tea - green",
        "pre-commit",
        "title\n=====",
        "a | b",
        "said <!-- key: a -> b --> so",
    ],
)
def test_what_is_markdown_is_no_sign(text: str) -> None:
    assert find_signs(text) == ()


@given(mixed_text, mixed_text)
def test_near_duplicate_is_symmetric_and_reflexive(left: str, right: str) -> None:
    assert near_duplicate(left, right, ANALYZER) == near_duplicate(right, left, ANALYZER)
    assert near_duplicate(left, left + " ", ANALYZER)


def test_shingles_are_pairs_of_neighbours() -> None:
    assert shingles("Short answers, please") == {("short", "answers"), ("answers", "please")}
    assert shingles("仓库门") == {("仓", "库"), ("库", "门")}
    assert shingles("one") == {("one",)}
    assert shingles("…") == frozenset()


def test_jaccard() -> None:
    assert jaccard(frozenset(), frozenset()) == 1
    assert jaccard(shingles("a b c"), shingles("a b d")) == pytest.approx(1 / 3)
    assert jaccard(shingles("a b"), frozenset()) == 0
