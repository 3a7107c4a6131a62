"""What is asked of the write path and what it answers; the answers have the contract's field names."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from openclaw_memd.domain.flush_plan import SILENT_TOKEN, FlushReason
from openclaw_memd.domain.provenance import Origin, Provenance, join
from openclaw_memd.index.ledger.appends import AppendRow


@dataclass(frozen=True, slots=True)
class AppendedPart:
    """A text in one file. Lines, from 1 and both included, are None as long as it is spooled.

    ``hash`` is SHA-256 of the text without its last line end, in hex.
    """

    path: str
    start_line: int | None
    end_line: int | None
    origin: Origin
    hash: str
    spooled: bool


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of an accepted text.

    A flush may go to two files: ``parts`` has each, trusted text first; the fields beside it are those of the
    first, but ``origin`` is the least trusted and ``spooled`` says that some part waits to be written.
    ``appended`` is false when nothing was added, since the text was in the cycle already or said that there
    is nothing to save. ``repeated`` tells that the request key was known.
    """

    path: str
    start_line: int | None
    end_line: int | None
    origin: Origin
    hash: str
    appended: bool
    spooled: bool
    parts: tuple[AppendedPart, ...]
    repeated: bool = False


CapturedLine = tuple[str, Provenance]
"""A line of a note without its end, and who is behind it."""


@dataclass(frozen=True, slots=True)
class CapturedNote:
    """What is to be noted of a conversation: of ``day`` and ``slug``, ``untrusted`` lines in a file apart.

    Each of the two holds the whole text of its file after ``heading``; one that is empty is not written. The
    same ``key`` is the same note: it is written once.
    """

    key: str
    day: date
    slug: str
    heading: str
    trusted: Sequence[CapturedLine]
    untrusted: Sequence[CapturedLine]


@dataclass(frozen=True, slots=True)
class FlushPlan:
    """Whether to flush, and how. ``path`` is where trusted text of the cycle goes."""

    due: bool
    reason: FlushReason
    path: str
    system_prompt: str
    prompt: str
    model: str | None
    silent_token: str = SILENT_TOKEN
    append_only: bool = True


@dataclass(frozen=True, slots=True)
class Observed:
    """The origin that the reported change counts as."""

    origin: Origin


@dataclass(frozen=True, slots=True)
class NoteLimits:
    """Sizes in bytes: of one text, and of a file that the index still reads.

    ``spool_*`` bound what waits to be written, trusted texts and others each by themselves.
    """

    note_bytes: int = 65_536
    file_bytes: int = 4_194_304
    spool_texts: int = 1_000
    spool_bytes: int = 16 * 1024 * 1024


DEFAULT_LIMITS = NoteLimits()


def answer_from(rows: Sequence[AppendRow], *, appended: bool) -> Appended:
    """The answer for a call whose texts are ``rows``."""
    parts = tuple(
        AppendedPart(row.path, row.start_line, row.end_line, row.origin, row.text_hash, not row.is_written)
        for row in rows
    )
    first = parts[0]
    return Appended(
        path=first.path,
        start_line=first.start_line,
        end_line=first.end_line,
        origin=join(*(part.origin for part in parts)),
        hash=first.hash,
        appended=appended,
        spooled=any(part.spooled for part in parts),
        parts=parts,
    )
