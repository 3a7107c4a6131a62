import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.files.ignore import IgnoreStack
from openclaw_memd.files.rules import Patterns, is_pattern

SEGMENTS = st.sampled_from(["a", "b", "docs", "x.md"])
PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "**", "doc?", "[ab]", "x.md"]), min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        ("*.md", "any/where", True),
        ("docs/", "any/where", True),
        ("/*.md", "docs", False),
        ("docs/*.md", "docs", True),
        ("docs/*.md", "docs/deep", False),
        ("docs/**/*.md", "docs/deep/er", True),
        ("docs/**/*.md", "src", False),
        ("/docs", "docs/deep", True),
        ("a/b/c.md", "a", True),
        ("a/b/c.md", "a/c", False),
        ("#docs/x", "#docs", False),
        ("!docs/x", "docs", False),
        ("", "docs", False),
    ],
)
def test_which_folders_a_pattern_reaches(pattern: str, folder: str, expected: bool) -> None:
    assert Patterns.parse([pattern]).may_reach(folder) is expected


@given(st.lists(SEGMENTS, min_size=2, max_size=5), PATTERNS, st.booleans())
def test_every_folder_above_a_match_is_reached(path: list[str], parts: list[str], anchored: bool) -> None:
    patterns = Patterns.parse([("/" if anchored else "") + "/".join(parts)])
    if patterns.take("/".join(path)):
        assert all(patterns.may_reach("/".join(path[:depth])) for depth in range(1, len(path)))


def test_the_last_pattern_that_matches_decides() -> None:
    patterns = Patterns.parse(["*.md", "!keep.md", "keep.md"])
    assert (patterns.verdict("keep.md"), patterns.verdict("a.txt")) == (True, None)
    assert Patterns.parse(["*.md", "!keep.md"]).verdict("a/keep.md") is False


def test_the_nearest_ignore_file_decides_and_patterns_are_relative_to_it() -> None:
    stack = IgnoreStack().deeper("", "/a.md\n*.log.md\n").deeper("sub", "/a.md\n!b.log.md\n")
    assert stack.ignores("a.md")
    assert stack.ignores("sub/a.md")
    assert not stack.ignores("sub/deep/a.md")
    assert not stack.ignores("sub/b.log.md")
    assert stack.ignores("sub/c.log.md")


@pytest.mark.parametrize("line", ["*a*a*a*a*a*ax", "*" * 60 + "x", "[z-a]", "**/a/**/b/**/c/**/d"])
def test_a_pattern_that_cannot_be_matched_in_good_time_or_at_all_is_none(line: str) -> None:
    assert not is_pattern(line)
    with pytest.raises(ValueError, match="pattern"):
        Patterns.parse([line])


@pytest.mark.parametrize("line", ["*.md", "**/*.md", "memory/**/draft-*-*.md", "!keep*", "a/**/b/**/*.md"])
def test_ordinary_patterns_are_patterns(line: str) -> None:
    assert is_pattern(line)
