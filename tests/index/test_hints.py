import pytest

from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.hints import Hints


def test_marks_set_after_a_look_began_stay() -> None:
    hints = Hints()
    hints.mark(["a.md", "b.md"])
    seen = hints.last
    hints.mark(["b.md", "c.md"])
    hints.clear(seen)

    assert hints.paths == {"b.md", "c.md"}
    assert hints.count_after(seen) == len(hints) == 2


@pytest.mark.parametrize(
    ("marked", "files"),
    [
        (["a.md", "b.md"], frozenset({"a.md", "b.md"})),
        (["a.md", "memory/"], None),
        (["a.md", EVERYTHING], None),
    ],
)
def test_hints_of_files_alone_are_told_from_wider_ones(
    marked: list[str], files: frozenset[str] | None
) -> None:
    hints = Hints()
    hints.mark(marked)
    assert hints.files == files
