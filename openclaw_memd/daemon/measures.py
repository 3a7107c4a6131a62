"""Numbers for ``/metrics`` that no status tells."""

from collections import Counter
from collections.abc import Iterator, Mapping

from openclaw_memd.daemon.status import skipped_of
from openclaw_memd.daemon.vectors import WorkspaceVectors
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.events import Event
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.jobs import Jobs


class Happenings:
    """Counts what is told to subscribers, whether anybody subscribed or not."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def hear(self, event: Event) -> None:
        """Count an event for each of its agents."""
        for agent in event.agents:
            match event.topic:
                case "dream.finished":
                    self._counts["memd_dreams_total", (agent, str(event.facts["outcome"]))] += 1
                case "intent.due":
                    self._counts["memd_intents_due_total", (agent,)] += 1
                case "index.synced":
                    for change in ("added", "changed", "removed"):
                        key = ("memd_changes_total", (agent, change))
                        self._counts[key] += int(str(event.private[change]))
                case _:
                    pass

    def samples(self) -> Iterator[Sample]:
        """What was counted since the start."""
        for (name, labels), count in self._counts.items():
            yield Sample(name, count, labels)


def measure_agents(memories: Mapping[str, WorkspaceMemory]) -> Iterator[Sample]:
    """Each agent's workspace; agents that share one have the same numbers."""
    for agent, memory in memories.items():
        for reason, count in Counter(reason for _, reason in skipped_of(memory, agent)).items():
            yield Sample("memd_skipped", count, (agent, reason))
        yield from measure_vectors(agent, memory.vectors)
        yield Sample("memd_write_failures", len(memory.databases.write_failures), (agent,))
        tasks = memory.health.values()
        yield Sample("memd_task_restarts_total", sum(health.restarts for health in tasks), (agent,))
        down = sum(health.last_error is not None and not health.running for health in tasks)
        yield Sample("memd_tasks_down", down, (agent,))


def measure_vectors(agent: str, vectors: WorkspaceVectors) -> Iterator[Sample]:
    """How far embedding is, beyond what ``status`` tells, and what is held in memory."""
    progress = vectors.filler.progress()
    yield Sample("memd_vectors_given_up", progress.given_up, (agent,))
    yield Sample("memd_line_vectors", progress.lines_done, (agent, "done"))
    yield Sample("memd_line_vectors", progress.lines_total - progress.lines_done, (agent, "waiting"))
    held = sum(search.in_memory or 0 for search in vectors.searches.values())
    yield Sample("memd_vectors_in_memory", held, (agent,))


def measure_jobs(jobs: Jobs) -> Iterator[Sample]:
    """Jobs that ended since the start."""
    for key, count in jobs.ended.items():
        yield Sample("memd_jobs_ended_total", count, key)
