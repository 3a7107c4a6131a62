"""Aspirations that are over are marked as superseded where they stand, so that nobody loses them. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from openclaw_memd.domain.annotations import Annotations
from openclaw_memd.domain.curated_plan import mark_superseded
from openclaw_memd.domain.markdown import Entry, parse_entries


@dataclass(frozen=True, slots=True)
class Retired:
    """A file after aspirations in it were retired: ``entries`` are their texts before.

    ``added`` has the lines that are new, with the entry that each belongs to.
    """

    text: str
    entries: tuple[str, ...]
    added: tuple[tuple[str, str], ...]


def is_over(said: Annotations, today: date) -> bool:
    """Whether an entry is an aspiration, which has a date of review, and expired before ``today``."""
    return (
        said.review is not None
        and said.expires is not None
        and said.expires < today
        and said.status != "superseded"
    )


def retire(text: str, today: date, trusted: Collection[str]) -> Retired | None:
    """``text`` with the aspirations marked that are over; None when there are none.

    ``trusted`` are the texts of entries that somebody vouches for; no other is touched. One that cannot be
    marked such that it and all others stay entries is left alone.
    """
    retired: list[str] = []
    added: list[tuple[str, str]] = []
    for entry in reversed(parse_entries(text)):
        if not is_over(entry.annotations, today) or entry.text not in trusted:
            continue
        lines = mark_superseded(entry.text)
        marked = text[: entry.start] + "\n".join(lines) + text[entry.end :]
        if _marks_only(text, marked, entry):
            before = entry.text.split("\n")
            added += [(line, entry.text) for line in lines if line not in before]
            retired.append(entry.text)
            text = marked
    return Retired(text, tuple(reversed(retired)), tuple(added)) if retired else None


def _marks_only(before: str, after: str, entry: Entry) -> bool:
    """Whether all other entries are what they were, and this one says that it is superseded."""
    old, new = parse_entries(before), parse_entries(after)
    index = old.index(entry)
    others = [one.text for one in new[:index]] + [one.text for one in new[index + 1 :]]
    return (
        len(old) == len(new)
        and others == [one.text for one in old[:index]] + [one.text for one in old[index + 1 :]]
        and new[index].annotations.status == "superseded"
    )
