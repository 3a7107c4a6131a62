"""What is written into the curated files of one workspace, looked at in them, and known to be deleted."""

from collections.abc import Awaitable, Callable, Mapping

from openclaw_memd.config.sections import Inject
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.curated.linting import Budget, Linting
from openclaw_memd.curated.remember import CurrentProject, Remembering, Vouch
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.curated_files import budget_chars
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

Task = Callable[[], Awaitable[None]]


class Curating:
    """The work of people on their curated files; ``tasks`` run beside, by name."""

    def __init__(
        self,
        *,
        state: Store,
        roots: Roots,
        writer: CuratedWriter,
        core: CuratedCore,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        note_bytes: int,
        current_project: CurrentProject,
        vouch: Vouch,
    ) -> None:
        self.deletions = Deletions(state, analyzer, clock, core.spare)
        self.linting = Linting(core, roots, analyzer, clock, zone)
        self.remembering = Remembering(
            writer,
            core,
            analyzer,
            clock,
            zone,
            note_bytes=note_bytes,
            current_project=current_project,
            vouch=vouch,
        )

    def warnings(self) -> list[str]:
        """What ``status`` says of the files as they were last seen."""
        return self.linting.warnings()

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {"deletions": self.deletions.run}


def budget_of(settings: Inject) -> Budget:
    """How long the curated files may be by the settings of one agent."""
    return lambda file: budget_chars(file, file_chars=settings.file_chars, user_chars=settings.user_chars)
