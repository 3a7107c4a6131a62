import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.endings import arabic_light_stem, portuguese_singular, spanish_singular
from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.stemming import Stems

ARABIC_LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("opinioes", "opiniao"),
        ("alemaes", "alemao"),
        ("hoteis", "hotel"),
        ("lencois", "lencol"),
        ("homens", "homem"),
        ("maes", None),
        ("depois", None),
        ("chaves", None),
    ],
)
def test_portuguese_plurals(plural: str, singular: str | None) -> None:
    assert portuguese_singular(plural) == singular


@pytest.mark.parametrize(("plural", "singular"), [("luces", "luz"), ("veces", "vez"), ("ces", None)])
def test_spanish_plurals(plural: str, singular: str | None) -> None:
    assert spanish_singular(plural) == singular


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("والكتاب", "كتاب"),
        ("بالمكتب", "مكتب"),
        ("اجتماعات", "اجتماع"),
        ("سيارتها", "سيارت"),
        ("وقت", "وقت"),
        ("الان", "الان"),
        ("ولد", "ولد"),
    ],
)
def test_arabic_affixes_go_and_short_words_stay(word: str, stem: str) -> None:
    assert arabic_light_stem(word) == stem


@given(st.text(ARABIC_LETTERS, max_size=12))
def test_three_letters_of_an_arabic_word_are_left(word: str) -> None:
    stem = arabic_light_stem(word)
    assert stem in word
    assert len(stem) >= min(3, len(word))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("pt", "reunião", "reuniões"),
        ("pt", "cartao", "cartões"),
        ("pt", "hotel", "hotéis"),
        ("pt", "homem", "homens"),
        ("pt", "pão", "pães"),
        ("es", "luz", "luces"),
        ("es", "lápiz", "lapices"),
        ("ar", "سيارة", "السيارات"),
        ("ar", "كتاب", "والكتاب"),
        ("ar", "اجتماع", "اجتماعات"),
        ("ar", "مُدِير", "المديرين"),
    ],
)
def test_a_word_and_its_plural_share_a_form(language: str, one: str, other: str) -> None:
    stems = Stems((language,))
    assert set(stems.forms(normalize(one))) & set(stems.forms(normalize(other)))


@pytest.mark.parametrize(
    ("languages", "joined"), [(("pt",), True), (("en",), False), (("de",), False)], ids=str
)
def test_what_joins_words_of_a_language_does_so_everywhere(languages: tuple[str, ...], joined: bool) -> None:
    assert Stems(languages).join_elsewhere(fold("cartao"), fold("cartoes")) == joined
