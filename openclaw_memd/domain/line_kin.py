"""Which recorded lines a line of a file is kin to: what it was edited or copied from.

A line is kin to one that says nearly the same, in this file or, if that is outside text, anywhere. It is kin
to outside text that vanished from its place when it has most of its words; wherever that is, when it holds
all of it or a good part of it, also in a comment or together with the lines around it. What a line says is
what counts: annotations and other comments, tags, link targets and emphasis do not (see ``read_saying``).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from openclaw_memd.domain.likeness import MOST_JOINED, is_copy, is_edit, wraps
from openclaw_memd.domain.places import Places
from openclaw_memd.domain.records import Record, pick
from openclaw_memd.domain.sayings import read_asides
from openclaw_memd.domain.sketches import Sketch, near_duplicate_sketches

LEAST_WORDS: Final = 3
"""From so many words on the text of a line tells where it comes from, wherever it is."""


class Alike(NamedTuple):
    """A record, and the sketch of its line."""

    record: Record
    sketch: Sketch


@dataclass(frozen=True, slots=True)
class LineReader:
    """What is read out of the text of a line: its sketch, and the records of lines like it.

    ``find_alike`` gives the records of lines that have much in common with a text; it is None when nothing
    was recorded that a line could be kin to. ``recorded`` gives the sketches of recorded lines by their
    hashes, as far as they have any.
    """

    sketch: Callable[[str], Sketch]
    find_alike: Callable[[str], Sequence[Alike]] | None
    recorded: Callable[[Collection[bytes]], Mapping[bytes, Sketch]]


class LineKin:
    """The kin of lines of the file at ``path``, whose lines were ``before`` and are ``now``, as hashes.

    ``lost`` are records of lines that vanished from it by this change.
    """

    def __init__(
        self,
        path: str,
        text_at: Callable[[int], str],
        *,
        before: Sequence[bytes] = (),
        now: Sequence[bytes],
        lost: Sequence[Record] = (),
        reader: LineReader,
    ) -> None:
        self._path = path
        self._text_at = text_at
        self._before = before
        self._now = now
        self._lost = lost
        self._reader = reader
        self._alike: dict[int, Sequence[Alike]] = {}

    def find(self, index: int) -> Record | None:
        """The record that says who is behind a line of the file; None when it is kin to nothing recorded."""
        return self._find_near(index) or self._find_replaced(index) or self._find_held(index)

    def _find_near(self, index: int) -> Record | None:
        """What says nearly the same."""
        wanted = self._sketch(index)
        found = [
            record
            for record, sketch in self._alike_at(index)
            if (_is_followed(record) or (record.path == self._path and record.words and record.vanished))
            and near_duplicate_sketches(wanted, sketch)
        ]
        # What was edited here is nearer to this line than what the owner decided about one like it.
        return _pick_edited(one for one in found if one.path == self._path and one.vanished) or pick(found)

    def _find_replaced(self, index: int) -> Record | None:
        """What this line took the place of."""
        wanted = self._sketch(index)
        found = [
            record
            for record, sketch in self._lost_alike
            if record.vanished
            and (is_edit if record.is_outside else is_copy)(wanted, sketch)
            and self._places.are_near(record.hash, index)
        ]
        return _pick_edited(found) or pick(found)

    def _find_held(self, index: int) -> Record | None:
        """Outside text that this line holds, or holds together with those around it."""
        held = pick(_find_copied(self._sketch(index), self._alike_at(index)))
        aside = read_asides(self._text_at(index))
        if held is None and aside:
            held = pick(_find_copied(self._reader.sketch(aside), self._find_alike(aside)))
        return held or pick(self._find_wrapped(index))

    def _find_wrapped(self, index: int) -> Iterator[Record]:
        first = max(0, index - MOST_JOINED + 1)
        near = range(first, min(len(self._now), index + MOST_JOINED))
        alike = {
            one.record.hash: one for at in near for one in self._alike_at(at) if _is_followed(one.record)
        }
        texts = [self._text_at(at) for at in near] if alike else []
        for record, sketch in alike.values():
            if wraps(texts, index - first, sketch, self._reader.sketch):
                yield record

    def _alike_at(self, index: int) -> Sequence[Alike]:
        found = self._alike.get(index)
        if found is None:
            found = self._alike[index] = self._find_alike(self._text_at(index))
        return found

    def _find_alike(self, text: str) -> Sequence[Alike]:
        return () if self._reader.find_alike is None else self._reader.find_alike(text)

    def _sketch(self, index: int) -> Sketch:
        return self._reader.sketch(self._text_at(index))

    @cached_property
    def _lost_alike(self) -> Sequence[Alike]:
        wanted = [record for record in self._lost if record.is_outside or record.decided]
        sketches = self._reader.recorded({record.hash for record in wanted}) if wanted else {}
        return [Alike(record, sketches[record.hash]) for record in wanted if record.hash in sketches]

    @cached_property
    def _places(self) -> Places:
        return Places(self._before, self._now)


def _find_copied(wanted: Sketch, alike: Sequence[Alike]) -> Iterator[Record]:
    return (record for record, sketch in alike if _is_followed(record) and is_copy(wanted, sketch))


def _is_followed(record: Record) -> bool:
    """Whether it is of outside text that is outside text wherever it is copied to."""
    return record.is_outside and record.words >= LEAST_WORDS


def _pick_edited(records: Iterable[Record]) -> Record | None:
    return pick(records, lambda record: record.is_outside and not record.decided)
