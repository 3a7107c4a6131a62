"""When a keyword is in a message."""

import pytest

from openclaw_memd.domain.keywords import find_said, keyword_forms, read_message, split_keyword
from openclaw_memd.domain.stemming import Stems

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
    ],
)
def test_it_is_said(keyword: str, message: str) -> None:
    assert is_said(keyword, message)


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
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
    ],
)
def test_it_is_not_said(keyword: str, message: str) -> None:
    assert not is_said(keyword, message)


@pytest.mark.parametrize("keyword", ["", "...", " \n", "-_-".replace("_", "")])
def test_without_a_word_it_can_never_be(keyword: str) -> None:
    assert split_keyword(keyword) == []


@pytest.mark.parametrize("keyword", ["release candidate", "网关设置", "x", "设", "回 x", "🎉", "회의"])
def test_the_index_finds_whatever_is_said(keyword: str) -> None:
    said = set(read_message(f"... {keyword} !", STEMS).forms)
    (words,) = keyword_forms([keyword], STEMS)
    assert words
    assert all(said.intersection(forms) for forms in words)
