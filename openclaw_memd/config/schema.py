"""Every configuration key with its type, range, default and meaning.

This is the one place that knows them: the loader, ``config.example.toml``, ``docs/configuration.md`` and the
messages about bad values are all made from it.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from openclaw_memd.config.sections import (
    AgentId,
    Cron,
    Dreaming,
    Escalation,
    Flush,
    Inject,
    Intents,
    Model,
    Search,
)

Text = Annotated[str, Meta(max_length=4096)]
HeaderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,128}\Z")]
HeaderValue = Annotated[str, Meta(pattern=r"^[ -~]{0,4096}\Z")]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


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


class ExtraPath(Section, frozen=True):
    """A folder or file outside the usual places that is searched as ``extra/<name>/...``."""

    name: Annotated[
        str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z", description="the virtual folder's name")
    ]
    path: Annotated[
        str, Meta(min_length=1, max_length=4096, description="folder or .md file; ~ is the home folder")
    ]
    pattern: Annotated[str, Meta(min_length=1, max_length=1024, description="glob below the folder")] = (
        "**/*.md"
    )


class Files(Section, frozen=True):
    """Which files are memory and how changes are noticed."""

    extra: Annotated[
        tuple[ExtraPath, ...],
        Meta(max_length=64, description="more places to search: [{name = ..., path = ..., pattern = ...}]"),
    ] = ()
    include: Annotated[
        tuple[Text, ...],
        Meta(max_length=256, description="globs of more Markdown files in the workspace, searched as extra"),
    ] = ()
    exclude: Annotated[
        tuple[Text, ...],
        Meta(max_length=256, description="patterns (gitignore syntax) to leave out, as .memdignore does"),
    ] = ()
    evergreen: Annotated[
        tuple[Text, ...],
        Meta(
            max_length=256,
            description="patterns (gitignore syntax) of dated notes that do not lose rank with age",
        ),
    ] = ()
    debounce_s: Annotated[
        float, Meta(ge=0.05, le=60, description="seconds of quiet after a change before it is indexed")
    ] = 1.5
    reconcile_s: Annotated[
        float, Meta(ge=5, le=86400, description="seconds between full comparisons of disk and index")
    ] = 300


class Chunking(Section, frozen=True):
    """How notes are cut for the index; a change rebuilds it."""

    tokens: Annotated[
        int,
        Meta(
            ge=32, le=2048, description="estimated tokens in a chunk (4 Latin letters or 1 CJK letter each)"
        ),
    ] = 400
    overlap: Annotated[int, Meta(ge=0, le=1024, description="estimated tokens that neighbours share")] = 80


class InputTypes(Section, frozen=True):
    """What some providers want to be told about a text."""

    query: Annotated[Text, Meta(description="value of input_type for queries; empty: none is sent")] = ""
    passage: Annotated[Text, Meta(description="value of input_type for stored text; empty: none is sent")] = (
        ""
    )


class Embedding(Section, frozen=True):
    """Vectors for search by meaning. Keyword search needs none of this."""

    provider: Annotated[
        Literal["auto", "local", "openai", "none"],
        Meta(
            description="auto: local if a model is installed, else keywords only; openai: any compatible API"
        ),
    ] = "auto"
    model: Annotated[
        Text,
        Meta(
            description="local: multilingual-e5-small, minilm or a .gguf file; openai: the API's model name"
        ),
    ] = ""
    base_url: Annotated[Text, Meta(description="openai: the API's address, up to and with /v1")] = ""
    api_key_env: Annotated[Text, Meta(description="openai: environment variable that holds the key")] = ""
    api_key_file: Annotated[Text, Meta(description="openai: file that holds the key")] = ""
    headers: Annotated[
        dict[HeaderName, HeaderValue], Meta(description="openai: more request headers, in ASCII")
    ] = field(default_factory=dict)
    dims: Annotated[
        int, Meta(ge=0, le=8192, description="openai: ask for this many dimensions; 0: the model's own")
    ] = 0
    input_types: Annotated[
        InputTypes,
        Meta(description='openai: {query = "...", passage = "..."} for providers that tell them apart'),
    ] = field(default_factory=InputTypes)
    batch: Annotated[
        int,
        Meta(
            ge=0,
            le=2048,
            description="openai: texts in a request at most; 0: learned from the API's refusals",
        ),
    ] = 0
    threads: Annotated[int, Meta(ge=1, le=64, description="local: threads of the embedding process")] = 1
    idle_unload_s: Annotated[
        float, Meta(ge=5, le=86400, description="local: seconds without work after which the process ends")
    ] = 600


class SessionFolder(Section, frozen=True):
    """A folder of transcripts that is read as it grows."""

    path: Annotated[str, Meta(min_length=1, max_length=4096, description="the folder")]
    format: Annotated[Literal["openclaw", "claude-code"], Meta(description="the transcripts' format")] = (
        "openclaw"
    )
    agent: Annotated[AgentId, Meta(description="the agent they belong to")] = "main"
    owner: Annotated[
        Literal["metadata", "local-user"],
        Meta(description="who plain user records are: as metadata says, or the owner of this machine"),
    ] = "metadata"
    network_tools: Annotated[
        tuple[Text, ...], Meta(max_length=256, description="tools whose results come from the network")
    ] = ()


class Sessions(Section, frozen=True):
    """Transcripts."""

    cross_conversation: Annotated[
        bool, Meta(description="let the owner's direct chats search one another")
    ] = False
    archives: Annotated[bool, Meta(description="keep reset and archived transcripts searchable")] = False
    folders: Annotated[tuple[SessionFolder, ...], Meta(max_length=64, description="folders to watch")] = ()


class Admission(Section, frozen=True):
    """What never enters memory."""

    exclude_channels: Annotated[
        tuple[Text, ...],
        Meta(
            max_length=1024,
            description="provider, provider:account or provider:account:conversation; * is any part",
        ),
    ] = ()
    exclude_chat_types: Annotated[
        tuple[Literal["direct", "group", "channel", "unknown"], ...],
        Meta(max_length=4, description="kinds of chat"),
    ] = ()
    exclude_participants: Annotated[tuple[Text, ...], Meta(max_length=1024, description="sender ids")] = ()
    exclude_sessions: Annotated[
        tuple[Text, ...], Meta(max_length=1024, description="globs of session ids")
    ] = ()
    owner_in_groups: Annotated[bool, Meta(description="the owner keeps the owner's rights in groups")] = False


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
