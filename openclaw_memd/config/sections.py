"""The sections of the configuration that may be repeated under ``[agents.<id>.<section>]``."""

from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.config.fields import ChatType, Cron, Prompt, Section, Text


class Model(Section, frozen=True):
    """The chat model for deep recall and consolidation; memory works without one."""

    provider: Annotated[
        Literal["none", "runtime", "openai", "local"],
        Meta(
            description="runtime: the attached runtime's own; openai: any compatible API; local: a .gguf file"
        ),
    ] = "none"
    model: Annotated[Text, Meta(description="the API's model name, or the .gguf file")] = ""
    base_url: Annotated[Text, Meta(description="openai: the API's address, up to and with /v1")] = ""
    api_key_env: Annotated[Text, Meta(description="openai: environment variable that holds the key")] = ""
    api_key_file: Annotated[Text, Meta(description="openai: file that holds the key")] = ""
    timeout_s: Annotated[float, Meta(ge=1, le=3600, description="seconds for one answer")] = 60


class Search(Section, frozen=True):
    """Explicit search."""

    max_results: Annotated[int, Meta(ge=1, le=100, description="hits when the caller does not say")] = 6
    min_score: Annotated[
        float, Meta(ge=0, le=1, description="least score of a hit when the caller does not say")
    ] = 0.35
    half_life_days: Annotated[
        float,
        Meta(ge=1, le=36500, description="days in which a dated note loses half its weight, down to 0.6"),
    ] = 30
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]{2,3}\Z")], ...],
        Meta(
            min_length=1, max_length=8, description="languages in Latin script whose word forms are matched"
        ),
    ] = ("en",)


class Inject(Section, frozen=True):
    """What is put into a prompt without being asked for."""

    file_chars: Annotated[int, Meta(ge=256, le=1000000, description="one bootstrap file")] = 12000
    total_chars: Annotated[int, Meta(ge=256, le=10000000, description="all bootstrap files")] = 60000
    user_chars: Annotated[int, Meta(ge=256, le=1000000, description="USER.md")] = 4000
    trigger_score: Annotated[float, Meta(ge=0, le=1, description="least score of a trigger")] = 0.72
    trigger_entries: Annotated[int, Meta(ge=0, le=32, description="entries that triggers may bring")] = 3
    deadline_ms: Annotated[int, Meta(ge=10, le=60000, description="deadline of inject.turn")] = 250
    startup_days: Annotated[int, Meta(ge=0, le=14, description="days of notes at the start of a session")] = 2
    startup_file_chars: Annotated[int, Meta(ge=1, le=10000, description="one of those notes")] = 1200
    startup_total_chars: Annotated[int, Meta(ge=1, le=50000, description="all of those notes")] = 2800


class Escalation(Section, frozen=True):
    """When a message gets deep recall."""

    mode: Annotated[
        Literal["escalate", "always", "off"],
        Meta(description="escalate: when the message asks about the past and nothing was injected"),
    ] = "escalate"
    chat_types: Annotated[tuple[ChatType, ...], Meta(max_length=4, description="kinds of chat that may")] = (
        "direct",
    )
    allow: Annotated[tuple[Text, ...], Meta(max_length=1024, description="conversations; empty: all")] = ()
    deny: Annotated[tuple[Text, ...], Meta(max_length=1024, description="conversations that may not")] = ()
    timeout_ms: Annotated[int, Meta(ge=250, le=120000, description="deadline of recall.deep")] = 15000


class Flush(Section, frozen=True):
    """Saving notes before a conversation is compacted."""

    enabled: Annotated[bool, Meta(description="plan flushes")] = True
    soft_tokens: Annotated[
        int, Meta(ge=0, le=10000000, description="distance from the limit that is due")
    ] = 4000
    reserve_tokens: Annotated[int, Meta(ge=0, le=10000000, description="reserve for the answer")] = 20000
    force_bytes: Annotated[int, Meta(ge=1024, le=1073741824, description="transcript size that is due")] = (
        2097152
    )
    model: Annotated[Text, Meta(description="model that the runtime should use; empty: its own")] = ""
    prompt: Annotated[Prompt, Meta(description="user prompt; empty: the built-in one")] = ""
    system_prompt: Annotated[Prompt, Meta(description="system prompt; empty: the built-in one")] = ""


class Intents(Section, frozen=True):
    """Standing intents and reminders."""

    cooldown_s: Annotated[int, Meta(ge=0, le=31536000, description="seconds between fires of one intent")] = (
        86400
    )
    max_fires: Annotated[int, Meta(ge=1, le=1000, description="fires of one intent")] = 3
    expiry_days: Annotated[int, Meta(ge=1, le=3650, description="days until an intent expires")] = 90
    per_turn: Annotated[
        int, Meta(ge=0, le=32, description="intents that one message may fire, and reminders that it brings")
    ] = 3
    follow_ups: Annotated[bool, Meta(description="accept follow-ups that a runtime inferred")] = False


class Dreaming(Section, frozen=True):
    """The nightly pass that promotes what kept being useful."""

    mode: Annotated[
        Literal["write", "propose", "off"], Meta(description="write MEMORY.md, ask first, or do nothing")
    ] = "write"
    schedule: Annotated[Cron, Meta(description="cron expression in the configured zone")] = "0 3 * * *"
    light_schedule: Annotated[Cron, Meta(description="its own schedule for this phase; empty: none")] = ""
    rem_schedule: Annotated[Cron, Meta(description="its own schedule for this phase; empty: none")] = ""
    deep_schedule: Annotated[Cron, Meta(description="its own schedule for this phase; empty: none")] = ""
    min_score: Annotated[float, Meta(ge=0, le=1, description="least score of a promotion")] = 0.75
    min_recalls: Annotated[int, Meta(ge=1, le=1000, description="least recalls of a promotion")] = 3
    min_queries: Annotated[
        int, Meta(ge=1, le=1000, description="least different questions of a promotion")
    ] = 3
    half_life_days: Annotated[float, Meta(ge=1, le=3650, description="days in which a signal halves")] = 14
    max_age_days: Annotated[int, Meta(ge=1, le=3650, description="age of the oldest candidate")] = 30
    limit: Annotated[int, Meta(ge=0, le=1000, description="promotions a night")] = 10
    loss_night: Annotated[
        float, Meta(ge=0, le=1, description="share of MEMORY.md that one night may rewrite")
    ] = 0.25
    loss_week: Annotated[float, Meta(ge=0, le=1, description="share that seven days may rewrite")] = 0.4
    beside_openclaw: Annotated[
        bool, Meta(description="keep to the schedule where OpenClaw dreams on the same workspace")
    ] = False
