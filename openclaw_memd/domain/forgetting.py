"""What of a text is to be forgotten: whole entries, single lines, and headings that nothing is left under."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from typing import Self

from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.fences import opening_fence
from openclaw_memd.domain.gaps import close_gaps
from openclaw_memd.domain.generated_sections import is_generated_title
from openclaw_memd.domain.line_hashes import BLANK, hash_line
from openclaw_memd.domain.lines import split_lines
from openclaw_memd.domain.markdown import Span, read_spans
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.errors import InvalidParamsError

SessionName = tuple[str, str]
"""The agent and the id of a session."""


@dataclass(frozen=True, slots=True)
class Selectors:
    """What a caller wants to be forgotten: whatever one of them takes, as far as it is from ``since`` on.

    ``paths`` are of memory files, or of folders when they end with ``/``. ``participant`` stands for every
    session in which that sender wrote. ``since`` alone stands for everything that was recorded from then on;
    a date begins at midnight.
    """

    session_ids: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    query: str | None = None
    participant: str | None = None
    since: date | datetime | None = None

    def check(self) -> Self:
        """Itself.

        Raises:
            InvalidParamsError: nothing is selected.
        """
        if not (self.session_ids or self.paths or self.query or self.participant or self.since):
            raise InvalidParamsError("nothing is selected", field="session_ids", reason="missing")
        return self


@dataclass(frozen=True, slots=True)
class LineRecord:
    """Up to ``count`` equal lines of a file that were recorded: by which session, when.

    ``is_told`` says that a call wrote or reported them, ``is_own`` that memd itself wrote them.
    """

    hash: bytes
    count: int
    session: SessionName | None
    recorded_at: datetime
    is_told: bool
    is_own: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to go. Nothing in it is a file's path: ``is_whole`` says that the whole text is meant.

    ``entries`` are hashes of the first lines of entries that go whoever wrote them, and whenever.
    """

    sessions: frozenset[SessionName] = frozenset()
    terms: tuple[Term, ...] = ()
    since: datetime | None = None
    since_day: date | None = None
    is_everything: bool = False
    is_whole: bool = False
    entries: frozenset[bytes] = frozenset()

    def whole(self) -> Self:
        """The same of a text that is meant as a whole."""
        return replace(self, is_whole=True)

    def is_recent(self, at: datetime | None, day: date | None) -> bool:
        """Whether something from ``at``, or if that is not known from ``day``, is new enough.

        What has no date that is known is older than any.
        """
        if self.since is None or self.since_day is None:
            return True
        if at is not None:
            return at >= self.since
        return day is not None and day >= self.since_day

    def takes_line(self, record: LineRecord | None, day: date | None) -> bool:
        """Whether a line goes for what was recorded of it."""
        at = None if record is None else record.recorded_at
        if not self.is_recent(at, day):
            return False
        if self.is_whole:
            return True
        if record is None:
            return False
        return record.session in self.sessions or (self.is_everything and record.is_told)

    def takes_text(self, text: str, analyzer: Analyzer) -> bool:
        """Whether a text holds every term of the query."""
        return bool(self.terms) and holds_terms(text, self.terms, analyzer)


@dataclass(frozen=True, slots=True)
class Cut:
    """A text without what was to go.

    ``removed`` are the lines that went, without blank ones, and ``numbers`` their numbers, from 1. ``mixed``
    are the numbers of lines whose entry lost lines and stays all the same, since it begins with a line of
    somebody else; ``headings`` those of headings that hold the query and stay, since what is under them does
    not. ``is_empty``: nothing is left but the file's own title.
    """

    text: str
    removed: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    mixed: tuple[int, ...] = ()
    headings: tuple[int, ...] = ()
    is_empty: bool = False

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """Hashes of the lines that went."""
        return tuple(hash_line(line) for line in self.removed)


def holds_terms(text: str, terms: Iterable[Term], analyzer: Analyzer) -> bool:
    """Whether every one of ``terms`` occurs in ``text``."""
    padded = f" {analyzer.index_line(text)} "
    return all(
        any((f" {form}" if term.prefix else f" {form} ") in padded for form in term.forms) for term in terms
    )


def cut_text(
    text: str, records: Sequence[LineRecord], wanted: Wanted, analyzer: Analyzer, day: date | None
) -> Cut:
    """``text`` without what is ``wanted``; ``records`` are of its lines, oldest first, ``day`` dates them.

    An entry goes whole, with its comments and all that belongs to it, when its first line does or when it
    holds the query. Of another one single lines go, but no fences of code, which would set free what is
    between them. A heading goes with its line; the one that memd begins a file with, one that it wrote for
    somebody else and one that holds the query go when nothing is left under them.
    """
    lines = split_lines(text).texts
    owners = assign_records(lines, records)
    marked = _Marks(lines, owners, wanted, analyzer, day)
    gone = marked.mark()
    headings = tuple(sorted(marked.headings))
    if not gone:
        return Cut(text, headings=headings)
    left = [index for index, line in enumerate(lines) if index not in gone and line.strip()]
    removed = [index for index in sorted(gone) if lines[index].strip()]
    return Cut(
        close_gaps(text, gone, marked.entries),
        removed=tuple(lines[index] for index in removed),
        numbers=tuple(index + 1 for index in removed),
        mixed=tuple(marked.mixed),
        headings=headings,
        is_empty=not left or (len(left) == 1 and left[0] in marked.titles),
    )


def assign_records(lines: Sequence[str], records: Sequence[LineRecord]) -> list[LineRecord | None]:
    """For each line the record that it is, None for one that nobody recorded.

    Equal lines stand in the order in which they were recorded, since notes only grow.
    """
    waiting: dict[bytes, deque[tuple[LineRecord, int]]] = defaultdict(deque)
    for record in records:
        if record.count > 0:
            waiting[record.hash].append((record, record.count))
    found: list[LineRecord | None] = []
    for line in lines if waiting else ():
        line_hash = hash_line(line)
        queue = waiting.get(line_hash) if line_hash != BLANK else None
        if not queue:
            found.append(None)
            continue
        record, left = queue.popleft()
        if left > 1:
            queue.appendleft((record, left - 1))
        found.append(record)
    return found or [None] * len(lines)


class _Marks:
    """One pass over the entries of a text, then one back over its headings."""

    def __init__(
        self,
        lines: Sequence[str],
        owners: Sequence[LineRecord | None],
        wanted: Wanted,
        analyzer: Analyzer,
        day: date | None,
    ) -> None:
        self._lines = lines
        self._owners = owners
        self._wanted = wanted
        self._analyzer = analyzer
        self._day = day
        self._gone: set[int] = set()
        self.mixed: list[int] = []
        self.headings: list[int] = []
        self.titles: set[int] = set()
        self.entries: list[tuple[int, int]] = []

    def mark(self) -> set[int]:
        """The indexes of the lines that go."""
        spans = read_spans(self._lines)
        for span in spans:
            self.entries.append((span.first, span.last))
            if span.kind == "heading":
                if _level(self._lines, span) == 1 and span.first == span.last:
                    self.titles.add(span.first)
            elif self._goes_whole(span):
                self._gone.update(range(span.first, span.last + 1))
            else:
                self._mark_single(span)
        self._mark_headings(spans)
        return self._gone

    def _goes_whole(self, span: Span) -> bool:
        inside = range(span.first, span.last + 1)
        head = next((index for index in inside if not is_comment_line(self._lines[index])), span.first)
        is_named = bool(self._wanted.entries) and hash_line(self._lines[head]) in self._wanted.entries
        return is_named or self._takes(head) or self._holds(span, head)

    def _holds(self, span: Span, head: int | None = None) -> bool:
        """Whether it holds the query, and its ``head``, or first line, is new enough."""
        owner = self._owners[span.first if head is None else head]
        at = None if owner is None else owner.recorded_at
        return self._wanted.is_recent(at, self._day) and self._wanted.takes_text(
            "\n".join(self._lines[span.first : span.last + 1]), self._analyzer
        )

    def _mark_single(self, span: Span) -> None:
        some = [
            index
            for index in range(span.first, span.last + 1)
            if self._lines[index].strip() and self._takes(index) and opening_fence(self._lines[index]) is None
        ]
        if some:
            self._gone.update(some)
            self.mixed.append(span.first + 1)

    def _mark_headings(self, spans: Sequence[Span]) -> None:
        """From the last heading to the first, so that one goes with those that it holds."""
        for number in range(len(spans) - 1, -1, -1):
            span = spans[number]
            if span.kind != "heading":
                continue
            below = list(_section(self._lines, spans, number))
            is_empty = all(
                index in self._gone or not self._lines[index].strip() for index in _lines_of(below)
            )
            owner = self._owners[span.first]
            is_own = owner is not None and owner.is_own
            holds = self._holds(span)
            if is_empty:
                is_machines = is_own or is_generated_title(self._lines[span.first])
                goes = self._takes(span.first) or holds or (bool(below) and is_machines)
            else:
                goes = self._takes(span.first) and not (is_own and number == 0)
            if goes:
                self._gone.update(range(span.first, span.last + 1))
            elif holds:
                self.headings.append(span.first + 1)

    def _takes(self, index: int) -> bool:
        return self._wanted.takes_line(self._owners[index], self._day)


def _lines_of(spans: Iterable[Span]) -> Iterator[int]:
    return chain.from_iterable(range(span.first, span.last + 1) for span in spans)


def _section(lines: Sequence[str], spans: Sequence[Span], number: int) -> Iterator[Span]:
    level = _level(lines, spans[number])
    for span in spans[number + 1 :]:
        if span.kind == "heading" and _level(lines, span) <= level:
            return
        yield span


def _level(lines: Sequence[str], heading: Span) -> int:
    if heading.first != heading.last:
        return 1 if lines[heading.last].lstrip().startswith("=") else 2
    line = lines[heading.first].lstrip()
    return len(line) - len(line.lstrip("#"))
