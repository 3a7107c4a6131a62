import pytest

from openclaw_memd.domain import stopwords
from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.text import Analyzer


@pytest.mark.parametrize("code", ["en", "de", "es", "fr", "pt", "ru", "ar", "ko"])
def test_lists_are_folded_words(code: str) -> None:
    words = stopwords.LISTS[code]
    assert len(words) > 50
    assert all(fold(word) == word for word in words)


def test_acronyms_are_stop_words_in_capitals() -> None:
    assert {acronym.lower() for acronym in stopwords.ACRONYMS} <= stopwords.LISTS["en"]


def test_phrases_are_longer_than_the_characters_that_count_alone() -> None:
    assert all(len(phrase) > 1 for phrase in stopwords.CHINESE_PHRASES | stopwords.JAPANESE_PHRASES)
    assert all(len(character) == 1 for character in stopwords.CHINESE_CHARACTERS | stopwords.KANA_PARTICLES)


def test_korean_particles_come_longest_first() -> None:
    particles = stopwords.KOREAN_PARTICLES
    assert all(
        not later.endswith(earlier) or len(later) <= len(earlier)
        for index, earlier in enumerate(particles)
        for later in particles[index:]
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", "help find show give know remember talk discuss mention stuff use work make need want run"),
        ("de", "hilfe suche besprechung arbeit brauchen"),
        ("es", "ayuda busca trabajo muestra"),
        ("fr", "aide montre travail"),
        ("pt", "ajuda trabalho busca"),
        ("ru", "помощь работа"),
    ],
)
def test_what_somebody_may_look_for_is_no_stop_word(code: str, words: str) -> None:
    assert not {fold(word) for word in words.split()} & stopwords.LISTS[code]


def test_a_word_that_is_often_part_of_a_request_is_a_term() -> None:
    (help_, desk) = Analyzer().query_terms("help desk")

    assert ("help" in help_.forms, "desk" in desk.forms) == (True, True)
