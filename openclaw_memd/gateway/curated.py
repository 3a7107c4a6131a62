"""``memory.remember`` and ``memory.lint``: what they take, what they answer and how they are served."""

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from openclaw_memd.curated.remember import Wish
from openclaw_memd.domain.curated_files import CuratedFile
from openclaw_memd.domain.note_entries import NoteEntry
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method


class RememberParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``memory.remember``: one entry, and what it says of itself."""

    text: Annotated[str, Meta(description="one thing to know; in USER.md one instruction")]
    file: Annotated[CuratedFile, Meta(description="MEMORY.md for facts, USER.md for instructions")] = (
        "MEMORY.md"
    )
    importance: Annotated[int, Meta(ge=1, le=10)] | None = None
    triggers: Annotated[
        tuple[str, ...], Meta(max_length=16, description="phrases: a message that has one brings the entry")
    ] = ()
    project: Annotated[
        str | None,
        Meta(description="project key; empty: none; default: the context's, and in USER.md always none"),
    ] = None
    supersedes_key: Annotated[
        str | None,
        Meta(description="what the entry is about, as one key: it replaces the one with the same key"),
    ] = None
    replaces: Annotated[
        str | None, Meta(description="the entry that it replaces: all it says, or its citation")
    ] = None
    review: Annotated[date | None, Meta(description="when to look at it again")] = None
    expires: Annotated[date | None, Meta(description="the last day on which it holds")] = None


class LintParams(CallParams, frozen=True, kw_only=True):
    """Params of ``memory.lint``."""

    file: Annotated[CuratedFile | None, Meta(description="default: both")] = None


class RememberResult(Written, frozen=True, kw_only=True):
    """Where the entry stands."""

    file: str
    line: int
    end_line: int
    hash: Annotated[str, Meta(description="SHA-256 of the entry's text, in lower-case hex")]
    superseded: Annotated[tuple[str, ...], Meta(description="the entries that it replaced, as they were")]
    appended: Annotated[bool, Meta(description="false: it was there already, nothing was written")]
    warning: Annotated[str | None, Meta(description="what about it is to be looked at")] = None


class LintFinding(Result, frozen=True, kw_only=True):
    """One thing to look at; nothing of the file's text is in it."""

    file: str
    line: int
    rule: Annotated[str, Meta(description="a code of the list of rules")]
    detail: str


class LintResult(Result, frozen=True, kw_only=True):
    """What is to be looked at, in the order of files and lines."""

    findings: tuple[LintFinding, ...]


async def remember(call: Call, params: RememberParams) -> RememberResult:
    """``memory.remember``."""
    wish = Wish(
        file=params.file,
        entry=NoteEntry(
            text=params.text,
            importance=params.importance,
            triggers=params.triggers,
            supersedes_key=params.supersedes_key,
            project=params.project,
        ),
        review=params.review,
        expires=params.expires,
        replaces=params.replaces,
    )
    remembered = await call.services.agent(params.agent_id).remember(call.caller, wish, call.deadline_at)
    return msgspec.convert(remembered, RememberResult, from_attributes=True)


async def lint(call: Call, params: LintParams) -> LintResult:
    """``memory.lint``: who sees no curated file hears nothing of them."""
    agent = call.services.agent(params.agent_id)
    if not agent.view(call.caller).curated:
        return LintResult(findings=())
    found = await agent.lint(params.file)
    return LintResult(
        findings=tuple(
            LintFinding(file=one.file, line=one.line, rule=one.rule.value, detail=one.detail) for one in found
        )
    )


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="memory.remember",
        right="O",
        pace="write",
        params=RememberParams,
        results=(RememberResult,),
        handler=remember,
        summary="Write one thing into MEMORY.md or USER.md, in the place of what it replaces.",
        example={
            "text": "The gateway listens on port 9400.",
            "supersedes_key": "gateway-port",
            "triggers": ["gateway port"],
            "context": {
                "session_id": "s1",
                "session_kind": "interactive",
                "chat_type": "direct",
                "sender": {"id": "u1", "is_owner": True},
            },
        },
    ),
    Method(
        name="memory.lint",
        right="R",
        pace="read",
        params=LintParams,
        results=(LintResult,),
        handler=lint,
        summary="What people should look at in the curated files; nothing is changed.",
        example={"file": "USER.md"},
    ),
)
