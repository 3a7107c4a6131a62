import unicodedata

import pytest
from hypothesis import given

from openclaw_memd.domain.folding import MOST_MARKS, align, fold, normalize, spell_umlauts
from tests.domain.samples import any_text
from tests.work import grows_with_length


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("ﬁne", "fine"),
        ("ＡＢＣ１２", "ABC12"),
        ("ｶﾞｽ", "ガス"),
        ("\u1112\u1161\u11ab", "한"),
        ("㍿", "株式会社"),
        ("Anna’s", "Anna's"),
        ("non\u2011breaking \u2212 5", "non-breaking - 5"),
        ("soft\u00adhyphen", "softhyphen"),
        ("می\u200cخواهم", "میخواهم"),
        ("e\u200d\u0301", "é"),
        ("👩\u200d👧\ufe0f", "👩👧"),
        ("plain", "plain"),
    ],
)
def test_normalize_gives_one_spelling(text: str, normalized: str) -> None:
    assert normalize(text) == normalized


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("GRÖSSE", "grosse"),
        ("Größe", "grosse"),
        ("Crème", "creme"),
        ("Łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("İstanbul", "istanbul"),
        ("DIYARBAKIR", "diyarbakir"),
        ("Diyarbakır", "diyarbakir"),
        ("cœur", "coeur"),
        ("ΚΛΕΙΔΙΆΣ", "κλειδιασ"),
        ("κλειδιάς", "κλειδιασ"),
        ("Ёлка", "елка"),
        ("йод", "йод"),
        ("за\u0301мок", "замок"),
        ("її", "її"),
        ("ќерка", "ќерка"),
        ("أحمد", "احمد"),
        ("مُحَمَّد", "محمد"),
        ("مدرسة", "مدرسه"),
        ("مستشفى", "مستشفي"),
        ("كتـــاب", "كتاب"),
        ("کتابی", "كتابي"),
        ("٢٠٢٤", "2024"),
        ("२०२४", "2024"),
        ("שָׁלוֹם", unicodedata.normalize("NFC", "שָׁלוֹם")),
        ("चाबियाँ", "चाबियाँ"),
    ],
)
def test_fold_drops_case_and_the_marks_people_leave_out(word: str, folded: str) -> None:
    assert fold(normalize(word)) == folded


def test_umlauts_have_a_spelling_of_two_letters() -> None:
    assert spell_umlauts("Größe") == "groesse"
    assert spell_umlauts("Ångström") == "aangstroem"
    assert spell_umlauts("Jørgensen") == "joergensen"
    assert spell_umlauts("école") == "ecole"


@given(any_text)
def test_normalize_and_fold_change_nothing_twice(text: str) -> None:
    normalized = normalize(text)
    assert normalize(normalized) == normalized
    folded = fold(normalized)
    assert fold(folded) == folded
    assert fold(normalize(folded)) == folded


@given(any_text)
def test_alignment_covers_the_text_in_order(text: str) -> None:
    normalized = normalize(text)
    starts, ends = align(text, normalized)
    assert len(starts) == len(ends) == len(normalized)
    assert list(starts) == sorted(starts)
    assert list(ends) == sorted(ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))


@given(any_text)
def test_the_source_of_a_character_normalizes_to_text_with_it(text: str) -> None:
    normalized = normalize(text)
    starts, ends = align(text, normalized)
    for character, start, end in zip(normalized, starts, ends, strict=True):
        assert character in normalize(text[start:end])


@pytest.mark.parametrize("left", ["e", "カ", "ᄀ", "가", "ক\u09c7", "ந\u0bc6", "α\u0345"])
def test_alignment_holds_for_every_character_after_one_that_composes(left: str) -> None:
    for code_point in (
        *range(0x80, 0x3400),
        *range(0xA66F, 0xAC00),
        *range(0xF900, 0x10000),
        *range(0x11000, 0x11A00),
    ):
        text = left + chr(code_point)
        normalized = normalize(text)
        assert len(align(text, normalized)[0]) == len(normalized), hex(code_point)


@pytest.mark.parametrize("marks", ["\u0301", "\u0316\u0301", "\u0344", "\u0e48\u0e38", "\u05b4\u05bc"])
def test_only_so_many_marks_stay_on_a_letter(marks: str) -> None:
    normalized = normalize("a" + marks * 400 + "b")

    assert sum(map(bool, map(unicodedata.combining, normalized))) <= MOST_MARKS
    assert normalize(normalized) == normalized
    assert grows_with_length(lambda size: align(text := "a" + marks * size, normalize(text)), 8_000)


def test_every_mark_that_normalisation_sorts_is_counted() -> None:
    every = filter(unicodedata.combining, map(chr, range(0x110000)))

    assert not [mark for mark in every if len(normalize("a" + mark * 400)) > 4 * MOST_MARKS]
