"""Marks of what may have changed on the disk."""

from collections.abc import Iterable

from openclaw_memd.files.hints import EVERYTHING


class Hints:
    """Virtual paths that may have changed: of a file, of a folder with a final '/', or ``EVERYTHING``.

    Marks are numbered, so that whoever looked at the disk clears only those that were there before.
    """

    def __init__(self) -> None:
        self._marks: dict[str, int] = {}
        self._last = 0

    def __len__(self) -> int:
        return len(self._marks)

    @property
    def last(self) -> int:
        """The number of the newest mark."""
        return self._last

    @property
    def paths(self) -> frozenset[str]:
        """Everything that is marked."""
        return frozenset(self._marks)

    @property
    def files(self) -> frozenset[str] | None:
        """The marked paths when all of them are files, else None."""
        paths = self.paths
        return None if any(path == EVERYTHING or path.endswith("/") for path in paths) else paths

    def mark(self, paths: Iterable[str]) -> None:
        """Mark ``paths`` under new numbers."""
        for path in paths:
            self._last += 1
            self._marks[path] = self._last

    def clear(self, up_to: int) -> None:
        """Forget the marks with numbers up to ``up_to``."""
        self._marks = {path: number for path, number in self._marks.items() if number > up_to}

    def count_after(self, number: int) -> int:
        """How many marks are newer than ``number``."""
        return sum(mark > number for mark in self._marks.values())
