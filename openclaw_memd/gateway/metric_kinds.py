"""Every metric that memd has: what ``/metrics`` heads it with, and what docs/metrics.md must tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Kind:
    """One metric. All labels have few values: agents, methods and codes of our own, never text of callers."""

    type: Literal["counter", "gauge", "histogram"]
    meaning: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One number of the metric ``name``; ``labels`` are the values of its labels, in their order."""

    name: str
    value: float
    labels: tuple[str, ...] = ()


_AGENT = ("agent",)

KINDS: Final[Mapping[str, Kind]] = {
    "memd_info": Kind("gauge", "Always 1.", ("version",)),
    "memd_state": Kind("gauge", "1 for the state that status tells, else 0.", ("state",)),
    "memd_healthy": Kind("gauge", "Whether /health is 200."),
    "memd_uptime_seconds": Kind("gauge", "Time since the start."),
    "memd_warnings": Kind("gauge", "Warnings that status tells."),
    "memd_status_seconds": Kind("gauge", "How long it took to look at everything for this page."),
    "memd_calls_total": Kind("counter", "Calls by method and outcome.", ("method", "outcome")),
    "memd_call_seconds": Kind("histogram", "Time of calls.", ("method",)),
    "memd_calls_running": Kind("gauge", "Calls that run.", ("pace",)),
    "memd_calls_waiting": Kind("gauge", "Calls that wait for a place.", ("pace",)),
    "memd_requests_refused_total": Kind("counter", "Messages that were no call of a method.", ("kind",)),
    "memd_connections": Kind("gauge", "Open connections."),
    "memd_connections_refused_total": Kind("counter", "Connections that were refused.", ("reason",)),
    "memd_searches_total": Kind("counter", "Searches by mode and why there was no hit.", ("mode", "empty")),
    "memd_injected_total": Kind("counter", "What messages brought along.", ("what",)),
    "memd_turns_degraded_total": Kind("counter", "Parts of turns that failed or were late.", ("part",)),
    "memd_escalations_total": Kind("counter", "Whether turns advised a deep recall.", ("run", "reason")),
    "memd_deep_recalls_total": Kind("counter", "Deep recalls by outcome.", ("outcome", "reason")),
    "memd_files": Kind("gauge", "Indexed files.", _AGENT),
    "memd_chunks": Kind("gauge", "Indexed chunks.", _AGENT),
    "memd_vectors": Kind("gauge", "Chunks with a vector.", _AGENT),
    "memd_vectors_given_up": Kind("gauge", "Texts for which the model gave no usable vector.", _AGENT),
    "memd_vectors_in_memory": Kind("gauge", "Vectors that are held in memory.", _AGENT),
    "memd_line_vectors": Kind(
        "gauge", "Texts whose lines have vectors, and that wait for them.", ("agent", "state")
    ),
    "memd_pending": Kind("gauge", "Changes that wait to be indexed.", _AGENT),
    "memd_freshness": Kind("gauge", "1 for how the index is, else 0.", ("agent", "freshness")),
    "memd_last_scan_timestamp_seconds": Kind("gauge", "When disk and index were last compared.", _AGENT),
    "memd_changes_total": Kind("counter", "Files that syncs took up.", ("agent", "change")),
    "memd_skipped": Kind("gauge", "Files that should be indexed and cannot be.", ("agent", "reason")),
    "memd_excluded": Kind("gauge", "What a setting or rule keeps out.", ("agent", "what", "reason")),
    "memd_watch": Kind("gauge", "1 for how changes on disk are noticed, else 0.", ("agent", "mode")),
    "memd_watch_restarts_total": Kind("counter", "Times that watching failed.", _AGENT),
    "memd_embedding": Kind("gauge", "1 for the state of the embedding model, else 0.", ("agent", "state")),
    "memd_model": Kind("gauge", "1 for the state of the chat model, else 0.", ("agent", "state")),
    "memd_curated_chars": Kind("gauge", "Length of a curated file.", ("agent", "file")),
    "memd_curated_budget_chars": Kind(
        "gauge", "How much of it sessions are given at most.", ("agent", "file")
    ),
    "memd_curated_left_out": Kind("gauge", "Entries that do not fit.", ("agent", "file")),
    "memd_spooled": Kind("gauge", "Accepted texts that wait to be written to their notes.", _AGENT),
    "memd_transcripts": Kind("gauge", "Watched transcripts that are read, or wait.", ("agent", "state")),
    "memd_transcript_messages": Kind(
        "gauge", "Messages in them, by whether it is known who wrote.", ("agent", "speaker")
    ),
    "memd_transcript_lines_left_out": Kind(
        "gauge", "Lines in them that are unreadable.", ("agent", "reason")
    ),
    "memd_write_failures": Kind("gauge", "Databases whose last write the disk refused.", _AGENT),
    "memd_intents": Kind("gauge", "Open standing intents.", ("agent", "status")),
    "memd_intents_due_total": Kind("counter", "Reminders and follow-ups that came due.", _AGENT),
    "memd_dreams_total": Kind("counter", "Nights by outcome.", ("agent", "outcome")),
    "memd_dream_last_timestamp_seconds": Kind("gauge", "When the last night began.", _AGENT),
    "memd_dream_next_timestamp_seconds": Kind("gauge", "When the next night is due.", _AGENT),
    "memd_short_term": Kind("gauge", "Candidates that nights look at.", _AGENT),
    "memd_promoted": Kind("gauge", "Entries that nights wrote and that are still there.", _AGENT),
    "memd_storage_bytes": Kind("gauge", "Size of a database with its log.", ("agent", "database")),
    "memd_task_restarts_total": Kind("counter", "Times that parts failed and were started again.", _AGENT),
    "memd_tasks_down": Kind("gauge", "Parts that failed and wait to be started again.", _AGENT),
    "memd_jobs": Kind("gauge", "Jobs that run or wait.", ("kind", "state")),
    "memd_jobs_ended_total": Kind("counter", "Jobs that ended.", ("kind", "state")),
    "memd_backup_ok": Kind("gauge", "Whether the last backup was made."),
    "memd_backup_last_timestamp_seconds": Kind("gauge", "When the last backup was begun."),
    "memd_backup_next_timestamp_seconds": Kind("gauge", "When the next backup is due."),
    "process_resident_memory_bytes": Kind("gauge", "Memory of the daemon without its child processes."),
    "process_cpu_seconds_total": Kind("counter", "Processor time of the daemon."),
    "process_open_fds": Kind("gauge", "Open file descriptors."),
    "process_max_fds": Kind("gauge", "How many may be open."),
    "process_start_time_seconds": Kind("gauge", "When the process began."),
}
