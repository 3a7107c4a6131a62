"""The answer to ``status``: what is known at once, gathered from the parts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from openclaw_memd.daemon.dream_status import summarize_dreaming
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain.intents import Status
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.gateway.status_results import (
    AgentReport,
    EmbeddingReport,
    Excluded,
    IntentsReport,
    ModelReport,
    SkippedFile,
    SourceCount,
    SpoolReport,
    StorageReport,
    TranscriptsReport,
    WatchReport,
)
from openclaw_memd.index import readers
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.fill_progress import FillState
from openclaw_memd.index.ledger.losses import read_loss
from openclaw_memd.index.rows import SourceCount as SourceTotals
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import ChatModelStatus, Embedder, EmbedderStatus

SHOWN = 200
"""Long lists are cut here; a count tells the rest."""


async def report_agent(
    agent: str, memory: WorkspaceMemory, embedder: Embedder, chat: ChatModelStatus
) -> AgentReport:
    """One agent, its index, its vectors and its chat model."""
    try:
        counts = await memory.index.read(count_sources(memory))
    except (DamagedError, UnavailableError):
        counts = []  # the report is needed most when something is broken
    state = memory.indexer.state
    chunks = sum(count.chunks for count in counts)
    chosen = Counter(skip.reason for skip in state.skipped if skip.is_choice)
    skipped = skipped_of(memory, agent)
    watch = memory.watcher.state
    return AgentReport(
        agent=agent,
        workspace=str(memory.workspace.path),
        files=sum(count.files for count in counts),
        chunks=chunks,
        vectors=count_vectors(memory, chunks),
        pending=state.pending,
        freshness=state.freshness,
        sources=tuple(
            SourceCount(source=count.source, files=count.files, chunks=count.chunks) for count in counts
        ),
        skipped=tuple(
            SkippedFile(path=mask_secrets(path), reason=reason) for path, reason in skipped[:SHOWN]
        ),
        excluded=(
            *_excluded("paths", chosen),
            *_excluded("messages", memory.write_path.sessions.exclusions(agent)),
        ),
        watch=WatchReport(mode=watch.mode, last_scan_at=_iso(state.last_scan_at), restarts=watch.restarts),
        embedding=_embedding(embedder.status()),
        model=ModelReport(provider=chat.provider, state=chat.state, model=chat.model, reason=chat.reason),
        curated=None,
        spool=SpoolReport(items=memory.write_path.notes.waiting),
        dreaming=await summarize_dreaming(memory.dreaming),
        intents=await _count_intents(agent, memory),
        storage=StorageReport(
            index_bytes=_size(memory.index.path),
            state_bytes=_size(memory.state.path),
            vectors_bytes=_size(memory.vectors.database.path),
        ),
        skipped_count=len(skipped) if len(skipped) > SHOWN else None,
        transcripts=tuple(_transcripts(agent, memory)),
    )


def _transcripts(agent: str, memory: WorkspaceMemory) -> Iterator[TranscriptsReport]:
    for folder in memory.write_path.folders.states:
        if folder.agent == agent:
            yield TranscriptsReport(
                format=folder.format,
                files=folder.files,
                pending=folder.pending,
                messages=folder.messages,
                unattributed=folder.unattributed,
                broken=folder.broken,
                too_long=folder.too_long,
            )


async def _count_intents(agent: str, memory: WorkspaceMemory) -> IntentsReport | None:
    try:
        counts = await memory.lanes.turning.intents.counts(agent)
    except (DamagedError, UnavailableError):
        return None
    return IntentsReport(
        pending=counts.get(Status.PENDING, 0),
        armed=counts.get(Status.ARMED, 0),
        fired=counts.get(Status.FIRED, 0),
    )


def _excluded(what: str, counts: Mapping[str, int]) -> Iterator[Excluded]:
    for reason, count in sorted(counts.items()):
        yield Excluded(what=what, count=count, reason=reason)


def skipped_of(memory: WorkspaceMemory, agent: str) -> list[tuple[str, str]]:
    """Files that are left out by nobody's choice, each with its reason.

    Transcripts have their path in their folder, which ``status`` does not name.
    """
    files: list[tuple[str, str]] = [
        (skip.path, skip.reason) for skip in memory.indexer.state.skipped if not skip.is_choice
    ]
    return files + [
        (f"transcripts/{path}", reason.value)
        for folder in memory.write_path.folders.states
        if folder.agent == agent
        for path, reason in folder.skipped
    ]


def count_sources(memory: WorkspaceMemory) -> Callable[[Connection], list[SourceTotals]]:
    """Counts what is there: what the index keeps of a workspace that is gone does not count."""
    return partial(readers.source_counts, without_root=WORKSPACE if memory.is_lost else "")


def count_vectors(memory: WorkspaceMemory, chunks: int) -> int:
    """How many chunks have a vector of the model in use; chunks of the same text share one."""
    progress = memory.vectors.filler.progress()
    return max(0, chunks - (progress.total - progress.done)) if progress.done else 0


def judge(memory: WorkspaceMemory, embedder: Embedder) -> Literal["starting", "ok", "degraded"]:
    """One word for a workspace."""
    if not memory.ready.is_set():
        return "starting"
    troubles = (
        memory.is_watched and memory.watcher.state.mode != "events",
        embedder.status().state in {"degraded", "paused"},
        memory.vectors.filler.progress().state in {FillState.PAUSED, FillState.WAITING},
        memory.index.damage.is_set(),
        bool(memory.databases.write_failures),
        any(health.last_error is not None and not health.running for health in memory.health.values()),
    )
    return "degraded" if any(troubles) else "ok"


def warnings_of(memory: WorkspaceMemory, agents: Sequence[str]) -> list[str]:
    """Plain sentences about what a person should know or do; ``agents`` use this memory."""
    found = list(memory.warnings)
    if memory.is_lost:
        keys = ", ".join(f"agents.{agent}.workspace" for agent in agents)
        found.append(
            "the workspace folder is gone: nothing is found until it is back in its place,"
            f" or until {keys} names another and memd is started again"
        )
    if (earlier := memory.workspace.earlier) is not None:
        found.append(
            f"this workspace was moved here: its earlier state is kept under the id {earlier.id};"
            " `memd doctor --fix --id workspace-moved` and a new start take it over;"
            " until then nothing tells who wrote what was there, so it is not trusted"
        )
    elif (lost_at := _lost_at(memory)) is not None:
        found.append(
            f"the state of this workspace was lost and began anew on {lost_at:%Y-%m-%d}: nothing tells who"
            " wrote what was there before, so it is not trusted until `memd trust` says otherwise"
        )
    if memory.index.damage.is_set():
        found.append("the index is damaged and is being mended")
    elif memory.index_aside is not None:
        found.append(f"the index database was damaged and is set aside as {memory.index_aside.name}")
    found += memory.lanes.curating.warnings()
    found += memory.dreaming.warnings()
    for store, failure in memory.databases.write_failures.items():
        found.append(f"the last write to {store} failed: {failure.message}")
    if memory.vectors.aside is not None:
        found.append(
            f"the vectors were damaged and are set aside as {memory.vectors.aside.name}; they are made anew"
        )
    if memory.watcher.state.warning:
        found.append(memory.watcher.state.warning)
    progress = memory.vectors.filler.progress()
    if progress.reason and progress.state in {FillState.PAUSED, FillState.WAITING}:
        found.append(f"vectors: {progress.reason}")
    if progress.given_up:
        texts = "1 text" if progress.given_up == 1 else f"{progress.given_up} texts"
        found.append(f"vectors: {texts} got none, since the model gave no usable vector")
    found += [folder.warning for folder in memory.write_path.folders.states if folder.warning]
    if memory.write_path.notes.waiting:
        found.append(
            f"{memory.write_path.notes.waiting} accepted texts wait to be written to their notes; see the log"
        )
    notes = memory.other_notes
    if notes.count:
        patterns = ", ".join(f'"{pattern}"' for pattern in notes.include[:4])
        found.append(
            f"no memory files in the workspace, but {notes.count} other Markdown files: "
            f"`[files] include = [{patterns}]` would index them"
        )
    found.extend(
        f"{health.name} failed and is being restarted ({health.last_error})"
        for health in memory.health.values()
        if health.last_error is not None and not health.running
    )
    return found


def _lost_at(memory: WorkspaceMemory) -> datetime | None:
    try:
        return memory.state.read_now(read_loss)
    except (DamagedError, UnavailableError):
        return None


def _embedding(status: EmbedderStatus) -> EmbeddingReport:
    return EmbeddingReport(
        provider=status.provider,
        model=status.model,
        dims=status.dims,
        state=status.state,
        reason=status.reason,
    )


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="milliseconds")


def _size(path: Path) -> int:
    """Bytes of a database and its write-ahead log."""
    total = 0
    for part in (path, path.with_name(path.name + "-wal")):
        try:
            total += part.stat().st_size
        except OSError:
            continue
    return total
