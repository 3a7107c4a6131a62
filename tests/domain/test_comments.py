import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.comments import comments_in_line, is_comment_line, trailing_comments
from tests.domain.strategies import patient


@pytest.mark.parametrize(
    ("line", "bodies"),
    [
        ("a <!-- b --> c <!--d-->", [" b ", "d"]),
        ("no comment -->", []),
        ("`<!-- code -->` <!-- b -->", [" b "]),
        ("`` ` <!-- code --> `` <!-- b -->", [" b "]),
        ("a lone ` tick <!-- b -->", [" b "]),
        ("ticks of ``two and ` one <!-- b -->", [" b "]),
        ("<!-- a ` b --> ` <!-- c --> `", [" a ` b "]),
        ("<!-- a ` b --> <!-- c ` d -->", [" a ` b ", " c ` d "]),
    ],
)
def test_comments_are_found_outside_inline_code(line: str, bodies: list[str]) -> None:
    assert [comment.body for comment in comments_in_line(line)] == bodies


def test_a_comment_that_is_not_closed_goes_on_to_the_next_one() -> None:
    first, second, third = comments_in_line("<!-- a <!-- b --> <!-- c")
    assert (first.body, first.closed) == (" a ", False)
    assert (second.body, second.closed) == (" b ", True)
    assert (third.body, third.closed) == (" c", False)


def test_trailing_comments_have_only_blanks_and_comments_behind_them() -> None:
    line = "<!-- a --> x <!-- b --><!-- c --> \r"
    assert [c.body for c in trailing_comments(line, comments_in_line(line))] == [" b ", " c "]
    line = "x <!-- a --> y"
    assert trailing_comments(line, comments_in_line(line)) == []


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("<!-- a -->", True),
        ("  <!-- a --> <!-- b -->\r", True),
        ("- <!-- a -->", False),
        ("<!-- a", False),
        ("<!-- a --> b", False),
        ("", False),
    ],
)
def test_a_comment_line_holds_nothing_else(line: str, is_one: bool) -> None:
    assert is_comment_line(line) is is_one


@patient
@given(st.lists(st.sampled_from(["<!--", "-->", "`", "``", "a", " "]), max_size=30).map("".join))
def test_comments_are_slices_in_order(line: str) -> None:
    end = 0
    for comment in comments_in_line(line):
        assert end <= comment.start < comment.end <= len(line)
        closing = "-->" if comment.closed else ""
        assert line[comment.start : comment.end] == f"<!--{comment.body}{closing}"
        end = comment.end
