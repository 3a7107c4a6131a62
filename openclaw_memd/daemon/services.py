"""The whole daemon as the gateway sees it."""

import os
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.curated_status import curated_warnings, show_curated
from openclaw_memd.daemon.status import count_sources, count_vectors, judge, report_agent, warnings_of
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.errors import NotFoundError, UnavailableError
from openclaw_memd.events import Events
from openclaw_memd.gateway.handlers import show_job
from openclaw_memd.gateway.results import AgentReport, StatusReport
from openclaw_memd.gateway.services import Gauge
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.jobs import Jobs
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.version import VERSION

_WORST = ("ok", "degraded", "starting")


class DaemonServices:
    """Everything that callers can reach."""

    def __init__(
        self,
        agents: Mapping[str, AgentMemory],
        jobs: Jobs,
        embedder: Embedder,
        clock: Clock,
        events: Events,
        *,
        socket: str,
        warnings: Sequence[str] = (),
    ) -> None:
        self.jobs = jobs
        self.events = events
        self._agents = agents
        self._embedder = embedder
        self._clock = clock
        self._socket = socket
        self._warnings = tuple(warnings)
        self._started_at = clock.monotonic()

    def agent(self, agent_id: str) -> AgentMemory:
        """One agent's memory.

        Raises:
            NotFoundError: there is no such agent.
        """
        try:
            return self._agents[agent_id]
        except KeyError:
            raise NotFoundError("no such agent", field="context.agent") from None

    async def status(self, deep: bool) -> StatusReport:
        """The state of everything; ``deep`` reads the databases through as well."""
        memories = self._memories()
        if deep:
            for memory in memories:
                await memory.check()
        reports: list[AgentReport] = []
        curated: list[str] = []
        for agent, one in self._agents.items():
            figures = await one.bootstrap.figures()
            report = await report_agent(agent, one.memory, self._embedder, one.chat_model.status())
            reports.append(msgspec.structs.replace(report, curated=show_curated(one, figures)))
            curated += curated_warnings(agent, figures)
        states = [judge(memory, self._embedder) for memory in memories]
        warnings = [*self._warnings]
        for memory in memories:
            agents = [agent for agent, one in self._agents.items() if one.memory is memory]
            warnings += [text for text in warnings_of(memory, agents) if text not in warnings]
        warnings += curated
        return StatusReport(
            version=VERSION,
            pid=os.getpid(),
            uptime_s=round(self._clock.monotonic() - self._started_at, 3),
            state=max(states, key=_WORST.index),
            socket=self._socket,
            agents=tuple(reports),
            jobs=tuple(show_job(job) for job in self.jobs.all()),
            warnings=tuple(warnings),
        )

    def healthy(self) -> bool:
        """Whether every workspace can be asked and can write."""
        return all(
            memory.ready.is_set() and memory.writable and memory.has_state for memory in self._memories()
        )

    def metrics(self) -> Iterable[Gauge]:
        """Numbers of each agent's index."""
        for agent, one in self._agents.items():
            labels = (("agent", agent),)
            try:
                counts = one.memory.index.read_now(count_sources(one.memory))
            except (DamagedError, UnavailableError):
                continue  # a number that is not there says more than a wrong one
            chunks = sum(count.chunks for count in counts)
            state = one.memory.indexer.state
            yield Gauge("memd_files", "Indexed files", sum(count.files for count in counts), labels)
            yield Gauge("memd_chunks", "Indexed chunks", chunks, labels)
            yield Gauge("memd_vectors", "Chunks with a vector", count_vectors(one.memory, chunks), labels)
            yield Gauge("memd_pending", "Changes that wait to be indexed", state.pending, labels)
            skipped = sum(not skip.is_choice for skip in state.skipped)
            yield Gauge("memd_skipped", "Paths that are left out by nobody's choice", skipped, labels)
            yield Gauge(
                "memd_watch_restarts", "Failures of file events", one.memory.watcher.state.restarts, labels
            )

    def _memories(self) -> list[WorkspaceMemory]:
        """Each workspace once, in the order of its first agent."""
        return list(dict.fromkeys(one.memory for one in self._agents.values()))
