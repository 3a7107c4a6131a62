"""``inject.bootstrap``: what it takes, what it answers and how it is served."""

from typing import Annotated, Literal

from msgspec import Meta, field

from openclaw_memd.domain.bootstrap_files import FileName, Reason
from openclaw_memd.gateway.results import Result
from openclaw_memd.gateway.schemas import CallParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.injection.given_files import GivenFile


class BootstrapParams(CallParams, frozen=True, kw_only=True):
    """Params of ``inject.bootstrap``."""

    files: Annotated[
        Annotated[tuple[FileName, ...], Meta(max_length=32)] | None,
        Meta(description="the files that are wanted; default: all that the session is given"),
    ] = None
    reason: Annotated[
        Literal["start", "new", "reset", "refresh"],
        Meta(description="new and reset bring the last days' notes as well"),
    ] = "start"


class BootstrapFile(Result, frozen=True, kw_only=True):
    """One file as the session is given it."""

    file: str
    text: Annotated[str, Meta(description="what is shown, without annotations and hidden characters")]
    raw_chars: Annotated[int, Meta(description="length of the file, in code points")]
    chars: Annotated[int, Meta(description="length of the text, in code points")]
    truncated: Annotated[bool, Meta(description="something of it did not fit its budget")]
    left_out: Annotated[int, Meta(description="entries that did not fit; the text's last line says so")]
    hash: Annotated[str, Meta(description="of the text, for `known` of inject.turn")]
    withheld: Annotated[
        dict[str, int], Meta(description="entries that this session may not be given, by reason")
    ] = field(default_factory=dict)
    problem: Annotated[str | None, Meta(description="why the file cannot be read")] = None


class StartupNotes(Result, frozen=True, kw_only=True):
    """The last days' notes."""

    text: Annotated[str, Meta(description="one block of its own; `context` has it too")]
    files: tuple[str, ...]


class BootstrapResult(Result, frozen=True, kw_only=True):
    """Result of ``inject.bootstrap``."""

    files: Annotated[tuple[BootstrapFile, ...], Meta(description="in the order of a prompt")]
    startup: StartupNotes | None
    context: Annotated[str, Meta(description="all of it as one block for a prompt")]
    total_chars: Annotated[
        int, Meta(description="length of context with its frames and startup, in code points")
    ]
    degraded: Annotated[
        tuple[str, ...],
        Meta(description="parts that were late or cannot be told just now: codes of the list of reasons"),
    ] = ()


async def give_bootstrap(call: Call, params: BootstrapParams) -> BootstrapResult:
    """``inject.bootstrap``."""
    agent = call.services.agent(params.agent_id)
    answer = await agent.bootstrap.build(
        agent.view(call.caller),
        files=params.files,
        reason=Reason(params.reason),
        active_projects=await agent.active_projects(call.caller),
        deadline_at=call.deadline_at,
    )
    startup = answer.startup
    return BootstrapResult(
        files=tuple(_show(file) for file in answer.files),
        startup=None if startup is None else StartupNotes(text=startup.text, files=startup.files),
        context=answer.context,
        total_chars=answer.total_chars,
        degraded=answer.degraded,
    )


def _show(file: GivenFile) -> BootstrapFile:
    return BootstrapFile(
        file=file.file,
        text=file.text,
        raw_chars=file.raw_chars,
        chars=len(file.text),
        truncated=file.is_cut,
        left_out=file.left_out,
        hash=file.hash,
        withheld={reason.value: count for reason, count in file.withheld.items()},
        problem=file.problem,
    )


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="inject.bootstrap",
        right="R",
        pace="read",
        params=BootstrapParams,
        results=(BootstrapResult,),
        handler=give_bootstrap,
        summary="What a session is given when it begins: instructions and curated memory, within budgets.",
        example={
            "reason": "new",
            "context": {
                "session_id": "s1",
                "session_kind": "interactive",
                "chat_type": "direct",
                "sender": {"id": "u1", "is_owner": True},
            },
        },
    ),
)
