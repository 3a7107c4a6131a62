"""What one workspace knows of what was of use, for dreaming."""

from collections.abc import Awaitable, Callable, Mapping

from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.ingesting import Ingestion
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

Task = Callable[[], Awaitable[None]]


class Signalling:
    """The signals of one workspace and what is read for them; ``tasks`` run beside, by name."""

    def __init__(
        self,
        *,
        state: Store,
        corpus: Corpus,
        sessions: Sessions,
        roots: Roots,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
    ) -> None:
        self.store = SignalStore(
            state,
            Sources.build(corpus, sessions.every_document),
            sessions.known,
            roots=roots,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
        )
        self.ingestion = Ingestion(state, self.store, roots=roots, analyzer=analyzer, zone=zone)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {"signals": self.store.run}
