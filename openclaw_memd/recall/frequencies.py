"""How many chunks hold each word, remembered until the index changes: counting frequent ones is slow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.counters import read_generation
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.recall.query import Statistics

KEPT_FORMS: Final = 8_192  # and those of one more query


@dataclass(frozen=True, slots=True)
class _Counts:
    """What was counted in one state of the index, by tier and form."""

    version: tuple[int, int]
    forms: dict[tuple[TrustTier, str], int] = field(default_factory=dict)


class Frequencies:
    """Document frequencies of one index. ``epoch`` tells which file the index is in.

    Several threads may read at once: each works on the counts of the state that its connection sees.
    """

    def __init__(self, epoch: Callable[[], int]) -> None:
        self._epoch = epoch
        self._counts = _Counts((-1, -1))

    def __len__(self) -> int:
        """How many counts are remembered."""
        return len(self._counts.forms)

    def read(self, connection: Connection, tiers: Iterable[TrustTier], forms: Sequence[str]) -> Statistics:
        """In how many of the chunks of all ``tiers`` together each form occurs."""
        known = self._counts_of((self._epoch(), read_generation(connection)))
        chunks = 0
        frequencies = dict.fromkeys(forms, 0)
        for tier in tiers:
            chunks += readers.chunk_count(connection, tier)
            lacking = [form for form in forms if (tier, form) not in known]
            counted = readers.document_frequency(connection, tier, lacking)
            known.update(((tier, form), count) for form, count in counted.items())
            for form in forms:
                frequencies[form] += known[tier, form]
        return Statistics(chunks, frequencies)

    def _counts_of(self, version: tuple[int, int]) -> dict[tuple[TrustTier, str], int]:
        counts = self._counts
        if counts.version != version or len(counts.forms) > KEPT_FORMS:
            counts = self._counts = _Counts(version)
        return counts.forms
