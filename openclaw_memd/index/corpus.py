"""The files that an index is made of, and how they are read for it. Everything here blocks: use a thread."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from openclaw_memd.files.beneath import FileText, read_file, stat_file
from openclaw_memd.files.catalog import FileState, ListedFile, Listing, Skipped, SkipReason
from openclaw_memd.files.listing import list_files
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.preparing import PreparedFile, Preparer

SLICE_CHARS: Final = 256 * 1024  # some 50 ms of writing
SLICE_FILES: Final = 128


@dataclass(frozen=True, slots=True)
class Batch:
    """The next files of a pass: some prepared, some that could not be read; ``last`` when none are left."""

    prepared: tuple[PreparedFile, ...]
    skipped: tuple[Skipped, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where the files are and which of them count."""

    roots: Roots
    rules: FileRules

    def list(self) -> Listing:
        """A fresh look at everything."""
        return list_files(self.roots, self.rules)

    def look_at(self, files: Iterable[ListedFile]) -> Listing:
        """A fresh look at ``files`` alone, in their order; those that are gone are not in it."""
        seen: list[ListedFile] = []
        skipped: list[Skipped] = []
        for file in files:
            stamp = stat_file(self.roots, file)
            found = None if stamp else self.read(file)  # says whether it is gone or cannot be reached
            match found:
                case Skipped(reason=SkipReason.VANISHED):
                    pass
                case Skipped():
                    skipped.append(found)
                case _:
                    seen.append(replace(file, stamp=stamp))
        return Listing(tuple(seen), tuple(skipped))

    def read(self, file: ListedFile) -> FileText | Skipped:
        """The file's text and state."""
        return read_file(self.roots, file, self.rules.file_bytes)

    def holds(self, file: ListedFile, state: FileState) -> bool:
        """Whether the file is still there and as it was when ``state`` was read."""
        return stat_file(self.roots, file) == state.stamp

    def prepare(self, waiting: Iterator[ListedFile], preparer: Preparer, pause: Callable[[], None]) -> Batch:
        """Read and analyse the next of the ``waiting`` files until they fill a slice.

        ``pause`` is called often; what it raises ends the work.
        """
        prepared: list[PreparedFile] = []
        skipped: list[Skipped] = []
        chars = 0
        for file in waiting:
            pause()
            match self.read(file):
                case Skipped() as skip:
                    skipped.append(skip)
                case FileText() as read:
                    prepared.append(preparer.prepare(file, read, pause=pause))
                    chars += len(read.text)
            if chars >= SLICE_CHARS or len(prepared) + len(skipped) >= SLICE_FILES:
                return Batch(tuple(prepared), tuple(skipped), last=False)
        return Batch(tuple(prepared), tuple(skipped), last=True)
