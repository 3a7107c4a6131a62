import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openclaw_memd.domain.similarity import jaccard, near_duplicate
from openclaw_memd.domain.sketches import (
    Sketch,
    near_duplicate_sketches,
    pack_shingles,
    sketch,
    sketch_line,
    unpack_shingles,
)
from openclaw_memd.domain.text import Analyzer
from tests.domain.samples import mixed_text

ANALYZER = Analyzer(("en", "de"))
WORDS = st.sampled_from(
    ["the depot gate", "opens", "at", "seven", "not", "7001", "CHG-48213", "用户", "喜欢", "again"]
)


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, str]:
    words = draw(st.lists(WORDS, max_size=40))
    other = list(words)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(other)))
        other[place : place + draw(st.integers(0, 1))] = draw(st.lists(WORDS, max_size=1))
    return " ".join(words), " ".join(other)


@given(st.one_of(edited_texts(), st.tuples(mixed_text, mixed_text)))
@example(("", "..."))
@example(("the", "a"))
def test_sketches_are_near_duplicates_when_their_texts_are(texts: tuple[str, str]) -> None:
    left, right = texts
    found = near_duplicate_sketches(sketch(left, ANALYZER), sketch(right, ANALYZER))
    assert found == near_duplicate(left, right, ANALYZER)


@given(st.frozensets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=60), st.data())
def test_near_duplicates_have_a_key_in_common(shingles: frozenset[int], data: st.DataObject) -> None:
    size = len(shingles)
    taken = data.draw(st.frozensets(st.sampled_from(sorted(shingles)), max_size=size // 10))
    room = (size - len(taken)) * 10 // 9 - size
    added = data.draw(st.frozensets(st.integers(-(2**63), 2**63 - 1), max_size=room))
    other = (shingles - taken) | added
    assert jaccard(shingles, other) >= 0.9
    left, right = Sketch(1, b"", shingles), Sketch(1, b"", other)
    assert set(left.keys) & set(right.keys)


def test_few_keys_are_enough() -> None:
    for number, keys in ((1, 1), (9, 1), (10, 2), (20, 3), (60, 7)):
        assert len(Sketch(1, b"", frozenset(range(number))).keys) == keys


@given(mixed_text)
def test_packed_shingles_come_back(text: str) -> None:
    made = sketch(text, ANALYZER)
    assert unpack_shingles(pack_shingles(made)) == made.shingles


def test_no_word_is_kept() -> None:
    assert b"depot" not in pack_shingles(sketch("the depot gate opens", ANALYZER))


@pytest.mark.parametrize(
    "line",
    [
        "- the gate 7 opens",
        "  * the gate 7 opens",
        "12. the gate 7 opens",
        "> > 3) the gate 7 opens",
        "## the gate 7 opens",
        "- [x] the gate 7 opens",
    ],
)
def test_what_a_line_of_markdown_begins_with_does_not_count(line: str) -> None:
    assert sketch_line(line, ANALYZER) == sketch("the gate 7 opens", ANALYZER)


@pytest.mark.parametrize("line", ["7 gates open", "#7 gates open", "-7 gates open", "1.5 gates open"])
def test_numbers_that_are_no_list_markers_count(line: str) -> None:
    assert sketch_line(line, ANALYZER) == sketch(line, ANALYZER)
