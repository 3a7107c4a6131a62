"""What an import does with each file that it finds, decided before anything is written. Pure."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class ImportReason(StrEnum):
    """Why a file is not imported, or not taken back. The set is closed; each has a ``description``.

    What keeps any file from being read has a reason of its own (``SkipReason``).
    """

    EXISTS = "exists"
    TWIN = "twin"
    OWN_MEMORY = "own_memory"
    NAME_TOO_LONG = "name_too_long"
    TOO_MUCH = "too_much"
    EDITED = "edited"
    GONE = "gone"
    NO_BACKUP = "no_backup"
    DISK = "disk"
    NOT_A_DATABASE = "not_a_database"
    UNKNOWN_TABLE = "unknown_table"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    ImportReason.EXISTS: "A file with other content has its place, and `replace` was not asked for.",
    ImportReason.TWIN: "Its name differs from another one's by case or Unicode normal form only.",
    ImportReason.OWN_MEMORY: "It is part of this workspace already.",
    ImportReason.NAME_TOO_LONG: "Its path would be too long in its new place.",
    ImportReason.TOO_MUCH: "The files together are more than one import takes (1 GiB).",
    ImportReason.EDITED: "The file is not what the import left; it stays as it is.",
    ImportReason.GONE: "The file is not there any more; it stays away.",
    ImportReason.NO_BACKUP: "The copy of what the file was is missing or damaged; the file stays as it is.",
    ImportReason.DISK: "The disk refused to write or read it.",
    ImportReason.NOT_A_DATABASE: "It is no SQLite database, or a damaged one.",
    ImportReason.UNKNOWN_TABLE: "The database's tables are not those that are known.",
}


class Standing(StrEnum):
    """What stands in the place of a file that is to be imported."""

    NEW = "new"
    UNCHANGED = "unchanged"
    REPLACE = "replace"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that could be imported.

    ``target`` is its path in the workspace, ``shown`` the one in its source. ``hash`` is SHA-256 of its
    ``size`` bytes; ``present`` that of what has its place now, None for nothing.
    """

    target: str
    shown: str
    hash: bytes
    size: int
    present: bytes | None = None

    def standing(self, *, replace: bool) -> Standing:
        """What stands in its place, and what is to be done about it."""
        if self.present is None:
            return Standing.NEW
        if self.present == self.hash:
            return Standing.UNCHANGED
        return Standing.REPLACE if replace else Standing.CONFLICT


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import of ``candidates`` does; ``replace`` lets it put files in the place of others."""

    candidates: Sequence[Candidate]
    replace: bool

    def all(self, *standings: Standing) -> list[Candidate]:
        """The candidates that stand so."""
        return [one for one in self.candidates if one.standing(replace=self.replace) in standings]

    @property
    def to_write(self) -> list[Candidate]:
        """What is to be written."""
        return self.all(Standing.NEW, Standing.REPLACE)


def fold_path(path: str) -> str:
    """``path`` as a file system sees it that knows neither case nor Unicode normal forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def split_twins(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Paths that can stand beside each other on every file system, and those that collide with one."""
    kept: list[str] = []
    twins: list[str] = []
    seen: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        heads = ["/".join(parts[: count + 1]) for count in range(len(parts))]
        is_twin = any(seen.get(fold_path(head), head) != head for head in heads)
        (twins if is_twin or seen.get(fold_path(path)) == path else kept).append(path)
        if not is_twin:
            seen.update((fold_path(head), head) for head in heads)
    return kept, twins
