import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.annotations import NO_ANNOTATIONS
from openclaw_memd.domain.chunks import Chunk, chunk_text
from openclaw_memd.domain.graphemes import splits_character
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.tokens import estimate_tokens
from tests.domain.strategies import patient, texts

SIZES = st.one_of(
    st.just((400, 80)),
    st.integers(1, 40).flatmap(lambda tokens: st.tuples(st.just(tokens), st.integers(0, tokens - 1))),
)


def texts_of(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


@patient
@given(texts, SIZES, st.booleans(), st.frozensets(st.integers(-1, 45), max_size=4))
def test_chunks_are_exact_slices_in_budget_that_hold_everything(
    text: str, sizes: tuple[int, int], per_entry: bool, breaks: frozenset[int]
) -> None:
    tokens, overlap = sizes
    chunks = chunk_text(text, per_entry=per_entry, tokens=tokens, overlap=overlap, breaks=breaks)
    covered_to = int(text.startswith("\ufeff"))
    previous_start = -1
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert estimate_tokens(chunk.text) <= tokens
        assert chunk.start_line == text.count("\n", 0, chunk.start) + 1
        assert chunk.end_line == text.count("\n", 0, chunk.end) + 1
        assert previous_start < chunk.start
        assert covered_to < chunk.end
        assert not text[covered_to : chunk.start].strip()
        assert estimate_tokens(text[chunk.start : covered_to]) <= overlap
        assert not any(chunk.start_line < line <= chunk.end_line for line in breaks)
        previous_start, covered_to = chunk.start, chunk.end
    assert not text[covered_to:].strip()


@patient
@given(texts, st.frozensets(st.integers(2, 45), max_size=3))
def test_text_beyond_a_break_changes_nothing(text: str, breaks: frozenset[int]) -> None:
    lines = text.split("\n")
    for line in sorted(breaks):
        if line <= len(lines):
            head = "\n".join(lines[: line - 1])
            chunks = chunk_text(text, per_entry=True, breaks=breaks)
            before = [chunk for chunk in chunks if chunk.start_line < line]
            assert before == chunk_text(head, per_entry=True, breaks=breaks)


@patient
@given(texts)
def test_in_a_curated_file_no_chunk_holds_text_of_two_entries(text: str) -> None:
    entries = parse_entries(text)
    for chunk in chunk_text(text, per_entry=True):
        touched = [e for e in entries if e.start < chunk.end and chunk.start < e.end]
        memories = [e for e in touched if e.kind not in ("rule", "comment")]
        assert len(memories) <= 1
        if memories:
            assert chunk.annotations == memories[0].annotations
            assert chunk.heading_path == memories[0].heading_path
        else:
            assert chunk.annotations == NO_ANNOTATIONS


@patient
@given(st.text(alphabet="ab 👩‍e\u0301🇩仓", max_size=300), st.integers(30, 60))
def test_characters_as_readers_see_them_stay_whole(text: str, tokens: int) -> None:
    for chunk in chunk_text(text, per_entry=False, tokens=tokens, overlap=3):
        longest_cluster = _longest_cluster(text)
        if longest_cluster < 20:
            assert not splits_character(text, chunk.start)
            assert not splits_character(text, chunk.end)


def _longest_cluster(text: str) -> int:
    longest = current = 0
    for index in range(len(text)):
        current = current + 1 if splits_character(text, index) else 1
        longest = max(longest, current)
    return longest


@pytest.mark.parametrize("position", [*range(1560, 1620), 2900, 5900])
@pytest.mark.parametrize("per_entry", [False, True])
def test_an_id_anywhere_in_one_long_line_is_whole_in_some_chunk(position: int, per_entry: bool) -> None:
    needle = json.dumps({"route": "blue-heron-17"}, separators=(",", ":"))
    filler = '{"a":[1,2,3],"b":"xyz"},' * 300
    text = (filler[:position] + needle + filler)[:6000]
    chunks = chunk_text(text, per_entry=per_entry)
    assert any("blue-heron-17" in chunk.text for chunk in chunks)
    assert {(chunk.start_line, chunk.end_line) for chunk in chunks} == {(1, 1)}
    assert not any("\n" in chunk.text for chunk in chunks)
    rebuilt = ""
    for chunk in chunks:
        rebuilt += chunk.text[len(rebuilt) - chunk.start :]
    assert rebuilt == text


def test_a_code_block_of_two_languages_is_no_heading_and_has_right_lines() -> None:
    text = "# A\n\n```python\n```javascript\n# comment\n```\n\n## B\n\n- b\n"
    code, item = chunk_text(text, per_entry=True)
    assert (code.start_line, code.end_line, code.heading_path) == (1, 6, ("A",))
    assert (item.start_line, item.end_line, item.heading_path) == (8, 10, ("A", "B"))


def test_neighbouring_curated_entries_share_neither_chunk_nor_annotations() -> None:
    text = (
        "# Memory\n\n"
        "- Ship with the blue script. <!-- trigger: release --> <!-- project: example.org/a -->\n"
        "- The safe code is with Ana. <!-- project: example.org/b -->\n"
    )
    first, second = chunk_text(text, per_entry=True)
    assert "blue script" in first.text
    assert "Ana" not in first.text
    assert (first.annotations.triggers, first.annotations.projects) == (("release",), ("example.org/a",))
    assert second.text == "- The safe code is with Ana. <!-- project: example.org/b -->"
    assert (second.annotations.triggers, second.annotations.projects) == ((), ("example.org/b",))


def test_every_piece_of_a_long_curated_entry_keeps_its_annotations() -> None:
    text = "- " + "word " * 2600 + "<!-- trigger: release --> <!-- importance: 9 -->\n- short\n"
    *pieces, last = chunk_text(text, per_entry=True)
    assert len(pieces) > 5
    assert {(c.annotations.triggers, c.annotations.importance) for c in pieces} == {(("release",), 9)}
    assert (last.text, last.annotations) == ("- short", NO_ANNOTATIONS)


def test_in_a_daily_note_an_annotated_entry_stands_alone_and_the_others_are_packed() -> None:
    text = "# Day\n- a\n- b\n- c <!-- importance: 9 -->\n- d\n\nprose\n"
    chunks = chunk_text(text, per_entry=False)
    assert texts_of(chunks) == ["# Day\n- a\n- b", "- c <!-- importance: 9 -->", "- d\n\nprose"]
    assert [chunk.annotations.importance for chunk in chunks] == [None, 9, None]


def test_a_heading_is_in_the_chunk_of_what_follows_it() -> None:
    text = "# A\n\n- a\n\n---\n\n## B\n\n- b\n\n## Empty\n"
    chunks = chunk_text(text, per_entry=True)
    assert texts_of(chunks) == ["# A\n\n- a", "---\n\n## B\n\n- b", "## Empty"]
    assert [chunk.heading_path for chunk in chunks] == [("A",), ("A", "B"), ("A", "Empty")]


def test_a_heading_does_not_make_an_entry_that_fits_too_long() -> None:
    entry = "- " + "x" * 1598
    assert texts_of(chunk_text(f"# A\n{entry}\n", per_entry=True)) == ["# A", entry]


def test_chunks_are_cut_between_sections_when_one_ends_near_the_budget() -> None:
    sections = [f"## S{i}\n\n" + f"- {'word ' * 9}end\n" * 28 + "\n" for i in range(3)]
    chunks = chunk_text("".join(sections), per_entry=False, overlap=0)
    assert [chunk.text.rstrip() for chunk in chunks] == [section.rstrip() for section in sections]
    assert [chunk.heading_path for chunk in chunks] == [("S0",), ("S1",), ("S2",)]


def test_a_change_of_origin_ends_entries_fences_and_headings() -> None:
    text = "# Mine\n- a\n```\n# theirs\n- b <!-- importance: 9 -->\n# Mine too\n- c\n"
    chunks = chunk_text(text, per_entry=False, breaks=frozenset({3, 6}))
    assert texts_of(chunks) == [
        "# Mine\n- a",
        "```\n# theirs\n- b <!-- importance: 9 -->",
        "# Mine too\n- c",
    ]
    assert [chunk.annotations for chunk in chunks] == [NO_ANNOTATIONS] * 3
    assert [chunk.heading_path for chunk in chunks] == [("Mine",), (), ("Mine too",)]


def test_wide_text_gets_a_quarter_of_the_characters() -> None:
    assert [len(c.text) for c in chunk_text("仓" * 1000, per_entry=False, overlap=0)] == [400, 400, 200]
    assert [len(c.text) for c in chunk_text("x" * 4000, per_entry=False, overlap=0)] == [1600, 1600, 800]


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n", "\ufeff", "\r\n\r\n"])
def test_a_blank_text_has_no_chunks(text: str) -> None:
    assert chunk_text(text, per_entry=False) == chunk_text(text, per_entry=True) == []


def test_a_byte_order_mark_is_in_no_chunk() -> None:
    (chunk,) = chunk_text("\ufeff# A\r\n- a\r\n", per_entry=True)
    assert (chunk.text, chunk.start, chunk.start_line, chunk.heading_path) == ("# A\r\n- a", 1, 1, ("A",))


@pytest.mark.parametrize(("tokens", "overlap"), [(10, 10), (10, 11), (10, -1), (0, 0)])
def test_an_overlap_that_is_no_part_of_a_chunk_is_refused(tokens: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        chunk_text("a", per_entry=False, tokens=tokens, overlap=overlap)
