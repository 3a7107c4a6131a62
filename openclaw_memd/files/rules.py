"""The owner's choice of files: patterns that widen, narrow or exempt, and the limits."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from pathspec import GitIgnoreSpec

DEFAULT_FILE_BYTES = 4 * 1024 * 1024
DEFAULT_FILES = 50_000
MOST_STARS = 3
"""Stars in one part of a pattern, and parts that are two stars: enough for any sensible pattern."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """A list of patterns in gitignore syntax; the last one that matches a path decides."""

    lines: tuple[str, ...]
    spec: GitIgnoreSpec

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Self:
        """Read ``lines``; blank ones and comments mean nothing.

        Raises:
            ValueError: one is not a pattern; the message holds it.
        """
        kept = tuple(lines)
        for line in kept:
            if not is_pattern(line):
                raise ValueError(f"not a pattern in gitignore syntax: {line!r}")
        return cls(kept, GitIgnoreSpec.from_lines(kept))

    def verdict(self, path: str) -> bool | None:
        """Whether the patterns take ``path`` (a folder's ends in '/'), leave it with '!', or say nothing."""
        return self.spec.check_file(path).include if self.lines else None

    def take(self, path: str) -> bool:
        """Whether the patterns take ``path``."""
        return self.verdict(path) is True

    def may_reach(self, folder: str) -> bool:
        """Whether something at or below ``folder`` (no final '/') may match."""
        parts = folder.split("/")
        return any(_may_reach(line.strip(), parts) for line in self.lines)


def is_pattern(line: str) -> bool:
    """Whether ``line`` can be read as a pattern, and matched in a time that does not depend on its author.

    Patterns become regular expressions that try each way to share a name among their stars, and any folder
    below ``memory/`` may carry some.
    """
    segments = line.strip().split("/")
    if segments.count("**") > MOST_STARS or any(
        segment.count("*") > MOST_STARS for segment in segments if segment != "**"
    ):
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


def _may_reach(pattern: str, folder: list[str]) -> bool:
    """Whether ``pattern`` may take something at or below the folder with these parts."""
    if not pattern or pattern.startswith(("#", "!")):
        return False
    if "/" not in pattern.rstrip("/"):  # such a pattern holds at any depth
        return True
    for part, name in zip(pattern.strip("/").split("/"), folder, strict=False):
        if part == "**" or "\\" in part:
            return True
        if not fnmatchcase(name, part):
            return False
    return True


@dataclass(frozen=True, slots=True)
class FileRules:
    """What the configuration says of files.

    ``include`` adds Markdown files of the workspace beyond the memory places. ``exclude`` and ``evergreen``
    match virtual paths. ``file_bytes`` is the size of the largest file, ``files`` the largest number of them.
    """

    include: Patterns
    exclude: Patterns
    evergreen: Patterns
    file_bytes: int = DEFAULT_FILE_BYTES
    files: int = DEFAULT_FILES

    @classmethod
    def parse(
        cls,
        *,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        evergreen: Iterable[str] = (),
        file_bytes: int = DEFAULT_FILE_BYTES,
        files: int = DEFAULT_FILES,
    ) -> Self:
        """Rules from pattern lines.

        Raises:
            ValueError: a pattern is malformed.
        """
        return cls(
            Patterns.parse(include), Patterns.parse(exclude), Patterns.parse(evergreen), file_bytes, files
        )
