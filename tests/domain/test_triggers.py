import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.triggers import (
    ONE_WORD,
    Phrases,
    is_same_word,
    score_match,
    score_words,
    split_words,
)

STEMS = Stems(("en", "de"))


def trigger(message: str, *phrases: str) -> float:
    return max(Phrases(phrases, STEMS).match(message).values(), default=0.0)


@pytest.mark.parametrize(
    ("message", "phrase", "relevance", "score"),
    [
        ("flight booking", "booking flight", 0.8, 0.96),
        ("booking a flight", "booking booking flight", 0.5, 0.90),
        ("CAFÉ 東京", "café 東京", 1, 1),
        ("Project status", "project", 0, 0.68),
        ("booking flight", "booking flight seat", 1, 0.78667),
        ("booking flight", "booking flight", 9, 1),
        ("booking flight", "booking flight", -1, 0.8),
        ("booking", "booking flight", 1, 0.60),
    ],
)
def test_scores_are_those_of_the_reference(message: str, phrase: str, relevance: float, score: float) -> None:
    assert score_match(trigger(message, phrase), relevance) == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize(
    ("phrase", "fires", "not_in"),
    [
        ("art", "Modern art, please", "This party starts at nine"),
        ("booking", "All my bookings are gone", "The bookkeeper called"),
        ("booking", "Book a seat", "Facebook is down"),
        ("organ", "The organs of the church", "The organization of the church"),
        ("general", "General remarks", "Generate the report"),
        ("Rechnung", "Die Rechnungen sind da", "Rechne das bitte aus"),
        ("отчёт", "Нет отчета за май", "Отчим позвонил"),
        ("сервер", "Что с серверами?", "Северный ветер"),
        ("网关设置", "请帮我看看昨天的网关设置有没有问题", "网关和路由的设置"),
        ("アート", "アートの展覧会", "スカートを買った"),
        ("設定", "ゲートウェイの設定を変えた", "定設という会社"),
        ("เกตเวย์", "ตั้งค่าเกตเวย์อย่างไร", "ตั้งค่าโทรศัพท์"),
        ("กา", "นกกาบิน", "ก้าวไปกา\u0e48"),
        ("설정", "설정을 바꿨어요", "서버설정을 바꿨어요"),
        ("API密钥", "把API密钥发给我", "密码和API"),
        ("café", "Le CAFE est ferme", "La caféine"),
        ("v2 rollout", "the rollout of v2", "the rollout of v3"),
        ("custom", "it is the custom here", "it is the customer here"),
    ],
)
def test_words_count_whole_and_in_another_ending(phrase: str, fires: str, not_in: str) -> None:
    assert trigger(fires, phrase) >= ONE_WORD
    assert trigger(not_in, phrase) < ONE_WORD


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("university", "universities"),
        ("company", "companies"),
        ("city", "cities"),
        ("policy", "policies"),
        ("reply", "replied"),
        ("replies", "replying"),
        ("release", "releasing"),
        ("released", "releasing"),
        ("move", "moving"),
        ("plan", "planning"),
        ("invoice", "invoicing"),
        ("invoices", "invoicing"),
    ],
)
def test_english_words_count_in_each_of_their_endings(one: str, other: str) -> None:
    assert trigger(f"a {one}", other) == trigger(f"a {other}", one) == ONE_WORD


def test_words_that_only_share_a_stem_are_told_apart() -> None:
    assert is_same_word("booking", "bookings", STEMS)
    assert not is_same_word("organ", "organization", STEMS)
    assert not is_same_word("universe", "universities", STEMS)
    assert not is_same_word("deploy", "deployment", STEMS)
    assert is_same_word("книга", "книгами", STEMS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import", "important"),
        ("local", "locale"),
        ("custom", "customer"),
        ("past", "paste"),
        ("intern", "internal"),
        ("final", "finally"),
        ("person", "personal"),
        ("organ", "organic"),
    ],
)
def test_english_words_that_one_is_made_of_are_not_the_other(one: str, other: str) -> None:
    phrases = Stems(("en",))

    assert Phrases([one], phrases).match(f"the {other} one") == {}
    assert Phrases([other], phrases).match(f"the {one} one") == {}


@pytest.mark.parametrize(
    ("one", "other"), [("mouse", "mice"), ("child", "children"), ("analysis", "analyses"), ("lens", "lenses")]
)
def test_irregular_plurals_count(one: str, other: str) -> None:
    assert trigger(f"a {one}", other) == trigger(f"two {other}", one) == ONE_WORD


def test_the_best_phrase_of_several_counts_and_the_others_do_not_lower_it() -> None:
    assert trigger("booking flight", "hotel", "booking flight", "flight") == 1.0


def test_single_characters_and_signs_are_no_words() -> None:
    assert trigger("a b c !?", "a; b") == 0.0
    assert Phrases(["!", "a", ""], STEMS).match("a ! b") == {}


def test_a_phrase_of_one_long_run_is_more_than_one_word() -> None:
    assert trigger("看看网关设置吧", "网关设置") == 1.0
    assert trigger("网关坏了", "网关") == ONE_WORD
    assert trigger("サーバーが落ちた", "サーバー") == ONE_WORD


words = st.sampled_from(["booking", "flight", "seat", "網関", "設定", "アート", "release", "отчёт", "café"])
phrases = st.lists(words, min_size=1, max_size=5).map(" ".join)


@given(phrases, st.lists(words, max_size=8).map(" ".join))
def test_scores_are_between_nothing_and_all(phrase: str, message: str) -> None:
    score = trigger(message, phrase)

    assert 0.0 <= score <= 1.0
    assert (score > 0) == bool(set(phrase.split()) & set(message.split()))


@given(phrases, phrases)
def test_more_words_never_lower_a_score(phrase: str, more: str) -> None:
    assert trigger(f"{phrase} {more}", phrase) >= trigger(phrase, phrase) >= ONE_WORD


@given(phrases, st.randoms(use_true_random=False))
def test_the_order_of_words_makes_no_difference(phrase: str, random: "object") -> None:
    shuffled = phrase.split()
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert trigger(" ".join(shuffled), phrase) == trigger(phrase, phrase)


@given(st.integers(1, 20), st.integers(0, 20))
def test_a_phrase_score_grows_with_what_is_there(words: int, present: int) -> None:
    present = min(present, words)

    assert 0.0 <= score_words(words, present) <= 1.0
    if words > 1:
        assert score_words(words, present) >= score_words(words, max(0, present - 1))


@given(st.floats(0, 1), st.floats(allow_nan=False))
def test_relevance_is_clamped(trigger_score: float, relevance: float) -> None:
    assert 0.8 * trigger_score <= score_match(trigger_score, relevance) <= 0.8 * trigger_score + 0.2


@given(st.text(max_size=80))
def test_any_text_has_words_and_finds_itself(text: str) -> None:
    found = list(split_words(text))

    assert len(set(found)) == len(found)
    if found:
        assert trigger(text, text) >= ONE_WORD or not trigger(text, text)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_are_split_as_in_a_text_that_has_others(text: str) -> None:
    assert [*split_words(text), *split_words("東京")] == [*split_words(f"{text} 東京")]
