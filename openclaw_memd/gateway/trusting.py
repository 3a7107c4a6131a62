"""``memory.trust``: what it takes, what it answers and how it is served."""

from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.gateway.results import Written
from openclaw_memd.gateway.rights import check_right
from openclaw_memd.gateway.schemas import NotePath, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.index.read_lines import Selection

Line = Annotated[int, Meta(ge=1, le=2**31)]


class TrustParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``memory.trust``; with neither lines nor a hash the whole file is meant.

    Beside lines the hash says what the caller read there: if they changed, nothing does. Raised without a
    hash is only what the index shows.
    """

    path: NotePath
    origin: Annotated[
        Literal["agent", "untrusted"], Meta(description="agent raises (owner only), untrusted lowers")
    ]
    start_line: Line | None = None
    end_line: Line | None = None
    hash: Annotated[
        Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None,
        Meta(description="SHA-256 of the lines' text in hex, as receipts have it"),
    ] = None


class Trusted(Written, frozen=True, kw_only=True):
    """How many lines have another origin now."""

    changed: int


async def trust(call: Call, params: TrustParams) -> Trusted:
    """``memory.trust``: whoever may read all may lower; only the owner vouches."""
    agent = call.services.agent(params.agent_id)
    if params.origin == "agent":
        check_right("O", call.caller, agent.missing_authority)
    changed = await agent.trust(
        params.path, Selection(params.start_line, params.end_line, params.hash), Origin(params.origin)
    )
    return Trusted(changed=changed)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="memory.trust",
        right="A",
        pace="write",
        params=TrustParams,
        results=(Trusted,),
        handler=trust,
        summary="Vouch for lines of a memory file, or say that they are not to be trusted.",
        example={"path": "memory/2026-01-11.md", "start_line": 3, "origin": "untrusted"},
    ),
)
