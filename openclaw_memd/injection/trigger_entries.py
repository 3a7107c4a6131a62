"""The curated entries of a workspace that have triggers, as they are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedEntry, CuratedState
from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.curated_files import MOST_ENTRIES
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.trigger_index import TriggerIndex, TriggerText
from openclaw_memd.index.rows import join_heading
from openclaw_memd.injection.trigger_vectors import TriggerVectors, wanted_texts
from openclaw_memd.interpreter import made_to_last

SHARE: Final = 0.8
"""How much of a message's time the entries are waited for; the match takes the rest."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entries of one ``version`` of the curated files, their texts, and an index of these."""

    version: int
    entries: Sequence[CuratedEntry]
    texts: Sequence[TriggerText]
    index: TriggerIndex


class TriggerEntries:
    """Keeps an index of the entries like the files, and tells ``vectors`` of them."""

    def __init__(self, core: CuratedCore, analyzer: Analyzer, vectors: TriggerVectors) -> None:
        self.vectors = vectors
        self._core = core
        self._analyzer = analyzer
        self._stems = Stems(analyzer.languages)
        self._snapshot: Snapshot | None = None
        self._standing: tuple[int, Mapping[tuple[str, str], CuratedEntry]] = (0, {})
        self._turn = trio.Lock()
        self._changed = trio.Event()

    @property
    def version(self) -> int:
        """The version of the curated files as far as they may be shown now."""
        return self._core.sure.version

    def note_changed(self, _before: CuratedState, _now: CuratedState) -> None:
        """Hear that the curated files changed."""
        self._changed.set()

    async def current(self, deadline_at: float, state: CuratedState | None = None) -> Snapshot | None:
        """The entries as they are now, or in ``state``, if it was looked for before.

        When that cannot be told by ``deadline_at`` (in trio's time), it is how they were last known: whoever
        gets another ``version`` than the present one asks of each whether it is ``present``.
        """
        now = trio.current_time()
        until_at = now + SHARE * (deadline_at - now)
        if state is None:
            state = await self._core.refresh(until_at)
        if not state.is_in_doubt:
            with trio.move_on_at(until_at):
                return await self._of(state)
        return self._snapshot

    def present(self, entry: CuratedEntry) -> CuratedEntry | None:
        """``entry`` of a snapshot as it stands in the files now, if it does and somebody vouches for it."""
        state = self._core.sure
        if self._standing[0] != state.version:
            entries = (one for text in state.files.values() for one in reversed(text.entries))
            self._standing = state.version, {(one.file, one.entry.text): one for one in entries}
        one = self._standing[1].get((entry.file, entry.entry.text))
        return one if one is not None and is_trusted(one.provenance.origin) else None

    async def run(self) -> None:
        """Keep the index like the files, so that no message waits for that, until cancelled."""
        while True:
            self._changed = trio.Event()
            await self._of(self._core.state)
            await self._changed.wait()

    async def _of(self, state: CuratedState) -> Snapshot:
        known = self._snapshot
        if known is not None and known.version == state.version:
            return known
        async with self._turn:
            known = self._snapshot
            if known is None or known.version != state.version:
                build = partial(self._build, state, known)
                made, wanted = await trio.to_thread.run_sync(
                    build, abandon_on_cancel=True, limiter=self._core.spare
                )
                known = self._snapshot = made
                self.vectors.want(wanted)
            return known

    def _build(self, state: CuratedState, before: Snapshot | None) -> tuple[Snapshot, dict[bytes, str]]:
        """The snapshot, and what is to be embedded."""
        entries = [
            entry
            for _, file in sorted(state.files.items())
            for entry in islice(file.entries, MOST_ENTRIES)
            if entry.entry.annotations.triggers and is_trusted(entry.provenance.origin)
        ]
        with made_to_last(len(entries)):
            texts = [
                TriggerText(
                    join_heading(entry.entry.heading_path),
                    strip_annotations(entry.entry.text),
                    entry.entry.annotations.triggers,
                )
                for entry in entries
            ]
            index = TriggerIndex(texts, self._analyzer, self._stems, None if before is None else before.index)
            return Snapshot(state.version, entries, texts, index), wanted_texts(texts)
