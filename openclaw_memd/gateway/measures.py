"""A status report as numbers for ``/metrics``."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, get_args, get_type_hints

from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.results import Freshness
from openclaw_memd.gateway.status_results import (
    AgentReport,
    BackupReport,
    EmbeddingReport,
    ModelReport,
    StatusReport,
    WatchReport,
)


def _values(struct: type, name: str) -> tuple[str, ...]:
    """The values that a field of literals may have."""
    return get_args(get_type_hints(struct)[name])


_STATES = _values(StatusReport, "state")
_MODES = _values(WatchReport, "mode")
_EMBEDDING = _values(EmbeddingReport, "state")
_MODEL = _values(ModelReport, "state")
_FRESHNESS: tuple[str, ...] = get_args(Freshness)


def measure(report: StatusReport) -> Iterator[Sample]:
    """Everything that has a number, and each state as one of those that there are."""
    yield Sample("memd_info", 1, (report.version,))
    yield Sample("memd_uptime_seconds", report.uptime_s)
    yield Sample("memd_warnings", len(report.warnings))
    yield from _one_of("memd_state", report.state, _STATES)
    jobs = Counter((job.kind, job.state) for job in report.jobs if job.state in ("queued", "running"))
    for key, count in jobs.items():
        yield Sample("memd_jobs", count, key)
    if report.backup is not None:
        yield from _measure_backup(report.backup)
    for one in report.agents:
        yield from _measure_index(one)
        yield from _measure_work(one)


def _measure_index(one: AgentReport) -> Iterator[Sample]:
    agent = one.agent
    yield Sample("memd_files", one.files, (agent,))
    yield Sample("memd_chunks", one.chunks, (agent,))
    yield Sample("memd_vectors", one.vectors, (agent,))
    yield Sample("memd_pending", one.pending, (agent,))
    yield from _one_of("memd_freshness", one.freshness, _FRESHNESS, agent)
    yield from _at("memd_last_scan_timestamp_seconds", one.watch.last_scan_at, agent)
    for out in one.excluded:
        yield Sample("memd_excluded", out.count, (agent, out.what, out.reason))
    yield from _one_of("memd_watch", one.watch.mode, _MODES, agent)
    yield Sample("memd_watch_restarts_total", one.watch.restarts, (agent,))
    yield from _one_of("memd_embedding", one.embedding.state, _EMBEDDING, agent)
    if one.model is not None:
        yield from _one_of("memd_model", one.model.state, _MODEL, agent)
    sizes = {
        "index": one.storage.index_bytes,
        "state": one.storage.state_bytes,
        "vectors": one.storage.vectors_bytes,
    }
    for database, size in sizes.items():
        if size is not None:
            yield Sample("memd_storage_bytes", size, (agent, database))


def _measure_work(one: AgentReport) -> Iterator[Sample]:
    agent = one.agent
    for curated in one.curated or ():
        labels = (agent, curated.file)
        yield Sample("memd_curated_chars", curated.chars, labels)
        yield Sample("memd_curated_budget_chars", curated.budget, labels)
        yield Sample("memd_curated_left_out", curated.left_out, labels)
    if one.spool is not None:
        yield Sample("memd_spooled", one.spool.items, (agent,))
    if one.transcripts:
        yield from _measure_transcripts(one)
    if one.intents is not None:
        for status in ("pending", "armed", "fired"):
            yield Sample("memd_intents", getattr(one.intents, status), (agent, status))
    if one.dreaming is not None:
        yield from _at("memd_dream_last_timestamp_seconds", one.dreaming.last_run_at, agent)
        yield from _at("memd_dream_next_timestamp_seconds", one.dreaming.next_run_at, agent)
        yield Sample("memd_short_term", one.dreaming.short_term, (agent,))
        yield Sample("memd_promoted", one.dreaming.promoted, (agent,))


def _measure_transcripts(one: AgentReport) -> Iterator[Sample]:
    """Of all folders together."""
    agent, folders = one.agent, one.transcripts
    waiting = sum(folder.pending for folder in folders)
    unknown = sum(folder.unattributed for folder in folders)
    yield Sample("memd_transcripts", sum(folder.files for folder in folders) - waiting, (agent, "read"))
    yield Sample("memd_transcripts", waiting, (agent, "waiting"))
    known = sum(folder.messages for folder in folders) - unknown
    yield Sample("memd_transcript_messages", known, (agent, "known"))
    yield Sample("memd_transcript_messages", unknown, (agent, "unknown"))
    for reason in ("broken", "too_long"):
        count = sum(getattr(folder, reason) for folder in folders)
        yield Sample("memd_transcript_lines_left_out", count, (agent, reason))


def _measure_backup(backup: BackupReport) -> Iterator[Sample]:
    if backup.last_outcome is not None:
        yield Sample("memd_backup_ok", backup.last_outcome == "ok")
    yield from _at("memd_backup_last_timestamp_seconds", backup.last_at)
    yield from _at("memd_backup_next_timestamp_seconds", backup.next_at)


def _one_of(name: str, value: str, values: tuple[Any, ...], *labels: str) -> Iterator[Sample]:
    for each in values:
        yield Sample(name, each == value, (*labels, each))


def _at(name: str, stamp: str | None, *labels: str) -> Iterator[Sample]:
    if stamp is not None:
        yield Sample(name, datetime.fromisoformat(stamp).timestamp(), labels)
