"""One workspace at work: its files, index and vectors, and the tasks that keep them together."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from openclaw_memd.config.schema import Config
from openclaw_memd.daemon.databases import open_databases
from openclaw_memd.daemon.dreaming import Dreaming
from openclaw_memd.daemon.following import Follower
from openclaw_memd.daemon.forgetting import open_forgetting
from openclaw_memd.daemon.lanes import Grounds, Lanes
from openclaw_memd.daemon.outside import Outside
from openclaw_memd.daemon.resting import give_back_at_rest
from openclaw_memd.daemon.settings import extra_roots, file_rules
from openclaw_memd.daemon.showing import Showing
from openclaw_memd.daemon.telling import Telling
from openclaw_memd.daemon.vectors import WorkspaceVectors
from openclaw_memd.daemon.write_path import WritePath
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.survey import OtherNotes, find_other_notes
from openclaw_memd.files.watcher import Watcher
from openclaw_memd.files.workspace import Workspace
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.indexer import Indexer, SyncReport
from openclaw_memd.index.ledger.imports import unfinished_imports
from openclaw_memd.index.ledger.tombstones import load_rewrites
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.index.rebuilding import MOST_ATTEMPTS, Rebuilder
from openclaw_memd.index.repairing import Repairer
from openclaw_memd.injection.projects import ProjectScopes
from openclaw_memd.jobs import Job, Progress, ignore_progress
from openclaw_memd.supervisor import Health, keep_running
from openclaw_memd.zones import Zone

if TYPE_CHECKING:
    from openclaw_memd.ops.forgetting import Forgetting
    from openclaw_memd.ops.imports.service import Imports


class WorkspaceMemory:
    """An open workspace. ``run`` keeps the index like the files until cancelled; ``aclose`` afterwards.

    ``warnings`` are plain sentences for ``status``.
    """

    def __init__(self, workspace: Workspace, config: Config, agents: Sequence[str], outside: Outside) -> None:
        """Open the databases. ``agents`` are those that name the workspace.

        Raises:
            UnavailableError: the disk or the state folder cannot be used.
            NewerFormatError, ForeignStateError: the state is not one that this version may touch.
        """
        self.workspace = workspace
        self.analyzer = Analyzer(_languages(config, agents))
        self.warnings = list(workspace.warnings)
        self.other_notes = OtherNotes(0, ())
        self._config = config
        self._outside = outside
        preparer = Preparer(
            self.analyzer, chunk_tokens=config.chunking.tokens, chunk_overlap=config.chunking.overlap
        )
        with ExitStack() as undo:
            self.roots = undo.enter_context(Roots(workspace.path, extra_roots(config)))
            self.databases = open_databases(workspace, preparer.identity, outside.clock.now)
            undo.pop_all()
        self.state = self.databases.state.store
        self.index = self.databases.index.store
        if (aside := self.databases.state.set_aside) is not None:
            self.warnings.append(f"the state database was damaged and is set aside as {aside.name}")
        if self.databases.index.cut_off >= MOST_ATTEMPTS:
            self.warnings.append(
                f"a rebuild of the index was cut off {MOST_ATTEMPTS} times: `memd rebuild` tries it again"
            )
        self._telling = Telling(outside.events, agents)
        self.projects = ProjectScopes()
        self.write_path = WritePath(
            self.state,
            self.roots,
            self.analyzer,
            config=config,
            agents=agents,
            clock=outside.clock,
            rng=outside.rng,
            project_of=self.projects.current,
            hint=lambda paths: self._follower.note(paths),  # noqa: PLW0108 - made below
        )
        self.indexer = Indexer(
            self.index,
            Corpus(
                self.roots,
                file_rules(config),
                attributor=self.write_path.attributor,
                documents=self.write_path.sessions.documents,
            ),
            preparer,
            outside.clock,
            unannounced=lambda: self.write_path.sessions.unannounced,
            on_published=self._hear_published,
        )
        self.indexer.on_synced = self._telling.hear_synced
        self.vectors = WorkspaceVectors(
            self.databases.vectors, self.indexer, outside.embedder, outside.clock, outside.rng
        )
        self.watcher = Watcher(self.roots, self.indexer.corpus.list_files, verify_s=config.files.reconcile_s)
        self.lanes = Lanes(
            Grounds(
                state=self.state,
                vectors=self.vectors.database,
                roots=self.roots,
                corpus=self.indexer.corpus,
                write_path=self.write_path,
                projects=self.projects,
                analyzer=self.analyzer,
                embedder=outside.embedder,
                clock=outside.clock,
            ),
            config,
            languages=_languages(config, agents),
            vouch=self._vouch,
        )
        self.showing = Showing(self.indexer, self.write_path.attributor, self.lanes.injecting.core)
        self.lanes.turning.intents.on_due = self._telling.hear_due
        self.dreaming = Dreaming(
            self.lanes,
            config,
            agents,
            state=self.state,
            roots=self.roots,
            write_path=self.write_path,
            analyzer=self.analyzer,
            jobs=outside.jobs,
            key=workspace.id,
            clock=outside.clock,
            show=self.showing.show,
            on_finished=self._telling.hear_dream,
        )
        self._rebuilder = Rebuilder(self.indexer, cut_off=self.databases.index.cut_off)
        self._repairer = Repairer(self.indexer, self._rebuild_as_job, outside.clock)
        self._follower = Follower(self.indexer, self.sync, config.files, jobs=outside.jobs, key=workspace.id)
        self.ready = trio.Event()
        self._tasks: Mapping[str, Callable[[], Awaitable[None]]] = {
            "watcher": partial(self.watcher.run, self._follower.hint),
            "indexing": self._follow_files,
            "repair": self._repairer.run,
            "live texts": self.vectors.follow_replacements,
            "vectors": self.vectors.embed,
            "memory": partial(give_back_at_rest, self.analyzer.forget),
            **self.write_path.tasks,
            **self.lanes.tasks,
            **self.dreaming.tasks,
        }
        self.health = {name: Health(name) for name in self._tasks}

    @cached_property
    def imports(self) -> "Imports":
        """Imports of what other assistants remember: seldom, so nothing of it is loaded before."""
        from openclaw_memd.daemon.importing import open_imports

        return open_imports(
            self.workspace,
            self._config,
            self._outside.env,
            scratch=self._foreign,
            state=self.state,
            roots=self.roots,
            rules=self.indexer.corpus.rules,
            clock=self._outside.clock,
            sync=self.sync,
        )

    @property
    def _foreign(self) -> Path:
        """Where databases of others are copied to while they are read."""
        return self.workspace.state / "foreign"

    @property
    def config(self) -> Config:
        """The whole configuration."""
        return self._config

    @cached_property
    def forgetting(self) -> "Forgetting":
        """Forgetting; what it is made of is read in when it is first asked for."""
        return open_forgetting(self, self._outside, Zone(self._config.time.zone), self._forget_words)

    @property
    def rebuild_turn(self) -> trio.Lock:
        """Held while an index is built."""
        return self._rebuilder.turn

    async def differences(self) -> tuple[str, ...]:
        """Names of what the index was made with otherwise than it would be now. Errors as ``Store.read``."""
        return await self._repairer.differences()

    @property
    def index_aside(self) -> Path | None:
        """Where a damaged index lies that this one took the place of since the start."""
        return self._repairer.aside or self.databases.index.set_aside

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Watch, index, repair and embed until cancelled."""
        async with trio.open_nursery() as nursery:
            task_status.started()
            for name, task in self._tasks.items():
                nursery.start_soon(keep_running, name, task, self.health[name])
            nursery.start_soon(self._follower.reconcile, self._outside.rng)

    @property
    def is_watched(self) -> bool:
        """Whether the watcher has begun, by whatever means."""
        return self._follower.has_hints

    @property
    def is_lost(self) -> bool:
        """Whether the workspace's folder was not there when it was last looked at."""
        return any(skip.is_workspace for skip in self.indexer.state.skipped)

    @property
    def has_state(self) -> bool:
        """Whether the state folder and the ledger in it are still in their places."""
        return self.workspace.has_state and self.state.path.exists()

    async def sync(self, *, force: bool = False, on_progress: Progress = ignore_progress) -> SyncReport:
        """Make the index equal to the files and sessions now."""
        self.write_path.sessions.announce()
        report = await self.indexer.sync(verify=force, on_progress=on_progress)
        if report.added + report.changed + report.unchanged == 0:
            self.other_notes = await trio.to_thread.run_sync(find_other_notes, self.roots)
        else:
            self.other_notes = OtherNotes(0, ())
        return report

    def start_rebuild(self) -> Job:
        """The job that rebuilds the index; the running one if there is one."""

        async def work(report_progress: Progress) -> object:
            return await self._rebuilder.rebuild(report_progress)

        return self._outside.jobs.start("rebuild", work, key=self.workspace.id)

    async def check(self) -> None:
        """Read the index through; what is broken is mended, whether or not the caller waits for it."""
        await self._repairer.check()

    async def load(self) -> None:
        """Read what the ledger knows, and finish what was accepted before the process last ended.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        await self.write_path.load()
        if await self.state.read(load_rewrites):
            await self.forgetting.recover()
        if await self.state.read(unfinished_imports) or self._foreign.exists():
            await self.imports.recover()
        await self.lanes.turning.intents.load()
        await self.dreaming.dreams.runs.load()

    async def aclose(self) -> None:
        """Close the databases and release the workspace, cancelled or not."""
        await self.databases.aclose()
        self.roots.close()
        self.workspace.close()

    async def _vouch(self, path: str, first: int, last: int, text_hash: str) -> None:
        await self.showing.trust(path, Selection(first, last, text_hash), Origin.AGENT)

    def _hear_published(self, published: Published) -> None:
        self._telling.hear_published(published)
        self.vectors.follow(published)
        self.lanes.injecting.core.note_published(published)

    async def _follow_files(self) -> None:
        await self.vectors.load()
        self.ready.set()
        if self._rebuilder.is_owed:
            self.start_rebuild()
        await self._follower.follow()

    async def _rebuild_as_job(self) -> object:
        return await self.start_rebuild().wait()

    def _forget_words(self) -> None:
        """Drop what is remembered of texts in memory."""
        self.analyzer.forget()
        self.vectors.filler.forget_lines()


def _languages(config: Config, agents: Sequence[str]) -> tuple[str, ...]:
    """One index serves all agents of a workspace, so it knows the languages of all of them."""
    return tuple(dict.fromkeys(code for agent in agents for code in config.agents[agent].search.languages))
