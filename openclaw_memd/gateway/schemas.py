"""What callers may send: the params of each method and the ``context`` they share."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Meta, Struct

Identifier = Annotated[str, Meta(min_length=1, max_length=512)]
AgentId = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="an agent of the configuration")
]
NotePath = Annotated[
    str, Meta(min_length=1, max_length=4096, description="path of a hit, relative to the workspace")
]
SessionKindName = Literal["interactive", "cron", "heartbeat", "subagent", "unknown"]
ChatType = Literal["direct", "group", "channel", "unknown"]
Corpus = Literal["memory", "sessions", "imports", "extra", "all"]


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON object with known members only."""


class Channel(Shape, frozen=True, kw_only=True):
    """Where a conversation takes place."""

    provider: Identifier | None = None
    account: Identifier | None = None
    conversation_id: Identifier | None = None


class Sender(Shape, frozen=True, kw_only=True):
    """Who wrote the message of this turn. Only a literal ``true`` makes an owner."""

    id: Identifier | None = None
    is_owner: bool | None = None


class Context(Shape, frozen=True, kw_only=True):
    """For whom a host asks. What is left out means the narrowest view."""

    agent: AgentId = "main"
    session_id: Identifier | None = None
    parent_session_id: Identifier | None = None
    session_kind: SessionKindName = "unknown"
    chat_type: ChatType = "unknown"
    channel: Channel | None = None
    sender: Sender | None = None
    tainted: Annotated[bool, Meta(description="network content entered this turn")] = False
    project_root: Annotated[str, Meta(min_length=1, max_length=4096)] | None = None
    project_key: Identifier | None = None


class CallParams(Shape, frozen=True, kw_only=True):
    """What every call may carry."""

    context: Annotated[
        Context | None, Meta(description="for whom the host asks; without it the caller is the operator")
    ] = None
    agent: Annotated[
        AgentId | None, Meta(description="which agent the operator asks; a context names its own")
    ] = None
    deadline_ms: Annotated[
        Annotated[int, Meta(ge=1, le=3_600_000)] | None,
        Meta(description="the answer comes within this time, with what there is by then"),
    ] = None

    @property
    def agent_id(self) -> str:
        """The agent that is asked for."""
        return (self.agent or "main") if self.context is None else self.context.agent


class WriteParams(CallParams, frozen=True, kw_only=True):
    """What every write may carry."""

    request_key: Annotated[
        Identifier | None,
        Meta(description="the same key within 24 hours gives the first answer again and writes nothing"),
    ] = None


class DiscoverParams(CallParams, frozen=True, kw_only=True):
    """Params of ``rpc.discover``."""


class StatusParams(CallParams, frozen=True, kw_only=True):
    """Params of ``status``."""

    deep: Annotated[bool, Meta(description="read the databases through as well")] = False


class SyncParams(CallParams, frozen=True, kw_only=True):
    """Params of ``index.sync``."""

    force: Annotated[bool, Meta(description="read every file again, changed or not")] = False
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class RebuildParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``index.rebuild``."""

    wait: Annotated[bool, Meta(description="answer when it is done")] = False


class JobListParams(CallParams, frozen=True, kw_only=True):
    """Params of ``job.list``."""

    limit: Annotated[int, Meta(ge=1, le=200, description="jobs at most")] = 200
    after: Annotated[Identifier | None, Meta(description="only jobs listed after this one")] = None


class JobCancelParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``job.cancel``."""

    id: Identifier


class SearchParams(CallParams, frozen=True, kw_only=True):
    """Params of ``recall.search``."""

    query: Annotated[str, Meta(description="words, identifiers, paths or a question, in any language")]
    corpus: Annotated[Corpus, Meta(description="where to look; memory includes extra")] = "memory"
    max_results: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None, Meta(description="hits at most; default: [search]")
    ] = None
    min_score: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="least score; default: [search]")
    ] = None
    after: Annotated[date | None, Meta(description="only dated text of this day or later")] = None
    before: Annotated[date | None, Meta(description="only dated text of this day or earlier")] = None
    explain: Annotated[bool, Meta(description="show each factor of each score")] = False


class GetParams(CallParams, frozen=True, kw_only=True, rename={"from_line": "from"}):
    """Params of ``recall.get``."""

    path: NotePath
    from_line: Annotated[int, Meta(ge=1, le=2**31, description="first line, from 1")] = 1
    lines: Annotated[int, Meta(ge=1, le=1_000_000, description="lines at most")] = 120
    max_chars: Annotated[int, Meta(ge=1, le=1_000_000, description="code points at most")] = 12_000
    from_char: Annotated[
        int, Meta(ge=1, le=2**31, description="where in the first line to begin, in code points from 1")
    ] = 1
