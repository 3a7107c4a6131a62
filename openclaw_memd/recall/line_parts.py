"""Parts of one line that is too long for a chunk: they overlap, so two may be found by the same word."""

from collections.abc import Callable, Sequence

from openclaw_memd.recall.drafts import Draft


def drop_repeats(drafts: Sequence[Draft], matches: Callable[[str], bool]) -> list[Draft]:
    """``drafts``, best first, without parts that have words of the query only where better ones have them.

    ``matches`` tells whether a text has a word of the query.
    """
    kept: list[Draft] = []
    parts: list[Draft] = []
    for draft in drafts:
        if _is_part(draft):
            if any(_repeats(draft, other, matches) for other in parts):
                continue
            parts.append(draft)
        kept.append(draft)
    return kept


def _repeats(draft: Draft, other: Draft, matches: Callable[[str], bool]) -> bool:
    if not (draft.worded and _are_neighbours(draft, other)):
        return False
    own, beside = draft.lines[draft.best], other.lines[other.best]
    if draft.row.ordinal > other.row.ordinal:
        rest = own[_overlap(beside, own) :]
    else:
        rest = own[: len(own) - _overlap(own, beside)]
    return len(rest) < len(own) and not matches(rest)


def _is_part(draft: Draft) -> bool:
    """Whether the best line is a part of a longer one."""
    cut_start, cut_end = draft.edges
    return (cut_start and draft.best == 0) or (cut_end and draft.best == len(draft.lines) - 1)


def _are_neighbours(one: Draft, other: Draft) -> bool:
    return (
        one.row.path == other.row.path
        and abs(one.row.ordinal - other.row.ordinal) == 1
        and one.start_line + one.best == other.start_line + other.best
    )


def _overlap(earlier: str, later: str) -> int:
    """How many characters at the end of ``earlier`` begin ``later``, the most."""
    most = min(len(earlier), len(later))
    return next((size for size in range(most, 0, -1) if earlier.endswith(later[:size])), 0)
