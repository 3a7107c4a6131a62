"""When a keyword is in a message."""

import pytest

from openclaw_memd.domain.keywords import find_said, is_common, keyword_forms, read_message, split_keyword
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.stopwords import LISTS

STEMS = Stems(("en", "de"))


def is_said(keyword: str, message: str) -> bool:
    return find_said([keyword], read_message(message, STEMS), STEMS) is not None


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("release candidate", "the candidate for this release is out"),
        ("release", "RELEASES come weekly"),
        ("x", "solve for x please"),
        ("CHG-48213", "what about CHG-48213?"),
        ("网关设置", "请检查网关设置是否正确"),
        ("会議", "明日の会議の準備"),
        ("релиз", "когда релизы выходят"),
        ("Straße", "die strasse ist gesperrt"),
        ("🎉", "we did it 🎉"),
        ("release\nnotes", "notes of the release"),
        ("회의", "회의를 시작합니다"),
        ("C++", "we write C++17, mostly"),
        ("C#", "is it in C#?"),
        (".env", "look at the .env file"),
        ("env", "look at the .env file"),
        ("C++ build", "the build of the c++ part"),
        ("IT", "ask the IT people"),
        ("IT department", "our departments, IT first"),
        ("it department", "the IT department"),
        ("bus", "the buses are late"),
        ("buses", "the bus is late"),
        ("mouse", "mice in the cellar"),
        ("mice", "a mouse in the cellar"),
        ("child", "the children are at school"),
        ("analyses", "the analysis is done"),
        ("analysis", "both analyses are done"),
        ("stage", "we are staging it"),
        ("staging", "the stagings are down"),
        ("flight booking", "please book two flights"),
        ("mum's cake", "a cake for mum"),
        ("mum’s cake", "bake my mum's cake"),
        ("Termin", "die Termine stehen fest"),
        ("Termin", "please check the Termine for me"),
        ("Kind", "die Kinder sind da"),
        ("Kind", "Kinder?"),
    ],
)
def test_it_is_said(keyword: str, message: str) -> None:
    assert is_said(keyword, message)


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("custom", "the customer called us"),
        ("custom", "the customers called us"),
        ("custom build", "the customer has a build"),
        ("release candidate", "the release notes"),
        ("art", "this party starts now"),
        ("x", "an example"),
        ("CHG-48213", "CHG-48214"),
        ("网关设置", "网关很好,设置也是"),
        ("アート", "スカートを買った"),
        ("organ", "an organization"),
        ("...", "..."),
        ("🎉", "🎈"),
        ("release", ""),
        ("C++", "vitamin C, or a C compiler"),
        ("C#", "C++ and c"),
        ("C#", "the C#-sharp".replace("#", "")),
        (".env", "the env of the process"),
        ("IT", "is it late?"),
        ("IT", "IS IT LATE TODAY"),
        ("US", "tell us more"),
        ("us", "the uses of it"),
        ("staging", "the stage is set"),
        ("slides", "climbing and sliding"),
        ("import", "that is important"),
        ("settings", "set the table"),
    ],
)
def test_it_is_not_said(keyword: str, message: str) -> None:
    assert not is_said(keyword, message)


@pytest.mark.parametrize(
    ("keyword", "message"),
    [("local", "the locale is wrong"), ("custom", "a customer called"), ("past", "paste it here")],
)
def test_what_english_only_derives_is_not_said(keyword: str, message: str) -> None:
    english = Stems(("en",))

    assert find_said([keyword], read_message(message, english), english) is None


@pytest.mark.parametrize("keyword", ["", "...", " \n", "-_-".replace("_", "")])
def test_without_a_word_it_can_never_be(keyword: str) -> None:
    assert split_keyword(keyword) == []


@pytest.mark.parametrize(
    ("keyword", "common"),
    [
        ("the", True),
        ("it", True),
        ("It is what it is", True),
        ("der die das", True),
        ("什么", True),
        ("的", True),
        ("我的", True),
        ("を", True),
        ("わに", False),
        ("网", False),
        ("the release", False),
        ("IT", False),
        ("C++", False),
        (".env", False),
        ("🎉", False),
        ("网关", False),
        ("...", False),
        ("the der", False),
    ],
)
def test_what_most_messages_have_is_common(keyword: str, common: bool) -> None:
    assert is_common(keyword, (LISTS["en"], LISTS["de"])) is common


@pytest.mark.parametrize(
    "keyword",
    [
        "C++",
        "C#",
        ".env",
        "IT",
        "bus",
        "buses",
        "mice",
        "analyses",
        "release candidate",
        "网关设置",
        "x",
        "设",
        "回 x",
        "🎉",
        "회의",
    ],
)
def test_the_index_finds_whatever_is_said(keyword: str) -> None:
    said = set(read_message(f"... {keyword} !", STEMS).forms)
    (words,) = keyword_forms([keyword], STEMS)
    assert words
    assert all(said.intersection(forms) for forms in words)
