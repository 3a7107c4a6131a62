"""Every configuration key with its type, range, default and meaning.

This and the modules of sections beside it are the one place that knows them: the loader,
``config.example.toml``, ``docs/configuration.md`` and the messages about bad values are all made from it.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from openclaw_memd.config.corpus_sections import Chunking, Embedding, Files
from openclaw_memd.config.fields import AgentId, Cron, Section, Text
from openclaw_memd.config.sections import Dreaming, Escalation, Flush, Inject, Intents, Model, Search
from openclaw_memd.config.session_sections import Admission, Sessions


class Paths(Section, frozen=True):
    """Where memd keeps its own things; the workspace is under [agents.<id>]."""

    socket: Annotated[
        Text, Meta(description="Unix socket, absolute; empty: in $XDG_RUNTIME_DIR, else beside the state")
    ] = ""
    state_dir: Annotated[
        Text,
        Meta(
            description="parent of the state folders, outside of the memory; "
            "empty: $XDG_STATE_HOME/openclaw-memd"
        ),
    ] = ""
    data_dir: Annotated[Text, Meta(description="models and backups; empty: $XDG_DATA_HOME/openclaw-memd")] = (
        ""
    )


class Time(Section, frozen=True):
    """Time zone."""

    zone: Annotated[
        Text,
        Meta(description='IANA name that names daily files, schedules and "today"; local: the machine\'s'),
    ] = "local"


class History(Section, frozen=True):
    """Pre-images of curated files."""

    keep_days: Annotated[int, Meta(ge=1, le=3650, description="days to keep each")] = 90
    keep_least: Annotated[int, Meta(ge=1, le=10000, description="how many to keep in any case")] = 30


class Backup(Section, frozen=True):
    """Scheduled backups."""

    schedule: Annotated[Cron, Meta(description="cron expression; empty: none")] = ""
    keep_daily: Annotated[int, Meta(ge=0, le=366, description="daily ones to keep")] = 7
    keep_weekly: Annotated[int, Meta(ge=0, le=520, description="weekly ones to keep")] = 4


class Limits(Section, frozen=True):
    """What one caller can ask for."""

    connections: Annotated[int, Meta(ge=1, le=4096, description="open connections that may call")] = 64
    header_bytes: Annotated[int, Meta(ge=1024, le=65536, description="HTTP header")] = 8192
    body_bytes: Annotated[int, Meta(ge=4096, le=67108864, description="request body or line")] = 1048576
    read_s: Annotated[
        float, Meta(ge=0.1, le=300, description="seconds in which a header, a body or a line must arrive")
    ] = 5
    in_flight: Annotated[
        int, Meta(ge=1, le=1024, description="calls that run at once; half of them for one connection")
    ] = 32
    queue: Annotated[int, Meta(ge=0, le=4096, description="calls that wait")] = 64
    batch: Annotated[int, Meta(ge=1, le=1024, description="calls in a batch")] = 32
    depth: Annotated[int, Meta(ge=4, le=256, description="nesting of JSON")] = 32
    query_bytes: Annotated[int, Meta(ge=64, le=1048576, description="a search query")] = 4096
    note_bytes: Annotated[int, Meta(ge=1024, le=16777216, description="a note")] = 65536
    file_bytes: Annotated[int, Meta(ge=1024, le=268435456, description="an indexed file")] = 4194304
    files: Annotated[int, Meta(ge=1, le=10000000, description="indexed files")] = 50000
    result_bytes: Annotated[int, Meta(ge=4096, le=67108864, description="an answer")] = 262144
    read_ms: Annotated[int, Meta(ge=10, le=600000, description="deadline of calls that read")] = 2000
    write_ms: Annotated[int, Meta(ge=10, le=600000, description="deadline of calls that write")] = 5000
    sync_ms: Annotated[int, Meta(ge=10, le=3600000, description="deadline of index.sync")] = 10000


class Logging(Section, frozen=True):
    """The log, on standard error."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="least severity shown")
    ] = "info"
    format: Annotated[
        Literal["auto", "json", "console"],
        Meta(description="auto: console on a terminal, JSON elsewhere"),
    ] = "auto"


class Agent(Section, frozen=True):
    """One agent: its workspace, and its own values of the sections that may differ by agent."""

    workspace: Annotated[
        Text,
        Meta(
            description="the folder of Markdown files, not inside another agent's; "
            "the default one is created, a named one must exist"
        ),
    ] = ""
    model: Model = field(default_factory=Model)
    search: Search = field(default_factory=Search)
    inject: Inject = field(default_factory=Inject)
    escalation: Escalation = field(default_factory=Escalation)
    flush: Flush = field(default_factory=Flush)
    intents: Intents = field(default_factory=Intents)
    dreaming: Dreaming = field(default_factory=Dreaming)


class Config(Section, frozen=True):
    """The whole configuration."""

    paths: Paths = field(default_factory=Paths)
    agents: dict[AgentId, Agent] = field(default_factory=lambda: {"main": Agent()})
    time: Time = field(default_factory=Time)
    files: Files = field(default_factory=Files)
    chunking: Chunking = field(default_factory=Chunking)
    embedding: Embedding = field(default_factory=Embedding)
    model: Model = field(default_factory=Model)
    search: Search = field(default_factory=Search)
    inject: Inject = field(default_factory=Inject)
    escalation: Escalation = field(default_factory=Escalation)
    flush: Flush = field(default_factory=Flush)
    sessions: Sessions = field(default_factory=Sessions)
    admission: Admission = field(default_factory=Admission)
    intents: Intents = field(default_factory=Intents)
    dreaming: Dreaming = field(default_factory=Dreaming)
    history: History = field(default_factory=History)
    backup: Backup = field(default_factory=Backup)
    limits: Limits = field(default_factory=Limits)
    logging: Logging = field(default_factory=Logging)


PER_AGENT = ("model", "search", "inject", "escalation", "flush", "intents", "dreaming")
"""Sections that ``[agents.<id>.<section>]`` may override key by key."""
