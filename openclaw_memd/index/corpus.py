"""The files that an index is made of, and how they are read for it. Everything here blocks: use a thread."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from openclaw_memd.domain.provenance import Source
from openclaw_memd.files.beneath import read_file, stat_file
from openclaw_memd.files.catalog import FileState, FileText, ListedFile, Listing, Skipped, SkipReason, Stamp
from openclaw_memd.files.listing import list_files, look_up
from openclaw_memd.files.names import NOTES
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.documents import NO_DOCUMENTS, Documents, DocumentText
from openclaw_memd.index.origins import BY_PLACE, Attribution, Attributor
from openclaw_memd.index.preparing import Draft, PreparedFile

SLICE_CHARS: Final = 512 * 1024  # some 50 ms of writing
SLICE_FILES: Final = 256

Accept = Callable[[ListedFile, FileState], bool]


@dataclass(frozen=True, slots=True)
class ReadSlice:
    """The next files of a pass, those that could be read and those that could not; ``last`` when none are
    left.
    """

    drafts: tuple[Draft, ...]
    skipped: tuple[Skipped, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of a slice.

    Some files are prepared, some could not be read, some ``moved``: they are not any more as they were read.
    """

    prepared: tuple[PreparedFile, ...]
    skipped: tuple[Skipped, ...]
    moved: tuple[ListedFile, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where the files are and which of them count."""

    roots: Roots
    rules: FileRules
    attributor: Attributor = field(default=BY_PLACE, kw_only=True)
    documents: Documents = field(default=NO_DOCUMENTS, kw_only=True)

    def list_files(self) -> Listing:
        """A fresh look at the files alone."""
        return list_files(self.roots, self.rules)

    def list(self) -> Listing:
        """A fresh look at everything; a file that has the path of a document is left out."""
        listing = self.list_files()
        documents = {document.path: document for document in self.documents.list()}
        if not documents:
            return listing
        twins = [file.path for file in listing.files if file.path in documents]
        files = {file.path: file for file in listing.files} | documents
        return replace(
            listing,
            files=tuple(file for _, file in sorted(files.items())),
            skipped=(*listing.skipped, *(Skipped(path, SkipReason.DUPLICATE) for path in twins)),
        )

    def look_up(self, path: str) -> Listing:
        """What ``list`` says of ``path``, without a look at everything where that can be."""
        place = path.partition("/")[0]
        if place == NOTES or (place not in ("extra", "sessions") and not self.rules.include.lines):
            return look_up(self.roots, self.rules, path)
        return self.list()

    def look_at(self, files: Iterable[ListedFile]) -> Listing:
        """A fresh look at ``files`` alone, in their order; those that are gone are not in it."""
        seen: list[ListedFile] = []
        skipped: list[Skipped] = []
        for file in files:
            stamp = self._stamp(file)
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
        if file.source is Source.SESSIONS:
            return self.documents.read(file)
        return read_file(self.roots, file, self.rules.file_bytes)

    def holds(self, file: ListedFile, state: FileState) -> bool:
        """Whether the file is still there and as it was when ``state`` was read."""
        return self._stamp(file) == state.stamp

    def is_there(self, file: ListedFile) -> bool:
        """Whether the file is still there, whatever is in it now."""
        return self._stamp(file) is not None

    def peek(self, file: ListedFile, text: FileText) -> Attribution:
        """Who is behind the lines of a file that was just read."""
        if isinstance(text, DocumentText):
            return text.attribution
        return self.attributor.peek(file, text.text.split("\n"), text.state.hash)

    def _attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> Sequence[Attribution]:
        files = [(file, text) for file, text in read if not isinstance(text, DocumentText)]
        found = iter(self.attributor.attribute(files))
        return [text.attribution if isinstance(text, DocumentText) else next(found) for _, text in read]

    def _stamp(self, file: ListedFile) -> Stamp | None:
        if file.source is Source.SESSIONS:
            return self.documents.stamp(file)
        return stat_file(self.roots, file)

    def read_slice(self, waiting: Iterator[ListedFile], pause: Callable[[], None]) -> ReadSlice:
        """Read the next of the ``waiting`` files until they fill a slice.

        ``pause`` is called often; what it raises ends the work.
        """
        read: list[tuple[ListedFile, FileText]] = []
        skipped: list[Skipped] = []
        chars = 0
        last = True
        for file in waiting:
            pause()
            match self.read(file):
                case Skipped() as skip:
                    skipped.append(skip)
                case FileText() as text:
                    read.append((file, text))
                    chars += len(text.text)
            if chars >= SLICE_CHARS or len(read) + len(skipped) >= SLICE_FILES:
                last = False
                break
        drafts = [
            Draft(file, text, found) for (file, text), found in zip(read, self._attribute(read), strict=True)
        ]
        return ReadSlice(tuple(drafts), tuple(skipped), last)

    def settle(self, read: ReadSlice, prepared: Iterable[PreparedFile], accept: Accept) -> Batch:
        """What may be published of a slice: ``accept`` is asked of each file, as it was read."""
        accepted: list[PreparedFile] = []
        moved: list[ListedFile] = []
        for each in prepared:
            if accept(each.file, each.state):
                accepted.append(each)
            else:
                moved.append(each.file)
        return Batch(tuple(accepted), read.skipped, tuple(moved))
