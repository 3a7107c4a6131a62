"""What the gateway asks of the daemon that it serves."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from openclaw_memd.config.sections import Search
from openclaw_memd.curated.history import History
from openclaw_memd.curated.remember import Remembered, Wish
from openclaw_memd.curated.revisions import Rewritten
from openclaw_memd.domain.audience import View
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.lint import Finding
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.dreaming.dreams import Dreams
from openclaw_memd.dreaming.reviewing import Reviewing
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.events import Events
from openclaw_memd.gateway.dream_results import DreamStatus
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.results import SyncReport
from openclaw_memd.gateway.status_results import StatusReport
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.intents.explaining import Explaining
from openclaw_memd.intents.firing import Firing
from openclaw_memd.intents.reminders import Reminders
from openclaw_memd.intents.service import Intents
from openclaw_memd.jobs import Job, Jobs, Progress
from openclaw_memd.models.chat.runtime import AttachedRuntimes
from openclaw_memd.notes.types import Observed
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.backup.types import Made
from openclaw_memd.ports import ChatModel
from openclaw_memd.recall.types import GetAnswer, GetRequest, SearchAnswer, SearchRequest
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.turn.turns import Turns

if TYPE_CHECKING:
    from openclaw_memd.deep.recall import DeepRecall
    from openclaw_memd.dreaming.backfill import Backfill
    from openclaw_memd.ops.doctor.doctor import Doctor
    from openclaw_memd.ops.forgetting import Forgetting
    from openclaw_memd.ops.imports.service import Imports


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
    def forgetting(self) -> "Forgetting":
        """Forgets in the agent's workspace."""
        ...

    @property
    def imports(self) -> "Imports":
        """Imports into the agent's workspace."""
        ...

    @property
    def history(self) -> History:
        """The rewrites of the curated files of the agent's workspace."""
        ...

    async def undo(self, preimage_id: int, deadline_at: float) -> Rewritten:
        """Make a curated file what it was before one rewrite, and show it in the index."""
        ...

    @property
    def bootstrap(self) -> Bootstrap:
        """What the agent's sessions are given when they begin."""
        ...

    @property
    def chat_model(self) -> ChatModel:
        """The agent's chat model, which may be none."""
        ...

    @property
    def runtimes(self) -> AttachedRuntimes:
        """The runtimes that lend the agent their chat model."""
        ...

    @property
    def signals(self) -> SignalStore:
        """What was of use in the agent's workspace."""
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

    async def active_projects(self, caller: Caller | None) -> tuple[str, ...]:
        """The projects of the caller's session, most recent first, with the one of this call."""
        ...

    def hear_taint(self, caller: Caller) -> None:
        """The host saw network content enter the turn of the caller's session."""
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

    async def remember(self, caller: Caller | None, wish: Wish, deadline_at: float) -> Remembered:
        """Write what the owner wants to be known into a curated file."""
        ...

    async def show(self, files: Iterable[str], deadline_at: float) -> None:
        """Show in the index what was written to curated files, as far as there is time."""
        ...

    async def lint(self, file: str | None) -> Sequence[Finding]:
        """What people should look at in the curated files."""
        ...

    @property
    def turns(self) -> Turns:
        """Answers the agent's messages."""
        ...

    @property
    def turn_deadline_ms(self) -> int:
        """How long an answer to a message may take."""
        ...

    @property
    def intents(self) -> Intents:
        """The standing intents of the agent's workspace."""
        ...

    @property
    def reminders(self) -> Reminders:
        """Delivers what is due in the agent's workspace."""
        ...

    @property
    def explaining(self) -> Explaining:
        """Tells what a message would fire."""
        ...

    @property
    def firing(self) -> Firing:
        """Fires events in the agent's workspace."""
        ...

    @property
    def deep(self) -> "DeepRecall":
        """The agent's deep recall."""
        ...

    @property
    def deep_timeout_ms(self) -> int:
        """How long a deep recall may take."""
        ...

    @property
    def dreams(self) -> Dreams:
        """The nights of the agent's workspace."""
        ...

    @property
    def backfill(self) -> "Backfill":
        """Looks through the old notes and sessions of the agent's workspace; loaded at its first use."""
        ...

    @property
    def reviewing(self) -> Reviewing:
        """What the owner decides about the nights of the agent's workspace."""
        ...

    async def dream_status(self) -> DreamStatus:
        """Where the dreaming of the agent's workspace stands."""
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


class BackupServices(Protocol):
    """Archives of everything."""

    async def create(self, path: str | None, progress: Progress) -> Made:
        """Make an archive at ``path``, or in the data folder."""
        ...


class Services(Protocol):
    """The whole daemon."""

    @property
    def backups(self) -> BackupServices:
        """Makes archives."""
        ...

    @property
    def jobs(self) -> Jobs:
        """The registry of jobs."""
        ...

    @property
    def events(self) -> Events:
        """What happens in the daemon."""
        ...

    def agent(self, agent_id: str) -> AgentServices:
        """One agent's memory.

        Raises:
            NotFoundError: there is no such agent.
        """
        ...

    def doctor(self, agent_id: str) -> "Doctor":
        """Looks at one agent's memory and mends it; loaded at its first use.

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

    def measure(self) -> Iterable[Sample]:
        """Numbers for ``/metrics`` beside the gateway's own and those that ``status`` tells."""
        ...
