"""Holding drafts against the files as they are now: whole lines, right numbers, nothing that is gone."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from openclaw_memd.domain.passages import PASSAGE_CHARS
from openclaw_memd.files.catalog import FileText, Skipped, SkipReason
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.rows import FileRow
from openclaw_memd.recall.drafts import Draft

MARGIN_CHARS: Final = PASSAGE_CHARS
"""How much of a long line is shown to each side of the part that was found: a hit never has more of it."""


class LiveFiles:
    """The files of one search as they are now. ``find`` gives the indexed files of paths. Blocking.

    A file is read only when it changed since it was indexed, or when a line is part of a longer one.
    ``could_not_read`` says that one of them is there and cannot be read now: what it holds was left out.
    """

    def __init__(self, corpus: Corpus, find: Callable[[Collection[str]], Mapping[str, FileRow]]) -> None:
        self._corpus = corpus
        self._find = find
        self._known: dict[str, _Known | None] = {}
        self._lines: dict[str, list[str] | None] = {}
        self.could_not_read = False

    def settle(self, drafts: Sequence[Draft]) -> list[Draft | None]:
        """Each draft as its file is now; None for one whose text is gone."""
        unknown = {draft.row.path for draft in drafts}.difference(self._known)
        rows = self._find(unknown)
        for path in unknown:
            row = rows.get(path)
            known = None if row is None else _Known(row, self._corpus.holds(row.file, row.state))
            self._known[path] = known
        return [self._settle(draft) for draft in drafts]

    def _settle(self, draft: Draft) -> Draft | None:
        """The draft with whole lines at their places; None when its text is gone.

        Where lines around the best one were edited, that one is shown alone.
        """
        path = draft.row.path
        known = self._known[path]
        if known is None:
            return None
        if known.is_unchanged and not _is_to_be_completed(draft):
            return draft
        if path not in self._lines:
            read = self._corpus.read(known.row.file)
            self._lines[path] = read.text.split("\n") if isinstance(read, FileText) else None
            self.could_not_read |= isinstance(read, Skipped) and read.reason is SkipReason.UNREADABLE
        lines = self._lines[path]
        return None if lines is None else _locate(draft, lines) or _locate_best(draft, lines)


@dataclass(frozen=True, slots=True)
class _Known:
    """An indexed file, and whether it still is as it was when it was indexed."""

    row: FileRow
    is_unchanged: bool


def _is_to_be_completed(draft: Draft) -> bool:
    """Whether lines of it are parts; one that is too long alone is shown in part anyway."""
    return any(draft.edges) and len(draft.lines[draft.best]) <= PASSAGE_CHARS


def _locate(draft: Draft, lines: Sequence[str]) -> Draft | None:
    """The draft with the whole lines that hold its text: at its own place, else where its text is first."""
    if _stands_at(draft, lines, draft.start_line - 1):
        return _whole(draft, lines, draft.start_line - 1)
    for place in range(len(lines) - len(draft.lines) + 1):
        if _stands_at(draft, lines, place):
            return _whole(draft, lines, place)
    return None


def _locate_best(draft: Draft, lines: Sequence[str]) -> Draft | None:
    """The best line alone, where only lines around it were edited: the one that is nearest to its place."""
    best, before = draft.lines[draft.best], draft.start_line - 1 + draft.best
    places = [place for place, line in enumerate(lines) if line == best]
    if not places:
        return None
    place = min(places, key=lambda place: abs(place - before))
    return replace(draft.with_lines(place + 1, [best], 0), exact=draft.path_rank > 0)


def _stands_at(draft: Draft, lines: Sequence[str], place: int) -> bool:
    there = lines[place : place + len(draft.lines)]
    if len(there) < len(draft.lines):
        return False
    last = len(draft.lines) - 1
    for index, (whole, part) in enumerate(zip(there, draft.lines, strict=True)):
        opens = index == 0 and draft.edges[0]
        ends = index == last and draft.edges[1]
        matches = (
            part in whole
            if opens and ends
            else whole.endswith(part)
            if opens
            else whole.startswith(part)
            if ends
            else whole == part
        )
        if not matches:
            return False
    return True


def _whole(draft: Draft, lines: Sequence[str], place: int) -> Draft:
    """With whole lines; one that grew is left out when the passage would be too long with it."""
    if len(draft.lines[draft.best]) > PASSAGE_CHARS:
        return draft.with_lines(place + 1, draft.lines, draft.best)
    first, stop, best = place, place + len(draft.lines), place + draft.best
    if _is_too_long(lines[first:stop]) and draft.edges[0] and first < best:
        first += 1
    if _is_too_long(lines[first:stop]) and draft.edges[1] and best < stop - 1:
        stop -= 1
    if _is_too_long(lines[first:stop]):
        return draft.with_lines(best + 1, [_near(draft, lines[best])], 0)
    return draft.with_lines(first + 1, lines[first:stop], best - first)


def _near(draft: Draft, line: str) -> str:
    """The whole line of the best one, or what is near the part that was found, where that line is long.

    A line may be as long as a file, and every hit would be looked through from its start.
    """
    part = draft.lines[draft.best]
    if len(line) <= len(part) + 2 * MARGIN_CHARS:
        return line
    opens = draft.best == 0 and draft.edges[0]
    place = line.rfind(part) if opens else line.find(part)
    start, stop = max(0, place - MARGIN_CHARS), place + len(part) + MARGIN_CHARS
    if start:
        start = line.find(" ", start, place) + 1 or start
    return line[start:stop]


def _is_too_long(lines: Sequence[str]) -> bool:
    return sum(map(len, lines)) + len(lines) - 1 > PASSAGE_CHARS
