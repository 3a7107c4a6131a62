"""``forget``: what it takes, what it answers and how it is served."""

from datetime import date, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.errors import InvalidParamsError, TooLargeError
from openclaw_memd.gateway.results import JobStarted, Result, Written
from openclaw_memd.gateway.schemas import Identifier, NotePath, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress, key_of
from openclaw_memd.ops.receipts import Forgotten

Count = Annotated[int, Meta(ge=0)]


class ForgetParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``forget``: what any of the selectors takes goes; at least one is needed."""

    session_ids: Annotated[
        tuple[Identifier, ...],
        Meta(max_length=1_000, description="sessions of the agent, by exact ids"),
    ] = ()
    paths: Annotated[
        tuple[NotePath, ...],
        Meta(max_length=1_000, description="whole memory files, or folders of notes that end with /"),
    ] = ()
    query: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="entries and messages that hold every word of it"),
    ] = None
    participant: Annotated[
        Identifier | None, Meta(description="every session in which this sender wrote, by the exact id")
    ] = None
    since: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(description="date or RFC 3339: narrows the others; alone, all that was recorded from then on"),
    ] = None
    dry_run: Annotated[bool, Meta(description="count only, and write nothing")] = True
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class ForgetReceipt(Result, frozen=True, kw_only=True):
    """How much went, or would go, from each store."""

    files_changed: Count
    files_removed: Count
    lines: Annotated[int, Meta(ge=0, description="lines of memory files")]
    promoted: Annotated[
        int, Meta(ge=0, description="entries of curated files that nights made of it, in lines too")
    ]
    sessions: Annotated[int, Meta(ge=0, description="of which everything went")]
    messages: Count
    spooled: Annotated[int, Meta(ge=0, description="texts that waited to be written")]
    spans: Annotated[int, Meta(ge=0, description="records of lines")]
    appends: Annotated[int, Meta(ge=0, description="records of texts that were written")]
    request_keys: Count
    flush_texts: Count
    observed_writes: Count
    chunks: Annotated[int, Meta(ge=0, description="of the changed files and sessions, indexed anew")]
    vectors: Annotated[
        int, Meta(ge=0, description="of texts that no chunk has any more; in a dry run at most")
    ]
    leftovers: Annotated[int, Meta(ge=0, description="files of damaged or half-built databases")]
    preimages: Annotated[
        int, Meta(ge=0, description="earlier versions of curated files that lost lines, or went")
    ]
    intents: Annotated[
        int, Meta(ge=0, description="standing intents that a session made or that hold the query")
    ]
    proposals: Annotated[
        int, Meta(ge=0, description="what a night would write and the owner has not decided")
    ]
    page_lines: Annotated[int, Meta(ge=0, description="lines of DREAMS.md and of reports of nights")]
    candidates: Annotated[int, Meta(ge=0, description="claims that stand nowhere any more")]
    signals: Annotated[int, Meta(ge=0, description="what sessions asked, of claims that stay too")]
    corpus_lines: Annotated[int, Meta(ge=0, description="lines of what was said, below memory/.dreams")]


class KeptPlace(Result, frozen=True, kw_only=True):
    """Something that stays."""

    where: str
    why: str


class ForgetResult(Written, frozen=True, kw_only=True):
    """What went, or with ``dry_run`` would go, and what stays all the same."""

    dry_run: bool
    receipt: ForgetReceipt
    kept: tuple[KeptPlace, ...]


async def forget(call: Call, params: ForgetParams) -> Any:
    """``forget``."""
    limit = call.limits.query_bytes
    if params.query is not None and len(params.query.encode()) > limit:
        raise TooLargeError(f"query has more than {limit} bytes", reason="query_bytes", field="query")
    selectors = Selectors(
        session_ids=frozenset(params.session_ids),
        paths=params.paths,
        query=params.query,
        participant=params.participant,
        since=_parse_since(params.since),
    ).check()
    forgetting = call.services.agent(params.agent_id).forgetting
    if params.dry_run:
        return _show(await forgetting.plan(params.agent_id, selectors))

    async def work(progress: Progress) -> object:
        return _show(await forgetting.forget(params.agent_id, selectors, progress))

    job = call.services.jobs.start("forget", work, key=_key(params.agent_id, selectors))
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


def _show(forgotten: Forgotten) -> ForgetResult:
    return msgspec.convert(forgotten, ForgetResult, from_attributes=True)


def _parse_since(text: str | None) -> date | datetime | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise InvalidParamsError(
            "since is no date and no instant with an offset", field="since", reason="value"
        )
    return instant


def _key(agent_id: str, selectors: Selectors) -> str:
    """The same for the same wish, and not to be read: a query is not to be remembered."""
    facts = (agent_id, sorted(selectors.session_ids), selectors.paths, selectors.query)
    return key_of(*facts, selectors.participant, selectors.since)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="forget",
        right="A",
        pace="job",
        params=ForgetParams,
        results=(ForgetResult, JobStarted),
        handler=forget,
        summary="Take what was said and written out of files, sessions, index and ledger, for good.",
        example={"session_ids": ["s1"], "dry_run": False},
    ),
)
