import pytest

from openclaw_memd.domain import stopwords
from openclaw_memd.domain.folding import fold


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
