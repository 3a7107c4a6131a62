"""What callers get: the results of each method, with the contract's names.

A field without a default is always there, ``null`` when there is no value or nothing yet that makes one; a
field with a default is left out when it has it.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Freshness = Literal["fresh", "stale", "partial"]


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A JSON object that memd answers with."""


class Written(Result, frozen=True, kw_only=True):
    """The result of a write."""

    repeated: Annotated[
        bool, Meta(description="the request key was known: this is the first answer, nothing was written")
    ] = False


class JobReport(Result, frozen=True, kw_only=True):
    """One job, running or of the last that ended."""

    id: str
    kind: Annotated[str, Meta(description="such as rebuild or backup")]
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    total: Annotated[int | None, Meta(description="steps, once they are known")]
    result: Annotated[Any, Meta(description="what the job gave")] = None
    error: Annotated[str | None, Meta(description="why it gave nothing")] = None


class SyncReport(Written, frozen=True, kw_only=True):
    """Result of ``index.sync``, and of a rebuild that was waited for."""

    generation: Annotated[int, Meta(description="grows with each published change")]
    added: Annotated[int, Meta(description="files")]
    changed: Annotated[int, Meta(description="files")]
    removed: Annotated[int, Meta(description="files")]
    unchanged: Annotated[int, Meta(description="files")]
    skipped: Annotated[int, Meta(description="paths with a problem, as in `status`")]
    took_ms: float


class JobStarted(Written, frozen=True, kw_only=True):
    """Result of a call that does not wait for its job."""

    job_id: Annotated[str, Meta(description="for job.list and job.cancel")]


class JobList(Result, frozen=True, kw_only=True):
    """Result of ``job.list``."""

    jobs: Annotated[tuple[JobReport, ...], Meta(description="oldest first")]


class JobCancelled(Written, frozen=True, kw_only=True):
    """Result of ``job.cancel``; false when the job had ended before."""

    cancelled: bool


class Hit(Result, frozen=True, kw_only=True):
    """A passage that was found."""

    path: Annotated[str, Meta(description="relative to the workspace, as recall.get takes it")]
    start_line: Annotated[int, Meta(description="from 1")]
    end_line: Annotated[int, Meta(description="inclusive")]
    text: Annotated[
        str, Meta(description="an exact slice: whole lines, or a part of a line over 700 characters")
    ]
    score: Annotated[float, Meta(description="0 to 1")]
    vector_score: Annotated[float | None, Meta(description="0 to 1")]
    text_score: Annotated[float | None, Meta(description="0 to 1")]
    exact: Annotated[
        bool, Meta(description="it holds every query term, or the identifier or path that was named")
    ]
    weak: Annotated[bool, Meta(description="it is below the threshold")]
    tier: Literal["curated", "episodic", "session", "import", "extra"]
    source: Literal["memory", "sessions", "imports", "extra"]
    origin: Annotated[
        Literal["owner", "agent", "untrusted", "system"], Meta(description="how far the text is trusted")
    ]
    session_kind: str
    observed_at: Annotated[str | None, Meta(description="date of the note or entry")]
    importance: int | None
    triggers: tuple[str, ...]
    projects: tuple[str, ...]
    supersedes_key: str | None
    citation: Annotated[str, Meta(description="path#L3-L5")]
    why: Annotated[
        dict[str, float | str] | None, Meta(description="each factor of the score, with explain")
    ] = None


class SearchResult(Result, frozen=True, kw_only=True):
    """Result of ``recall.search``."""

    hits: Annotated[tuple[Hit, ...], Meta(description="best first")]
    context: Annotated[
        str, Meta(description="one block for a prompt, every hit framed and marked as recalled")
    ]
    mode: Literal["hybrid", "keyword"]
    freshness: Freshness
    pending: Annotated[int, Meta(description="files that changed and are not indexed yet")]
    took_ms: float
    empty_reason: Annotated[
        Literal["no_terms", "no_match", "below_threshold", "stale", "paused"] | None,
        Meta(description="why there is no hit"),
    ] = None
    best_below: Annotated[float | None, Meta(description="the best score under the threshold")] = None
    degraded: Annotated[tuple[str, ...], Meta(description="what was missing")] = ()


class GetResult(Result, frozen=True, kw_only=True, rename={"from_line": "from"}):
    """Result of ``recall.get``."""

    status: Literal["ok", "not_found"]
    path: str
    text: Annotated[str, Meta(description="the lines as they are on the disk")]
    from_line: Annotated[int, Meta(description="first line")]
    lines: Annotated[int, Meta(description="how many")]
    total_lines: Annotated[int, Meta(description="of the file")]
    truncated: Annotated[bool, Meta(description="the file goes on")]
    origin: Annotated[str | None, Meta(description="how far the text is trusted")]
    context: Annotated[str, Meta(description="the text framed for a prompt")]
    next_from: Annotated[int | None, Meta(description="the line after the last one here")] = None
    next_char: Annotated[
        int | None,
        Meta(description="the line here was cut; its rest comes with this from_char and the same from"),
    ] = None
    notice: Annotated[
        str | None, Meta(description="a plain sentence, such as that the file does not exist yet")
    ] = None
