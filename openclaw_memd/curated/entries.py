"""The entries of the curated files as they are on disk, with who is behind each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.provenance import Provenance


@dataclass(frozen=True, slots=True)
class CuratedEntry:
    """One memory of a curated file, under the headings that somebody vouches for.

    ``provenance`` is that of its least trusted line; ``observed_on`` the date that it was noted: its own
    ``observed`` annotation, else that of its record, else None.
    """

    file: str
    entry: Entry
    provenance: Provenance
    observed_on: date | None

    @property
    def citation(self) -> str:
        """Where it stands, as ``MEMORY.md#L3-L5``."""
        first, last = self.entry.start_line, self.entry.end_line
        return f"{self.file}#L{first}" if first == last else f"{self.file}#L{first}-L{last}"


@dataclass(frozen=True, slots=True)
class CuratedText:
    """One curated file as it was read: ``text`` with ``\\n`` line ends and no byte order mark.

    ``hash`` is SHA-256 of the file's bytes in lower-case hex. ``unvouched`` are the lines, counted from 1,
    that come from outside or from the system, those in no entry as well.
    """

    file: str
    text: str
    hash: str
    entries: tuple[CuratedEntry, ...]
    unvouched: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class CuratedState:
    """Both curated files at one time; one that is missing or unreadable is not in ``files``.

    ``problems`` has, by file, why it cannot be read (its skip reason), or that the ledger cannot tell who is
    behind it; also of a file that is in ``files``: ``hard_link`` when it has a second name, ``changing`` when
    it is written to all the time and shown as it was.
    ``version`` grows with every change; 0 is before the first look, and a negative one is of what is left of
    files that changed while it is not known who is behind the change.
    """

    version: int
    files: Mapping[str, CuratedText]
    problems: Mapping[str, str]

    @property
    def is_in_doubt(self) -> bool:
        """Whether something of the files is left out because it cannot be told who is behind it yet."""
        return self.version < 0
