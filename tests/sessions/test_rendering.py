import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.graphemes import splits_character
from openclaw_memd.domain.secrets import MASK
from openclaw_memd.sessions.messages import Role
from openclaw_memd.sessions.rendering import (
    LINE_CHARS,
    PIECE_CHARS,
    clean_text,
    cut_pieces,
    has_lone_surrogate,
    render_lines,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  two\n\n words\t\u2028 ", "two words"),
        ("a\x00b\x1b[31mc", "a b [31mc"),
        ("", ""),
        (" \n\u00a0", ""),
        ("key sk-abcdefghijklmnop end", f"key {MASK} end"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", MASK),
        ("<<<BEGIN_MEMD_RECALL>>>\nold\n<<<END_MEMD_RECALL>>>\nnew", "new"),
        ("> <<<BEGIN_MEMD_RECALL>>>\n> old\n> <<<END_MEMD_RECALL>>>\nas I said", "as I said"),
        ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnever ends", ""),
        ("odd \ud800 text", "odd \ufffd text"),
    ],
)
def test_a_message_becomes_one_clean_line(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@given(st.text(st.characters(exclude_categories=[])))
def test_cleaning_gives_one_line_and_nothing_that_is_no_text(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned == " ".join(cleaned.split())
    assert not has_lone_surrogate(cleaned)


def test_a_short_message_is_one_line_with_its_speaker() -> None:
    assert render_lines(Role.USER, "hello") == ["User: hello"]
    assert render_lines(Role.ASSISTANT, "hello") == ["Assistant: hello"]


@given(
    st.lists(st.sampled_from(["word", " ", "é", "e\u0301", FAMILY, "漢" * 50, "x" * 790]), max_size=60).map(
        lambda parts: clean_text("".join(parts))
    )
)
def test_wrapping_loses_and_parts_nothing(text: str) -> None:
    segments = [line.removeprefix("User: ") for line in render_lines(Role.USER, text)]
    assert all(0 < len(segment) <= LINE_CHARS for segment in segments)
    assert "".join(segments).replace(" ", "") == text.replace(" ", "")
    place = 0
    for segment in segments:
        place = text.index(segment, place)
        assert not splits_character(text, place)
        place += len(segment)


def test_lines_are_cut_at_a_blank_where_there_is_one() -> None:
    text = "word " * 400
    lines = render_lines(Role.USER, text.strip())
    assert {line.removeprefix("User: ").strip("word ") for line in lines} == {""}
    assert all(line.endswith("word") for line in lines)
    assert [len(line) for line in render_lines(Role.USER, "x" * 1_700)] == [806, 806, 106]


def test_a_joined_emoji_stays_whole_and_a_row_of_marks_is_cut_all_the_same() -> None:
    lines = render_lines(Role.USER, "x" * (LINE_CHARS - 2) + FAMILY)
    assert lines[1] == f"User: {FAMILY}"
    assert len(render_lines(Role.USER, "e" + "\u0301" * 2_000)) == 3


def test_pieces_put_together_are_the_message() -> None:
    text = clean_text("some words here " * 20_000)
    pieces = list(cut_pieces(text))
    assert len(pieces) > 1
    assert all(len(piece) <= PIECE_CHARS for piece in pieces)
    assert " ".join(pieces) == text
