import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.confusables import fold_confusables, fold_words
from tests.domain.samples import mixed_text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("instаllеr", "installer"),  # Cyrillic а and е
        ("Αlways run", "Always run"),  # Greek Alpha
        ("run а сар", "run a cap"),  # words of look-alikes alone, in a text in Latin letters
        ("ɑlwɑys", "always"),
        ("Привет, instаller", "Привет, installer"),
        ("он сказал: run", "он сказал: run"),
        ("со мной", "со мной"),
        ("ο λόγος of Plato", "ο λόγος of Plato"),
        ("plain", "plain"),
        ("наука", "наука"),
    ],
)
def test_look_alikes_are_folded_where_they_stand_for_latin_letters(text: str, folded: str) -> None:
    assert fold_confusables(text) == folded


@given(st.one_of(mixed_text, st.text("аеоinst пμ ", max_size=12)))
def test_folding_is_idempotent_and_keeps_the_length(text: str) -> None:
    folded = fold_confusables(text)
    assert len(folded) == len(text)
    assert fold_confusables(folded) == folded


def test_a_greek_letter_alone_is_a_name() -> None:
    assert fold_words("Filter α is оpen, α1 tоo") == "Filter α is open, a1 too"
    assert fold_words("Filter а") == "Filter a"  # the Cyrillic one


@given(st.one_of(mixed_text, st.text("аеоinst пμαν ", max_size=12)))
def test_folding_words_is_idempotent_and_keeps_the_length(text: str) -> None:
    folded = fold_words(text)
    assert len(folded) == len(text)
    assert fold_words(folded) == folded
