"""The whole daemon as the gateway sees it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.backups import Backups
from openclaw_memd.daemon.curated_status import curated_warnings, show_curated
from openclaw_memd.daemon.measures import Happenings, measure_agents, measure_jobs
from openclaw_memd.daemon.status import judge, report_agent, warnings_of
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.errors import NotFoundError
from openclaw_memd.events import Events
from openclaw_memd.gateway.handlers import show_job
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.status_results import AgentReport, StatusReport
from openclaw_memd.jobs import Jobs
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.version import VERSION

if TYPE_CHECKING:
    from openclaw_memd.ops.doctor.doctor import Doctor

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
        backups: Backups,
        happenings: Happenings,
        socket: str,
        warnings: Sequence[str] = (),
    ) -> None:
        self.jobs = jobs
        self.events = events
        self.backups = backups
        self._happenings = happenings
        self._agents = agents
        self._embedder = embedder
        self._clock = clock
        self._socket = socket
        self._warnings = tuple(warnings)
        self._started_at = clock.monotonic()
        self._began_at = clock.now()
        self._doctors: dict[str, Doctor] = {}

    def agent(self, agent_id: str) -> AgentMemory:
        """One agent's memory.

        Raises:
            NotFoundError: there is no such agent.
        """
        try:
            return self._agents[agent_id]
        except KeyError:
            raise NotFoundError("no such agent", field="context.agent") from None

    def doctor(self, agent_id: str) -> "Doctor":
        """Looks at one agent's memory and mends it.

        Raises:
            NotFoundError: there is no such agent.
        """
        one = self.agent(agent_id)
        if agent_id not in self._doctors:
            from openclaw_memd.daemon.doctoring import open_doctor  # seldom used, so not loaded at the start

            self._doctors[agent_id] = open_doctor(
                agent_id,
                one,
                embedder=self._embedder,
                clock=self._clock,
                drift_s=self._clock_drift_s,
                socket=self._socket,
                advice=self._warnings,
            )
        return self._doctors[agent_id]

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
        backup = await self.backups.report()
        warnings += self.backups.warnings()
        return StatusReport(
            version=VERSION,
            pid=os.getpid(),
            uptime_s=round(self._clock.monotonic() - self._started_at, 3),
            state=max(states, key=_WORST.index),
            socket=self._socket,
            agents=tuple(reports),
            jobs=tuple(show_job(job) for job in self.jobs.all()),
            warnings=tuple(warnings),
            backup=backup,
        )

    def healthy(self) -> bool:
        """Whether every workspace can be asked and can write."""
        return all(
            memory.ready.is_set() and memory.databases.writable and memory.has_state
            for memory in self._memories()
        )

    def measure(self) -> Iterable[Sample]:
        """What no status tells."""
        yield from self._happenings.samples()
        yield from measure_agents({agent: one.memory for agent, one in self._agents.items()})
        yield from measure_jobs(self.jobs)

    def _clock_drift_s(self) -> float:
        """Seconds that passed by the clock since the start, less those that there were."""
        by_clock = (self._clock.now() - self._began_at).total_seconds()
        return by_clock - (self._clock.monotonic() - self._started_at)

    def _memories(self) -> list[WorkspaceMemory]:
        """Each workspace once, in the order of its first agent."""
        return list(dict.fromkeys(one.memory for one in self._agents.values()))
