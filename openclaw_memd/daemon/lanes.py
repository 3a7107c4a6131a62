"""What one workspace does with its memory beside searching: injection, curated files, turns, signals."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from openclaw_memd.config.schema import Config
from openclaw_memd.curated.remember import Vouch
from openclaw_memd.daemon.curating import Curating
from openclaw_memd.daemon.giving import Giving
from openclaw_memd.daemon.injecting import Injecting
from openclaw_memd.daemon.signalling import Signalling
from openclaw_memd.daemon.turning import Turning
from openclaw_memd.daemon.write_path import WritePath, admission_rules
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.injection.projects import ProjectScopes
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.zones import Zone

Task = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the lanes of a workspace stand on."""

    state: Store
    vectors: Store
    roots: Roots
    corpus: Corpus
    write_path: WritePath
    projects: ProjectScopes
    analyzer: Analyzer
    embedder: Embedder
    clock: Clock


class Lanes:
    """The lanes of one workspace; ``tasks`` run beside, by name. ``vouch`` trusts lines of a curated file."""

    def __init__(self, grounds: Grounds, config: Config, *, languages: Sequence[str], vouch: Vouch) -> None:
        zone = Zone(config.time.zone)
        clock = grounds.clock
        self.injecting = Injecting(
            roots=grounds.roots,
            rules=grounds.corpus.rules,
            attributor=grounds.corpus.attributor,
            state=grounds.state,
            vectors=grounds.vectors,
            analyzer=grounds.analyzer,
            embedder=grounds.embedder,
            clock=clock,
            zone=zone,
            on_changed=lambda before, now: self.curating.deletions.hear(before, now),  # noqa: PLW0108 - below
        )
        self.giving = Giving(
            core=self.injecting.core,
            corpus=grounds.corpus,
            rules=admission_rules(config),
            result_bytes=config.limits.result_bytes,
            clock=clock,
            zone=zone,
        )
        self.curating = Curating(
            state=grounds.state,
            roots=grounds.roots,
            writer=grounds.write_path.curated,
            core=self.injecting.core,
            analyzer=grounds.analyzer,
            clock=clock,
            zone=zone,
            note_bytes=config.limits.note_bytes,
            current_project=grounds.projects.current,
            vouch=vouch,
        )
        self.turning = Turning(
            state=grounds.state,
            injecting=self.injecting,
            projects=grounds.projects,
            vectors=TriggerVectors(grounds.embedder, VectorStore(grounds.vectors), clock),
            languages=languages,
            config=config,
            clock=clock,
        )
        self.signalling = Signalling(
            state=grounds.state,
            corpus=grounds.corpus,
            sessions=grounds.write_path.sessions,
            roots=grounds.roots,
            analyzer=grounds.analyzer,
            clock=clock,
            zone=zone,
        )

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        parts = (self.injecting, self.curating, self.turning, self.signalling)
        return {name: task for part in parts for name, task in part.tasks.items()}
