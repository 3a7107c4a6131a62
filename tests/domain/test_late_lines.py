"""Lines that somebody wrote to an earlier version come into the present one, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.late_lines import Late, add_late, find_late

LINES = st.lists(st.sampled_from(["- a", "- b", "- c", "", "# h"]), max_size=8)


@pytest.mark.parametrize(
    ("base", "content", "late"),
    [
        (b"- a\n", b"- a\n", Late()),
        (b"- a\n", b"- a\n- b\n- c", Late((b"- b", b"- c"))),
        (b"- a\n", b"- a\n\n- b\r\n", Late((b"", b"- b"))),
        (b"", b"- a\n", Late((b"- a",), is_anew=True)),
        (b"", b"", Late(is_anew=True)),
        (b"- a\n- b", b"- a\n- bc\n- d\n", Late((b"- bc", b"- d"), torn=b"- b")),
        (b"- a\n- b", b"- a\n- b\n- d\n", Late((b"- d",))),
        (b"- a\n- b", b"- a\n- b\r\n- d\n", Late((b"- d",))),
        (b"- a\n- b\n", b"- b\n- c\n\n- b\n", Late((b"- c", b"- b"), is_anew=True)),
        (b"- a\n- b\n", b"- a\n", Late(is_anew=True)),
        (b"- a\r\n", b"- n\n- a\n", Late((b"- n",), is_anew=True)),
    ],
)
def test_what_was_written_late_is_told_from_what_was_known(base: bytes, content: bytes, late: Late) -> None:
    assert find_late(base, content) == late


@pytest.mark.parametrize(
    ("text", "late", "after"),
    [
        ("- a\n", Late((b"- b",)), "- a\n- b\n"),
        ("- a", Late((b"- b",)), "- a\n- b\n"),
        ("", Late((b"- b",)), "- b\n"),
        ("- a\n", Late((b"- a",), base=b"- a\n"), "- a\n- a\n"),
        ("- a\n- b\n", Late((b"- b",), base=b"- a\n"), "- a\n- b\n"),
        ("- a\n- b\n", Late((b"", b"- b", b"- c"), base=b"- a\n"), "- a\n- b\n\n- b\n- c\n"),
        ("- a\n", Late((b"- a", b"- b"), is_anew=True), "- a\n- b\n"),
        ("- a\n- be\n- ours\n", Late((b"- begun", b"- c"), torn=b"- be"), "- a\n- begun\n- ours\n- c\n"),
        ("- a\n", Late((b"- begun",), torn=b"- be"), "- a\n- begun\n"),
        ("- a\n", Late((b"",)), "- a\n"),
        ("- a\n", Late((b"- \xff\0",)), "- a\n- \\xff\\x00\n"),
    ],
)
def test_late_lines_are_added_where_they_are_missing(text: str, late: Late, after: str) -> None:
    assert add_late(text, late) == after


@given(LINES, LINES, LINES)
def test_every_appended_line_is_there_and_none_that_was_there_comes_back(
    base: list[str], appended: list[str], present: list[str]
) -> None:
    before = "".join(f"{line}\n" for line in base)
    content = before + "".join(f"{line}\n" for line in appended)
    text = "".join(f"{line}\n" for line in present)
    found = add_late(text, find_late(before.encode(), content.encode()))
    lines = found.split("\n")[:-1]
    assert lines[: len(present)] == present
    assert lines[len(present) :] in (appended, []) or not base
    for line in filter(None, appended):
        assert lines.count(line) >= (appended.count(line) if base else 1)


@given(LINES, LINES, LINES)
def test_every_line_of_a_version_that_was_written_anew_is_known_or_there(
    base: list[str], anew: list[str], present: list[str]
) -> None:
    before = "".join(f"{line}\n" for line in base).encode()
    content = "".join(f"{line}\n" for line in anew).encode()
    found = add_late("".join(f"{line}\n" for line in present), find_late(before, content)).split("\n")
    for line in anew:
        assert line in found or line in base or not line.strip()
