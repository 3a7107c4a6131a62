"""Which English words are forms of one word."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.inflections import are_forms, is_form_of, plain_forms, singulars

words = st.text(string.ascii_lowercase, max_size=14)


@pytest.mark.parametrize(
    ("plain", "form"),
    [
        ("mouse", "mice"),
        ("child", "children"),
        ("grandchild", "grandchildren"),
        ("bookshelf", "bookshelves"),
        ("woman", "women"),
        ("salesman", "salesmen"),
        ("person", "people"),
        ("hypothesis", "hypotheses"),
        ("basis", "bases"),
        ("base", "bases"),
        ("index", "indices"),
        ("index", "indexes"),
        ("class", "classes"),
        ("bus", "buses"),
        ("quiz", "quizzes"),
        ("hero", "heroes"),
        ("move", "moves"),
        ("movie", "movies"),
        ("policy", "policies"),
        ("reply", "replied"),
        ("plan", "planning"),
        ("move", "moved"),
        ("stage", "staging"),
        ("tie", "tying"),
    ],
)
def test_a_word_has_its_plural_and_its_tenses(plain: str, form: str) -> None:
    assert is_form_of(form, plain)
    assert are_forms(plain, form)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import", "important"),
        ("local", "locales"),
        ("past", "paste"),
        ("custom", "customer"),
        ("us", "uses"),
        ("taxi", "taxes"),
        ("safe", "saves"),
        ("cafe", "caves"),
        ("raman", "ramen"),
        ("analysis", "analyse"),
        ("king", "k"),
        ("sing", "s"),
        ("red", "r"),
        ("status", "statu"),
        ("settings", "set"),
    ],
)
def test_a_word_has_no_other(one: str, other: str) -> None:
    assert not are_forms(one, other)


@pytest.mark.parametrize(
    ("form", "chosen"), [("stage", "staging"), ("sliding", "slides"), ("release", "released")]
)
def test_a_form_that_was_chosen_is_not_said_by_the_plain_word(form: str, chosen: str) -> None:
    assert are_forms(form, chosen)
    assert not is_form_of(form, chosen)


@given(words)
def test_a_word_is_a_form_of_itself(word: str) -> None:
    assert word in singulars(word) <= plain_forms(word)
    assert is_form_of(word, word)


@given(words, words)
def test_a_form_of_a_word_is_one_whichever_way_it_is_asked(one: str, other: str) -> None:
    assert are_forms(one, other) == are_forms(other, one)
    assert are_forms(one, other) or not is_form_of(one, other)
