"""Which curated entries a message brings up."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import islice
from typing import Final, Literal

import trio

from openclaw_memd.config.sections import Inject
from openclaw_memd.curated.entries import CuratedEntry, CuratedState
from openclaw_memd.domain.eligibility import why_not
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.domain.text import Term
from openclaw_memd.domain.trigger_index import PhraseHit
from openclaw_memd.domain.triggers import score_match
from openclaw_memd.injection.trigger_entries import Snapshot, TriggerEntries
from openclaw_memd.injection.trigger_vectors import score_margin

Arm = Literal["lexical", "vector"]

MOST_CANDIDATES: Final = 32
"""How many entries a message is compared with closely: those with the best phrases, then the important."""

AT_ONCE: Final = 1_000
"""With so many entries a message is matched where it is: that takes a millisecond or two at most."""

RESERVE_S: Final = 0.02
"""How long before the deadline the embedder has to have answered. The rest takes a millisecond, but who is
woken late by a busy machine must not lose what the words have found."""


@dataclass(frozen=True, slots=True)
class TriggerHit:
    """An entry that a message brings up: by which ``phrase``, found by which arm.

    ``score`` and ``relevance`` are 0..1.
    """

    entry: CuratedEntry
    score: float
    phrase: str
    arm: Arm
    relevance: float


class Triggers:
    """Matches messages with the triggers of the curated files, by the settings of one agent.

    ``today`` is the date in the configured zone.
    """

    def __init__(self, entries: TriggerEntries, settings: Inject, today: Callable[[], date]) -> None:
        self._entries = entries
        self._settings = settings
        self._today = today
        self._threads = trio.CapacityLimiter(2)

    async def match(
        self,
        text: str,
        *,
        active_projects: Collection[str],
        deadline_at: float,
        state: CuratedState | None = None,
    ) -> tuple[TriggerHit, ...]:
        """The entries that the message ``text`` brings up, best first, as many as the settings allow.

        ``state`` are the curated files, where somebody looked at them for this message already. Words count
        at once; meaning counts as far as the embedder answers before ``deadline_at`` (in trio's time). Where
        the curated files cannot be told in time, it is what was last known and is still there.
        """
        message = spoken_text(text)
        if not message.strip() or not self._settings.trigger_entries:
            return ()
        snapshot = await self._entries.current(deadline_at, state)
        if snapshot is None or not snapshot.entries:
            return ()
        turn = _Turn(snapshot, message, frozenset(active_projects), self._today())
        hits: dict[int, TriggerHit] = {}
        if len(snapshot.entries) <= AT_ONCE:
            hits = turn.worded(self._settings.trigger_score)
        else:
            worded = partial(turn.worded, self._settings.trigger_score)
            with trio.move_on_at(deadline_at):
                hits = await trio.to_thread.run_sync(worded, abandon_on_cancel=True, limiter=self._threads)
        if self._entries.vectors.is_ready:
            near = {number: snapshot.texts[number] for number in turn.near_words(except_for=hits)}
            with trio.move_on_at(deadline_at - RESERVE_S):
                found = await self._entries.vectors.nearest(message, near)
                hits |= turn.meant(found, self._settings.trigger_score)
        best = sorted(hits.values(), key=_rank)
        if snapshot.version != self._entries.version:  # there was no time to take up the present one
            present = ((hit, self._entries.present(hit.entry)) for hit in best)
            still = (replace(hit, entry=entry) for hit, entry in present if entry is not None)
            return tuple(islice(still, self._settings.trigger_entries))
        return tuple(best[: self._settings.trigger_entries])


class _Turn:
    """One message against the entries as they are."""

    def __init__(
        self, snapshot: Snapshot, message: str, active_projects: Collection[str], today: date
    ) -> None:
        self._snapshot = snapshot
        self._message = message
        self._active_projects = active_projects
        self._today = today
        self._terms: Sequence[Term] | None = None

    def worded(self, least: float) -> dict[int, TriggerHit]:
        """The entries whose phrases are in the message."""
        found = self._snapshot.index.match(self._message)
        strong = {number: hit for number, hit in found.items() if score_match(hit.score, 1.0) >= least}
        return self._hits(strong, "lexical", least)

    def near_words(self, except_for: Collection[int]) -> list[int]:
        """The other entries that share a word with the message, the most important ones."""
        shared = self._snapshot.index.share_words(self._all_terms()).difference(except_for)
        return self._first_eligible(sorted(shared, key=lambda number: (-self._importance(number), number)))

    def meant(self, found: Mapping[int, tuple[float, str]], least: float) -> dict[int, TriggerHit]:
        """The entries whose phrases mean what the message means."""
        scores = {
            number: PhraseHit(score_margin(margin), phrase) for number, (margin, phrase) in found.items()
        }
        return self._hits({number: hit for number, hit in scores.items() if hit.score}, "vector", least)

    def _hits(self, found: Mapping[int, PhraseHit], arm: Arm, least: float) -> dict[int, TriggerHit]:
        best = sorted(found, key=lambda number: (-found[number].score, -self._importance(number), number))
        hits: dict[int, TriggerHit] = {}
        for number in self._first_eligible(best):
            relevance = self._snapshot.index.relevance(self._all_terms(), number)
            score = score_match(found[number].score, relevance)
            if score >= least:
                entry = self._snapshot.entries[number]
                hits[number] = TriggerHit(entry, score, found[number].phrase, arm, relevance)
        return hits

    def _first_eligible(self, numbers: Iterable[int]) -> list[int]:
        return list(islice(filter(self._is_eligible, numbers), MOST_CANDIDATES))

    def _is_eligible(self, number: int) -> bool:
        entry = self._snapshot.entries[number]
        return why_not(entry, active_projects=self._active_projects, today=self._today) is None

    def _importance(self, number: int) -> int:
        return self._snapshot.entries[number].entry.annotations.importance or 0

    def _all_terms(self) -> Sequence[Term]:
        if self._terms is None:
            self._terms = self._snapshot.index.terms(self._message)
        return self._terms


def _rank(hit: TriggerHit) -> tuple[float, int, str, int]:
    entry = hit.entry.entry
    return -hit.score, -(entry.annotations.importance or 0), hit.entry.file, entry.start_line
