"""``note.*`` and ``flush.*``: what they take, what they answer and how they are served."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from openclaw_memd.domain.note_entries import NoteEntry
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, Identifier, NotePath, Shape, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.notes.flushing import FlushRequest

OriginName = Literal["owner", "agent", "untrusted", "system"]
NoteText = Annotated[str, Meta(description="Markdown to add")]
ContentHash = Annotated[
    str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of the file's bytes, in lower-case hex")
]
HashBefore = Annotated[
    str, Meta(pattern="^([0-9a-f]{64})?$", description="the same before the change, empty: no file")
]
Count = Annotated[int, Meta(ge=0, le=2**53)]


class EntryParams(Shape, frozen=True, kw_only=True):
    """One entry: a list item with what it says of itself in comments behind it."""

    text: NoteText
    importance: Annotated[int, Meta(ge=1, le=10)] | None = None
    triggers: Annotated[tuple[str, ...], Meta(max_length=16, description="phrases, for curated files")] = ()
    supersedes_key: Annotated[str | None, Meta(description="what the entry is about, as one key")] = None
    project: Annotated[str | None, Meta(description="project key; default: the context's")] = None


Entries = Annotated[tuple[EntryParams, ...], Meta(max_length=200)]


class NoteAppendParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``note.append``: either ``text`` or ``entries``."""

    text: NoteText | None = None
    slug: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="a note of its own for a topic, in the same day"),
    ] = None
    entries: Entries | None = None


class NoteObserveParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``note.observe``."""

    path: NotePath
    before_hash: HashBefore
    after_hash: ContentHash


class FlushPlanParams(CallParams, frozen=True, kw_only=True):
    """Params of ``flush.plan``."""

    projected_tokens: Annotated[Count, Meta(description="tokens of the next prompt")]
    cycle_id: Annotated[Identifier, Meta(description="the same until the conversation is compacted")]
    context_window: Annotated[Count | None, Meta(description="tokens; default: 200000")] = None
    reserve_tokens: Annotated[Count | None, Meta(description="tokens kept free; default: [flush]")] = None
    transcript_bytes: Count | None = None
    sandbox: Annotated[
        bool | str | None, Meta(description="the runtime cannot write: true, `read-only` or `none`")
    ] = None
    self_compacting: Annotated[bool, Meta(description="the runtime compacts by itself")] = False


class FlushAppendParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``flush.append``: either ``text`` or ``entries``."""

    cycle_id: Identifier
    text: NoteText | None = None
    entries: Entries | None = None


class AppendedPart(Result, frozen=True, kw_only=True):
    """What went to one file; lines are null while it waits to be written."""

    path: str
    start_line: int | None
    end_line: int | None
    origin: OriginName
    hash: str
    spooled: bool


class Appended(Written, frozen=True, kw_only=True):
    """Where the text is. A text may go to two files: ``parts`` has both, the rest is of the first."""

    path: str
    start_line: int | None
    end_line: int | None
    origin: Annotated[OriginName, Meta(description="of the least trusted part")]
    hash: str
    appended: Annotated[bool, Meta(description="false: the same text was there already, or there is none")]
    spooled: Annotated[bool, Meta(description="some of it waits to be written; nothing of it can be lost")]
    parts: tuple[AppendedPart, ...] = ()


class Observed(Written, frozen=True, kw_only=True):
    """What the reported change counts as."""

    origin: OriginName


class FlushPlan(Result, frozen=True, kw_only=True):
    """Whether to save notes now, and how."""

    due: bool
    reason: Annotated[str, Meta(description="a code of the list of reasons")]
    path: Annotated[str, Meta(description="where what is trusted will go; callers choose no file")]
    system_prompt: str
    prompt: str
    model: str | None = None
    silent_token: str
    append_only: bool


async def append_note(call: Call, params: NoteAppendParams) -> Appended:
    """``note.append``."""
    appended = await call.services.agent(params.agent_id).notes.append(
        call.caller,
        text=params.text,
        entries=_entries(params.entries),
        slug=params.slug,
        request_key=params.request_key,
    )
    return msgspec.convert(appended, Appended, from_attributes=True)


async def observe_write(call: Call, params: NoteObserveParams) -> Observed:
    """``note.observe``."""
    agent = call.services.agent(params.agent_id)
    observed = await agent.observe(call.caller, params.path, params.before_hash, params.after_hash)
    return Observed(origin=observed.origin.value)


async def plan_flush(call: Call, params: FlushPlanParams) -> FlushPlan:
    """``flush.plan``."""
    plan = await call.services.agent(params.agent_id).notes.flush_plan(
        call.caller,
        FlushRequest(
            projected_tokens=params.projected_tokens,
            cycle_id=params.cycle_id,
            context_window=params.context_window,
            reserve_tokens=params.reserve_tokens,
            transcript_bytes=params.transcript_bytes,
            read_only_sandbox=is_read_only(params.sandbox),
            self_compacting=params.self_compacting,
        ),
    )
    return msgspec.convert(plan, FlushPlan, from_attributes=True)


async def append_flush(call: Call, params: FlushAppendParams) -> Appended:
    """``flush.append``."""
    appended = await call.services.agent(params.agent_id).notes.flush_append(
        call.caller,
        cycle_id=params.cycle_id,
        text=params.text,
        entries=_entries(params.entries),
        request_key=params.request_key,
    )
    return msgspec.convert(appended, Appended, from_attributes=True)


def is_read_only(sandbox: bool | str | None) -> bool:
    """Whether a runtime in this sandbox could not write a note; ``rw`` and the like are no hindrance."""
    if isinstance(sandbox, str):
        return sandbox.strip().casefold() in ("ro", "read-only", "readonly", "none")
    return sandbox is True


def _entries(entries: Sequence[EntryParams] | None) -> tuple[NoteEntry, ...] | None:
    if entries is None:
        return None
    return tuple(
        NoteEntry(
            text=entry.text,
            importance=entry.importance,
            triggers=entry.triggers,
            supersedes_key=entry.supersedes_key,
            project=entry.project,
        )
        for entry in entries
    )


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="note.append",
        right="N",
        pace="write",
        params=NoteAppendParams,
        results=(Appended,),
        handler=append_note,
        summary="Add to today's note; the daemon chooses the file by the day and by the text's origin.",
        example={"text": "- The gateway moved to port 9400.", "context": {"session_id": "s1"}},
        keeps_request_keys=True,
    ),
    Method(
        name="note.observe",
        right="N",
        pace="write",
        params=NoteObserveParams,
        results=(Observed,),
        handler=observe_write,
        summary="Report that a tool of the runtime changed a memory file, so that its lines have an origin.",
        example={
            "path": "memory/2026-01-11.md",
            "before_hash": "",
            "after_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        },
    ),
    Method(
        name="flush.plan",
        right="N",
        pace="write",
        params=FlushPlanParams,
        results=(FlushPlan,),
        handler=plan_flush,
        summary="Whether notes should be saved before the conversation is compacted, and with which prompts.",
        example={"projected_tokens": 180000, "cycle_id": "1"},
    ),
    Method(
        name="flush.append",
        right="N",
        pace="write",
        params=FlushAppendParams,
        results=(Appended,),
        handler=append_flush,
        summary="Save what a flush brought; nobody vouches for text that came from outside in this cycle.",
        example={"text": "- Ana prefers the night train.", "cycle_id": "1"},
        keeps_request_keys=True,
    ),
)
