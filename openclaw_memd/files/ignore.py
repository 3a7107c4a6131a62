"""The ``.memdignore`` files of the folders between a root and a path, in gitignore semantics."""

from dataclasses import dataclass
from typing import Self

from openclaw_memd.files.rules import Patterns, is_pattern

IGNORE_NAME = ".memdignore"
IGNORE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class IgnoreStack:
    """The ignore files that hold in one folder, the nearest last; each pattern is relative to its folder."""

    levels: tuple[tuple[str, Patterns], ...] = ()

    def deeper(self, folder: str, text: str) -> Self:
        """The stack with the file ``text`` of ``folder`` ('' for the root) on top; bad lines do not count."""
        lines = [line for line in text.splitlines() if is_pattern(line)]
        prefix = f"{folder}/" if folder else ""
        return type(self)((*self.levels, (prefix, Patterns.parse(lines))))

    def ignores(self, path: str) -> bool:
        """Whether the nearest file that speaks of ``path`` (a folder's ends in '/') ignores it."""
        for prefix, patterns in reversed(self.levels):
            verdict = patterns.verdict(path.removeprefix(prefix))
            if verdict is not None:
                return verdict
        return False


def has_bad_line(text: str) -> bool:
    """Whether some line of an ignore file is no pattern."""
    return not all(map(is_pattern, text.splitlines()))
