import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.line_hashes import (
    BLANK,
    hash_line,
    hash_lines,
    normalize_line,
    pack_hashes,
    unpack_hashes,
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("- a fact", "- a fact\r"),
        ("- a fact", "- a fact \t\u00a0\u3000"),
        ("Caf\u00e9 opens", "Cafe\u0301 opens"),
    ],
)
def test_white_space_at_the_end_and_the_normal_form_do_not_count(left: str, right: str) -> None:
    assert hash_line(left) == hash_line(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("- a fact", "a fact"), ("- a fact", "* a fact"), ("a fact", " a fact"), ("a fact", "A fact")],
)
def test_everything_else_counts(left: str, right: str) -> None:
    assert hash_line(left) != hash_line(right)


@pytest.mark.parametrize("line", ["", " ", "\r", "\t\u2003"])
def test_blank_lines_have_no_hash(line: str) -> None:
    assert hash_line(line) == BLANK


@given(st.text())
def test_normalising_twice_changes_nothing(line: str) -> None:
    assert normalize_line(normalize_line(line)) == normalize_line(line)
    assert hash_line(normalize_line(line)) == hash_line(line)


@given(st.lists(st.text() | st.sampled_from(["", " \r", "Cafe\u0301 ", "\ud800"])))
def test_many_lines_are_hashed_like_one(lines: list[str]) -> None:
    assert hash_lines(lines) == [found for found in map(hash_line, lines) if found]


@given(st.lists(st.binary(min_size=16, max_size=16)))
def test_packed_hashes_come_back(hashes: list[bytes]) -> None:
    assert unpack_hashes(pack_hashes(hashes)) == hashes


def test_a_lone_surrogate_has_a_hash() -> None:
    assert len(hash_line("a \ud800 b")) == 16
