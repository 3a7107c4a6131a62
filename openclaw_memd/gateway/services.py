"""What the gateway asks of the daemon that it serves."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from openclaw_memd.config.sections import Search
from openclaw_memd.domain.audience import View
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.gateway.results import StatusReport, SyncReport
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.jobs import Job, Jobs
from openclaw_memd.notes.types import Observed
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.forgetting import Forgetting
from openclaw_memd.recall.types import GetAnswer, GetRequest, SearchAnswer, SearchRequest
from openclaw_memd.sessions.service import Sessions


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number for ``/metrics``, such as ``memd_chunks`` with the label ``agent="main"``."""

    name: str
    meaning: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()


class AgentServices(Protocol):
    """One agent's memory."""

    @property
    def notes(self) -> NoteWriter:
        """The daily notes of the agent's workspace."""
        ...

    @property
    def sessions(self) -> Sessions:
        """The sessions of the agent's workspace."""
        ...

    @property
    def forgetting(self) -> Forgetting:
        """Forgets in the agent's workspace."""
        ...

    @property
    def first_answers(self) -> FirstAnswers:
        """What request keys were answered with."""
        ...

    def missing_authority(self, caller: Caller | None) -> str | None:
        """What a caller lacks of owner authority, also by what the ledger knows of its turn."""
        ...

    def view(self, caller: Caller | None) -> View:
        """What a caller may see."""
        ...

    def hear(self, caller: Caller | None, origins: Iterable[Origin]) -> None:
        """Memory of these origins is handed to a caller, which must not note it as its own."""
        ...

    async def observe(self, caller: Caller | None, path: str, before_hash: str, after_hash: str) -> Observed:
        """Take note of a change that a tool of the caller's runtime made; hashes as in the contract."""
        ...

    async def trust(self, path: str, selection: Selection, origin: Origin) -> int:
        """Give lines of a memory file this origin, agent or untrusted; how many changed."""
        ...

    @property
    def search_defaults(self) -> Search:
        """What holds for a search that does not say otherwise."""
        ...

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Hits by ``request.deadline_at`` (in trio's time), with what there is by then."""
        ...

    async def get(self, request: GetRequest) -> GetAnswer:
        """Lines of one file."""
        ...

    async def sync(self, force: bool) -> SyncReport:
        """Make the index show every write made before. Cancelling gives up the wait, not the work."""
        ...

    def start_rebuild(self) -> Job:
        """The job that builds a new index, the running one if there is one; it ends in a ``SyncReport``."""
        ...


class Services(Protocol):
    """The whole daemon."""

    @property
    def jobs(self) -> Jobs:
        """The registry of jobs."""
        ...

    def agent(self, agent_id: str) -> AgentServices:
        """One agent's memory.

        Raises:
            NotFoundError: there is no such agent.
        """
        ...

    async def status(self, deep: bool) -> StatusReport:
        """The state of everything; without ``deep`` only what is known at once."""
        ...

    def healthy(self) -> bool:
        """Whether the daemon is ready and its writer alive."""
        ...

    def metrics(self) -> Iterable[Gauge]:
        """Numbers to show beside the gateway's own."""
        ...
