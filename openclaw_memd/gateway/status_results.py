"""What ``status`` answers."""

from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.gateway.results import Freshness, JobReport, Result


class SourceCount(Result, frozen=True, kw_only=True):
    """Files and chunks of one source."""

    source: str
    files: int
    chunks: int


class SkippedFile(Result, frozen=True, kw_only=True):
    """A file that should have been indexed and could not be."""

    path: Annotated[str, Meta(description="relative to the workspace")]
    reason: Annotated[str, Meta(description="a code of the list of reasons")]


class Excluded(Result, frozen=True, kw_only=True):
    """Things that a setting or rule keeps out."""

    what: str
    count: int
    reason: Annotated[str, Meta(description="a code of the list of reasons")]


class WatchReport(Result, frozen=True, kw_only=True):
    """How changes on disk are noticed."""

    mode: Annotated[
        Literal["events", "polling", "parked"],
        Meta(description="events of the system, a comparison now and then, or none"),
    ]
    last_scan_at: Annotated[str | None, Meta(description="last full comparison of disk and index")]
    restarts: Annotated[int, Meta(description="times that watching failed and was started again")]


class EmbeddingReport(Result, frozen=True, kw_only=True):
    """The state of the vectors' provider."""

    provider: str
    model: str | None
    dims: Annotated[int | None, Meta(description="length of a vector")]
    state: Annotated[
        Literal["ready", "loading", "idle", "off", "degraded", "paused"],
        Meta(description="idle: loaded with the next text; paused: waits for somebody to act"),
    ]
    reason: Annotated[str | None, Meta(description="what is wrong and what to do")] = None


class ModelReport(Result, frozen=True, kw_only=True):
    """The state of the chat model."""

    provider: Annotated[str, Meta(description="none, runtime, openai or local")]
    state: Annotated[
        Literal["ready", "loading", "idle", "off", "degraded"],
        Meta(description="idle: loaded or connected with the next question, or no runtime is attached"),
    ]
    model: Annotated[str | None, Meta(description="its name, as far as it is known")] = None
    reason: Annotated[str | None, Meta(description="what is wrong and what to do")] = None


class CuratedReport(Result, frozen=True, kw_only=True):
    """How much of a curated file reaches a prompt."""

    file: str
    chars: Annotated[int, Meta(description="length of the file, in code points as all of these")]
    budget: int
    injected_chars: int
    left_out: Annotated[int, Meta(description="entries that do not fit")]
    writer: Annotated[
        Literal["exchange", "weak"],
        Meta(description="weak: two files cannot be exchanged in one step here"),
    ]


class SpoolReport(Result, frozen=True, kw_only=True):
    """Writes that wait for the disk."""

    items: int


class DreamingReport(Result, frozen=True, kw_only=True):
    """The state of consolidation."""

    mode: str
    last_run_at: str | None
    last_outcome: str | None
    next_run_at: str | None
    zone: str
    short_term: int
    promoted: int


class IntentsReport(Result, frozen=True, kw_only=True):
    """Standing intents by state."""

    pending: int
    armed: int
    fired: int


class TranscriptsReport(Result, frozen=True, kw_only=True):
    """One folder of transcripts that is watched for an agent; its path is not told."""

    format: Literal["openclaw", "claude-code"]
    files: Annotated[int, Meta(description="files that are read, or wait to be")]
    pending: Annotated[int, Meta(description="those of them that wait, since they are new or changed")]
    messages: Annotated[int, Meta(description="messages that were found in them, kept or not")]
    unattributed: Annotated[
        int, Meta(description="messages of users that name nobody, so they are not trusted")
    ]
    broken: Annotated[int, Meta(description="lines left out because they are no JSON objects")]
    too_long: Annotated[int, Meta(description="lines left out because they are longer than 8 MiB")]


class StorageReport(Result, frozen=True, kw_only=True):
    """Sizes on disk."""

    index_bytes: int
    state_bytes: int | None
    vectors_bytes: int


class AgentReport(Result, frozen=True, kw_only=True):
    """One agent and its index. Long lists show the first 200; the counts are whole."""

    agent: str
    workspace: Annotated[str, Meta(description="absolute path")]
    files: int
    chunks: int
    vectors: Annotated[int, Meta(description="chunks that have a vector")]
    pending: Annotated[int, Meta(description="files that changed and are not indexed yet")]
    freshness: Annotated[
        Freshness,
        Meta(description="fresh: nothing waits; stale: files wait; partial: rebuilding, or some unreadable"),
    ]
    sources: tuple[SourceCount, ...]
    skipped: Annotated[tuple[SkippedFile, ...], Meta(description="files with a problem")]
    excluded: Annotated[tuple[Excluded, ...], Meta(description="files left out by choice")]
    watch: WatchReport
    embedding: EmbeddingReport
    model: ModelReport | None
    curated: Annotated[
        tuple[CuratedReport, ...] | None, Meta(description="how much of the curated files sessions are given")
    ]
    spool: Annotated[
        SpoolReport | None, Meta(description="accepted texts that wait to be written to their notes")
    ]
    dreaming: Annotated[DreamingReport | None, Meta(description="null: the ledger cannot be read")]
    intents: Annotated[
        IntentsReport | None, Meta(description="open standing intents; null while the ledger cannot be read")
    ]
    storage: StorageReport
    skipped_count: Annotated[int | None, Meta(description="how many, when more than are listed")] = None
    transcripts: Annotated[
        tuple[TranscriptsReport, ...], Meta(description="folders of `[[sessions.folders]]`, in their order")
    ] = ()


class BackupReport(Result, frozen=True, kw_only=True):
    """How the last backup went, and when the next is due."""

    last_at: str | None
    last_outcome: Annotated[
        Literal["ok", "failed", "cancelled"] | None, Meta(description="null: none was made yet")
    ]
    path: Annotated[str | None, Meta(description="relative to the data folder; null for one elsewhere")]
    reason: Annotated[str | None, Meta(description="why it failed: a code of the list of reasons")] = None
    left_out: Annotated[int, Meta(ge=0, description="paths that are not in it")] = 0
    next_at: Annotated[str | None, Meta(description="null without a schedule")]


class StatusReport(Result, frozen=True, kw_only=True):
    """Result of ``status``."""

    version: str
    pid: int
    uptime_s: float
    state: Annotated[
        Literal["starting", "ok", "degraded"],
        Meta(description="starting: not to be asked yet; degraded: see agents and warnings"),
    ]
    socket: str
    agents: tuple[AgentReport, ...]
    jobs: tuple[JobReport, ...]
    warnings: Annotated[tuple[str, ...], Meta(description="plain sentences about what to know or do")]
    backup: Annotated[
        BackupReport | None, Meta(description="left out while there is neither a backup nor a schedule")
    ] = None
