"""The lines of a file as it was read, beside what the ledger knows of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final, TypeVar

from openclaw_memd.domain.line_hashes import BLANK, hash_line, hash_lines, hash_text, normalize_line
from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN
from openclaw_memd.errors import ConflictError, InvalidParamsError, NotFoundError
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index.ledger.lines import FileLines
from openclaw_memd.index.origins import Attribution, is_own

T = TypeVar("T")

MOST_LINES: Final = 64
"""A text that no write is known of is looked for up to this length: each is tried at each line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Lines of a file: by numbers, counted from 1 and inclusive, by the hash of their text, or all.

    The ``hash`` is that of a receipt: SHA-256 in hex of the lines, joined by line ends. Beside numbers it is
    that of the lines that were read, so that no others are taken for them.
    """

    start_line: int | None = None
    end_line: int | None = None
    hash: str | None = None


class ReadLines:
    """A file as it was read; ``content_hash`` is None when only its lines are known.

    ``hashes`` and ``texts`` are of the lines that are not blank.
    """

    def __init__(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> None:
        self.file = file
        self.path = file.path
        self.lines = lines
        self.content_hash = content_hash

    @cached_property
    def hashes(self) -> list[bytes]:
        """The hash of each line."""
        return hash_lines(self.lines)

    @cached_property
    def texts(self) -> list[str]:
        """Each line, normalised."""
        return [text for line in self.lines if (text := normalize_line(line))]

    @property
    def text_by_hash(self) -> Mapping[bytes, str]:
        """Each line by its hash."""
        return dict(zip(self.hashes, self.texts, strict=True))

    def by_hash(self, make: Callable[[str], T]) -> Callable[[bytes], T]:
        """``make`` of a line, by its hash."""
        texts = self.text_by_hash
        return lambda line_hash: make(texts[line_hash])

    def is_noted(self, known: Mapping[str, FileLines]) -> bool:
        """Whether the ledger speaks of this file's lines."""
        return is_own(self.file) or self.path in known

    def is_same(self, known: FileLines | None) -> bool:
        """Whether the lines are those that were attributed last."""
        if known is None:
            return False
        if self.content_hash is not None:
            return self.content_hash == known.content_hash
        return self.hashes == known.lines.hashes

    def show(self, known: FileLines | None) -> Attribution:
        """The runs over all lines; blank ones belong to the run above, at the start to the one below."""
        default = HANDWRITTEN if is_own(self.file) else FOREIGN
        if known is None:
            return Attribution(((1, default),))
        runs = known.lines.runs
        if len(runs) <= 1:
            return Attribution(((1, runs[0][1] if runs else default),))
        numbers = [number for number, line in enumerate(self.lines, 1) if line and not line.isspace()]
        return Attribution(((1, runs[0][1]), *((numbers[first], found) for first, found in runs[1:])))


def select_lines(read: ReadLines, selection: Selection, counts: Collection[int] = ()) -> list[int]:
    """The indexes, among the lines that are not blank, that are selected.

    ``counts`` are how many lines a text of the hash has, where that is known; else it may have up to
    ``MOST_LINES``.

    Raises:
        InvalidParamsError: the numbers are no lines of the file.
        NotFoundError: no lines have this hash.
        ConflictError: the lines of these numbers have another (``reason`` is ``changed``).
    """
    first, last = selection.start_line, selection.end_line
    if selection.hash is not None and first is None and last is None:
        numbers = _find_text(read.lines, selection.hash, counts)
        if not numbers:
            raise NotFoundError("no lines of the file have this hash", field="hash")
        places = [number for number, line in enumerate(read.lines) if hash_line(line) != BLANK]
        return [index for index, number in enumerate(places) if number in numbers]
    number = len(read.lines)
    if last is None:
        last = number if first is None else first
    first = 1 if first is None else first
    if not 1 <= first <= number:
        raise InvalidParamsError("must be a line of the file", field="start_line")
    if not first <= last <= number:
        raise InvalidParamsError("must be a line of the file, not before start_line", field="end_line")
    if selection.hash not in (None, hash_text("\n".join(read.lines[first - 1 : last]))):
        raise ConflictError("the lines were changed: read them again", reason="changed", field="hash")
    before = _count(read.lines[: first - 1])
    return list(range(before, before + _count(read.lines[first - 1 : last])))


def _count(lines: Sequence[str]) -> int:
    return sum(hash_line(line) != BLANK for line in lines)


def _find_text(lines: Sequence[str], wanted: str, counts: Collection[int]) -> set[int]:
    """The indexes of all lines that stand in a text of this hash."""
    sizes = frozenset(counts) or range(1, MOST_LINES + 1)
    longest = max(sizes)
    found: set[int] = set()
    for start in range(len(lines)):
        text = sha256()
        for end, line in enumerate(lines[start : start + longest], start + 1):
            text.update(("\n" + line if end > start + 1 else line).encode("utf-8", "surrogatepass"))
            if end - start in sizes and text.copy().hexdigest() == wanted:
                found.update(range(start, end))
    return found
