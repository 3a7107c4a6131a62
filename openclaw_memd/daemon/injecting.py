"""What one workspace injects, and what is kept in memory for it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import date

from openclaw_memd.config.sections import Inject
from openclaw_memd.curated.core import CuratedCore, OnChanged
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.origins import Attributor
from openclaw_memd.index.recorded_days import RecordedDays
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.injection.trigger_entries import TriggerEntries
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.injection.triggers import Triggers
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.zones import Zone

Task = Callable[[], Awaitable[None]]


class Injecting:
    """The curated core of one workspace and its triggers; ``tasks`` run beside, by name."""

    def __init__(
        self,
        *,
        roots: Roots,
        rules: FileRules,
        attributor: Attributor,
        state: Store,
        vectors: Store,
        analyzer: Analyzer,
        embedder: Embedder,
        clock: Clock,
        zone: Zone,
        on_changed: OnChanged = lambda _before, _now: None,
    ) -> None:
        self._on_changed = on_changed
        self._clock = clock
        self._zone = zone
        self.core = CuratedCore(
            roots,
            rules,
            attributor,
            days_of_lines=RecordedDays(state, zone).of_lines,
            on_changed=self._hear_changed,
        )
        self._vectors = TriggerVectors(embedder, VectorStore(vectors), clock)
        self._entries = TriggerEntries(self.core, analyzer, self._vectors)

    def triggers(self, settings: Inject) -> Triggers:
        """The triggers by the settings of one agent."""
        return Triggers(self._entries, settings, self._today)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {
            "curated core": self.core.run,
            "triggers": self._entries.run,
            "trigger vectors": self._vectors.run,
        }

    def _hear_changed(self, before: CuratedState, now: CuratedState) -> None:
        self._entries.note_changed(before, now)
        self._on_changed(before, now)

    def _today(self) -> date:
        return self._zone.day(self._clock.now())
