"""The result of a walk while it grows: what was taken, what was left out, and what could not be seen."""

import unicodedata
from collections import Counter

from openclaw_memd.files.catalog import ListedFile, ListedFolder, Listing, Skipped, SkipReason

FileId = tuple[int, int]


class Findings:
    """Files, skipped paths, folders and unreadable prefixes; ``is_full`` once ``max_files`` are taken and
    one more was offered.
    """

    def __init__(self, *, max_files: int, max_bytes: int) -> None:
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._files: dict[str, ListedFile] = {}
        self._skipped: dict[str, SkipReason] = {}
        self._unreadable: set[str] = set()
        self._folders: list[ListedFolder] = []
        self._reserved: dict[FileId, SkipReason] = {}
        self.is_full = False

    def reserve(self, identity: FileId, reason: SkipReason) -> None:
        """From now on the file or folder ``identity`` is left out with ``reason``, whatever its name."""
        self._reserved[identity] = reason

    def reserved(self, identity: FileId) -> SkipReason | None:
        """The reason why ``identity`` is left out, if it is."""
        return self._reserved.get(identity)

    def skip(self, path: str, reason: SkipReason) -> None:
        """Leave ``path`` out; the first reason stays."""
        self._skipped.setdefault(path, reason)

    def cannot_see(self, prefix: str, reason: SkipReason, *, shown: str | None = None) -> None:
        """Nothing is known of what lies at or below ``prefix``."""
        self._unreadable.add(prefix)
        self.skip(prefix if shown is None else shown, reason)

    def visit(self, folder: ListedFolder) -> None:
        """``folder`` was read."""
        self._folders.append(folder)

    def take(self, file: ListedFile, identity: FileId, size: int) -> None:
        """Take ``file``, unless it is here already, too large, or one too many."""
        if file.path in self._files:
            self.skip(file.path, SkipReason.DUPLICATE)
        elif size > self._max_bytes:
            self.skip(file.path, SkipReason.TOO_LARGE)
        elif len(self._files) >= self._max_files:
            self.skip(file.path, SkipReason.TOO_MANY)
            self.is_full = True
        else:
            self._files[file.path] = file
            self.reserve(identity, SkipReason.DUPLICATE)

    def listing(self) -> Listing:
        """Everything, in the order of the paths."""
        folded = Counter(map(_fold, self._files))
        return Listing(
            files=tuple(file for _, file in sorted(self._files.items())),
            skipped=tuple(Skipped(path, reason) for path, reason in sorted(self._skipped.items())),
            complete=not self._unreadable,
            unreadable=tuple(sorted(self._unreadable)),
            folders=tuple(sorted(self._folders, key=lambda folder: folder.path)),
            twins=tuple(path for path in sorted(self._files) if folded[_fold(path)] > 1),
        )


def _fold(path: str) -> str:
    """``path`` as a file system sees it that knows neither case nor Unicode normal forms."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()
