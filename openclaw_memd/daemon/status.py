"""The answer to ``status``: what is known at once, gathered from the parts."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.arrival import LostState, Moved
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.gateway.results import (
    AgentReport,
    EmbeddingReport,
    Excluded,
    SkippedFile,
    SourceCount,
    StorageReport,
    WatchReport,
)
from openclaw_memd.index import readers
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.fill_progress import FillState
from openclaw_memd.ports import Embedder, EmbedderStatus

SHOWN = 200
"""Long lists are cut here; a count tells the rest."""

_CHOICES = frozenset(
    {
        SkipReason.EXCLUDED,
        SkipReason.IGNORED,
        SkipReason.INSTRUCTIONS,
        SkipReason.REVIEW,
        SkipReason.MACHINE_FOLDER,
        SkipReason.TOOL_FOLDER,
    }
)
"""What is left out by the owner's choice or by design is counted, not listed as a problem."""


async def report_agent(agent: str, memory: WorkspaceMemory, embedder: Embedder) -> AgentReport:
    """One agent, its index and its vectors."""
    try:
        counts = await memory.index.read(readers.source_counts)
    except (DamagedError, UnavailableError):
        counts = []  # the report is needed most when something is broken
    state = memory.indexer.state
    chunks = sum(count.chunks for count in counts)
    chosen = [skip for skip in state.skipped if skip.reason in _CHOICES]
    skipped = [skip for skip in state.skipped if skip.reason not in _CHOICES]
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
        skipped=tuple(SkippedFile(path=skip.path, reason=skip.reason) for skip in skipped[:SHOWN]),
        excluded=tuple(
            Excluded(what="paths", count=count, reason=reason)
            for reason in sorted(_CHOICES)
            if (count := sum(skip.reason == reason for skip in chosen))
        ),
        watch=WatchReport(mode=watch.mode, last_scan_at=_iso(state.last_scan_at), restarts=watch.restarts),
        embedding=_embedding(embedder.status()),
        model=None,
        curated=None,
        spool=None,
        dreaming=None,
        intents=None,
        storage=StorageReport(
            index_bytes=_size(memory.index.path),
            state_bytes=_size(memory.state.path),
            vectors_bytes=_size(memory.vectors.store.path),
        ),
        skipped_count=len(skipped) if len(skipped) > SHOWN else None,
    )


def count_vectors(memory: WorkspaceMemory, chunks: int) -> int:
    """How many chunks have a vector of the model in use; chunks of the same text share one."""
    progress = memory.filler.progress()
    return max(0, chunks - (progress.total - progress.done)) if progress.done else 0


def judge(memory: WorkspaceMemory, embedder: Embedder) -> Literal["starting", "ok", "degraded"]:
    """One word for a workspace."""
    if not memory.ready.is_set():
        return "starting"
    troubles = (
        memory.watched and memory.watcher.state.mode != "events",
        embedder.status().state in {"degraded", "paused"},
        memory.filler.progress().state in {FillState.PAUSED, FillState.WAITING},
        memory.index.damage.is_set(),
        any(health.last_error is not None and not health.running for health in memory.health.values()),
    )
    return "degraded" if any(troubles) else "ok"


def warnings_of(memory: WorkspaceMemory) -> list[str]:
    """Plain sentences about what a person should know or do."""
    found = list(memory.warnings)
    match memory.workspace.arrival:
        case Moved(previous_id=previous):
            found.append(
                "this workspace was moved here: its earlier state is kept under the id "
                f"{previous}; to take it over, rename that folder to {memory.workspace.id} "
                "while memd is stopped"
            )
        case LostState():
            found.append(
                "the state that belonged to this workspace is gone; the index is made anew from the files"
            )
        case _:
            pass
    if memory.index.damage.is_set():
        found.append("the index is damaged and is being mended")
    elif memory.index_aside is not None:
        found.append(f"the index database was damaged and is set aside as {memory.index_aside.name}")
    if memory.watcher.state.warning:
        found.append(memory.watcher.state.warning)
    progress = memory.filler.progress()
    if progress.reason and progress.state in {FillState.PAUSED, FillState.WAITING}:
        found.append(f"vectors: {progress.reason}")
    if progress.given_up:
        found.append(f"vectors: {progress.given_up} texts got none, since the model gave no usable vector")
    notes = memory.other_notes
    if notes.count:
        patterns = ", ".join(f'"{pattern}"' for pattern in notes.include[:4])
        found.append(
            f"no memory files in the workspace, but {notes.count} other Markdown files: "
            f"[files] include = [{patterns}] would index them"
        )
    found.extend(
        f"{health.name} failed and is being restarted ({health.last_error})"
        for health in memory.health.values()
        if health.last_error is not None and not health.running
    )
    return found


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
