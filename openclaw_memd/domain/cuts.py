"""Where a text that is over its budget is cut, and how far the next piece reaches back."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from openclaw_memd.domain.graphemes import splits_character
from openclaw_memd.domain.tokens import fit_backward, fit_forward

_BLANK_LINES = re.compile(r"\s*\n")
_WORD_START = re.compile(r"(?<=\s)\S")


def cut_pieces(
    text: str, start: int, end: int, borders: Sequence[Sequence[int]], *, budget: int, overlap: int
) -> Iterator[tuple[int, int]]:
    """Cut ``text[start:end]`` into pieces ``(start, end)`` that together hold all that is not blank.

    No piece is over the budget. A cut is put in its last quarter: at one of the ``borders`` (lists of
    ascending offsets of line starts, the best list first), else at a line start, else behind a blank; if
    there is none of them, as late as possible, and between characters as readers see them where that can be.
    The next piece repeats at most ``overlap`` of this one, from a line start, else a word start, else
    wherever that reaches. Starts and ends of pieces ascend. ``budget`` and ``overlap`` are weights (see
    ``tokens``), with room in the budget for any character beside the overlap.
    """
    position = done = start
    while done < end:
        position = _skip_blank_lines(text, position, end)
        done = max(done, position)
        limit = fit_forward(text, position, end, budget)
        if limit == end:
            cut = end
        else:
            near = fit_forward(text, position, limit, budget * 3 // 4)
            cut = _readable_cut(text, max(near, done + 1), limit, borders) or _character_cut(
                text, done + 1, limit
            )
            if cut == 0 and position < done:
                position = done  # a character longer than what the overlap leaves of the budget
                continue
            cut = cut or limit
        piece_end = position + len(text[position:cut].rstrip())
        if piece_end > done:
            yield position, piece_end
        done = cut
        position = _reach_back(text, position + 1, cut, overlap)


def _skip_blank_lines(text: str, start: int, end: int) -> int:
    match = _BLANK_LINES.match(text, start, end)
    return match.end() if match else start


def _readable_cut(text: str, lowest: int, limit: int, borders: Sequence[Sequence[int]]) -> int:
    """The best cut from ``lowest`` to just behind a blank at ``limit``; 0 when there is none."""
    for offsets in borders:
        index = bisect_right(offsets, limit + 1) - 1
        if index >= 0 and offsets[index] >= lowest:
            return offsets[index]
    for blank in ("\n", " "):
        found = text.rfind(blank, lowest - 1, limit + 1)
        if found >= 0:
            return found + 1
    return 0


def _character_cut(text: str, lowest: int, limit: int) -> int:
    """The latest cut from ``lowest`` to ``limit`` that parts no character; 0 when each of them does."""
    for cut in range(limit, lowest - 1, -1):
        if not splits_character(text, cut):
            return cut
    return 0


def _reach_back(text: str, lowest: int, cut: int, overlap: int) -> int:
    start = fit_backward(text, lowest, cut, overlap)
    if start >= cut:
        return cut
    line_end = text.find("\n", start - 1, cut)
    if line_end >= 0 and not text[line_end + 1 : cut].isspace() and line_end + 1 < cut:
        return line_end + 1
    word = _WORD_START.search(text, start, cut)
    if word:
        return word.start()
    while start < cut and splits_character(text, start):
        start += 1
    return start
