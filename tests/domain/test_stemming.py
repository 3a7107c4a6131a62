import pytest

from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.stemming import SUPPORTED_LANGUAGES, Stems


@pytest.mark.parametrize("language", sorted(SUPPORTED_LANGUAGES))
def test_every_supported_language_has_a_stemmer(language: str) -> None:
    assert Stems((language,)).forms("running") == tuple(dict.fromkeys(Stems((language,)).forms("Running")))


@pytest.mark.parametrize("code", ["xx", "english", "EN", ""])
def test_an_unknown_language_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="no stemmer for language"):
        Stems(("en", code))


@pytest.mark.parametrize(
    ("languages", "word", "other"),
    [
        ((), "running", "runs"),
        (("de",), "Häuser", "Haus"),
        (("de",), "Haeuser", "Haus"),
        (("es",), "canciones", "cancion"),
        (("fr",), "désolées", "désolée"),
        (("pt",), "chaves", "chave"),
        ((), "складе", "склад"),
        ((), "الكتاب", "كتاب"),
        ((), "κλειδιά", "κλειδι"),
        ((), "किताबें", "किताब"),
    ],
)
def test_inflected_words_share_a_form(languages: tuple[str, ...], word: str, other: str) -> None:
    stems = Stems(languages)
    assert set(stems.forms(normalize(word))) & set(stems.forms(normalize(other)))


def test_the_whole_word_comes_first() -> None:
    assert Stems(()).forms("Running") == ("running", "run")


def test_other_scripts_have_no_stems() -> None:
    assert Stems(("de", "fr")).forms("השומר") == ("השומר",)
