"""What is indexed beside files: documents that are made from the ledger."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Final, Protocol

from openclaw_memd.files.catalog import FileText, ListedFile, Skipped, SkipReason, Stamp
from openclaw_memd.index.origins import Attribution


@dataclass(frozen=True, slots=True)
class DocumentText(FileText):
    """The text of a document with what is known of its lines.

    ``days`` says when they were observed, as runs: (first line, day), from line 1 on, ascending. The state's
    hash is of all three.
    """

    attribution: Attribution
    days: tuple[tuple[int, date], ...]

    def day_of_lines(self, start_line: int, end_line: int) -> date | None:
        """The last day on which one of these lines was observed."""
        begin = bisect_right(self.days, start_line, key=itemgetter(0))
        end = bisect_right(self.days, end_line, key=itemgetter(0))
        return max((day for _, day in self.days[max(0, begin - 1) : end]), default=None)


class Documents(Protocol):
    """Documents under virtual paths of their own. No rule about files applies to them.

    Every method may block, so it is for worker threads that trio started; ``stamp`` answers at once.

    Raises:
        UnavailableError, DamagedError: the ledger cannot be read.
    """

    def list(self) -> tuple[ListedFile, ...]:
        """Every document there is now, with its stamp; nothing of what is left out may stay indexed."""
        ...

    def read(self, file: ListedFile) -> DocumentText | Skipped:
        """The document's text in its present state."""
        ...

    def stamp(self, file: ListedFile) -> Stamp | None:
        """What changes whenever the document does; None when it is gone."""
        ...


class _NoDocuments:
    """Where nothing but files is indexed."""

    def list(self) -> tuple[ListedFile, ...]:
        return ()

    def read(self, file: ListedFile) -> DocumentText | Skipped:
        return Skipped(file.path, SkipReason.VANISHED)

    def stamp(self, _file: ListedFile) -> Stamp | None:
        return None


NO_DOCUMENTS: Final[Documents] = _NoDocuments()
