"""Who is behind the lines of a file."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN, Provenance, Source, least_trusted
from openclaw_memd.files.catalog import FileText, ListedFile


@dataclass(frozen=True, slots=True)
class Attribution:
    """The provenance of each line of a file, as runs: (first line, provenance), from line 1 on, ascending."""

    runs: tuple[tuple[int, Provenance], ...]

    @property
    def breaks(self) -> frozenset[int]:
        """Lines before which a chunk must end, so that no chunk mixes provenances."""
        return frozenset(line for line, _ in self.runs[1:])

    def of_lines(self, start_line: int, end_line: int) -> Provenance:
        """The provenance of a text of these lines: that of the least trusted."""
        if len(self.runs) == 1:  # as in most files
            return self.runs[0][1]
        first = bisect_right(self.runs, start_line, key=_first_line) - 1
        last = bisect_right(self.runs, end_line, key=_first_line)
        return least_trusted(provenance for _, provenance in self.runs[first : max(last, first + 1)])


class Attributor(Protocol):
    """Says who is behind each line. Every method but ``peek`` may write; all block: use a worker thread.

    Raises:
        UnavailableError: what is known of origins cannot be read or written now.
    """

    def attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> list[Attribution]:
        """The attribution of each file as it was read, and remember its lines."""
        ...

    def peek(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> Attribution:
        """The attribution that ``lines`` of ``file`` would get now; nothing is remembered.

        ``content_hash`` is SHA-256 of the file's bytes, if they are all of it.
        """
        ...

    def listed(self, paths: Collection[str]) -> None:
        """Hear which files there are, whether or not they can be read, before any is attributed."""
        ...

    def removed(self, paths: Collection[str]) -> None:
        """Hear that files are gone: their lines may turn up elsewhere."""
        ...

    def looked(self, at: datetime) -> None:
        """Hear that a look at every file is over, which began ``at``; what had changed is attributed."""
        ...


class _ByPlace:
    """Attributes whole files by their place alone, where no ledger is at hand."""

    def attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> list[Attribution]:
        """Handwritten, or foreign when it lies outside the memory."""
        return [self.peek(file, ()) for file, _ in read]

    def peek(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> Attribution:
        """The same."""
        del lines, content_hash
        return Attribution(((1, HANDWRITTEN if is_own(file) else FOREIGN),))

    def listed(self, paths: Collection[str]) -> None:
        """Nothing is kept."""

    def removed(self, paths: Collection[str]) -> None:
        """Nothing is kept."""

    def looked(self, at: datetime) -> None:
        """Nothing is kept."""


def _first_line(run: tuple[int, Provenance]) -> int:
    return run[0]


BY_PLACE: Final[Attributor] = _ByPlace()


def is_own(file: ListedFile) -> bool:
    """Whether the file is one of the workspace's memories, and not brought in from elsewhere."""
    return file.source is Source.MEMORY
