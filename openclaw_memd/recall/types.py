"""What search and get are asked and what they answer, with the contract's names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from openclaw_memd.domain.audience import OPERATOR, View
from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier

Corpus = Literal["memory", "sessions", "imports", "extra", "all"]
Mode = Literal["hybrid", "keyword"]
Freshness = Literal["fresh", "stale", "partial"]
EmptyReason = Literal["no_terms", "no_match", "below_threshold", "stale", "paused"]
Degraded = Literal["vectors", "deadline"]

DEFAULT_MAX_RESULTS: Final = 6  # OpenClaw's value, like the other defaults here
DEFAULT_MIN_SCORE: Final = 0.35
DEFAULT_GET_LINES: Final = 120
DEFAULT_GET_CHARS: Final = 12_000


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search.

    ``after`` and ``before`` bound the date that a text was noted, both inclusive; text without a date is
    outside every bound. ``project_keys`` are the caller's active projects. ``deadline_at`` is in trio's time.
    ``view`` is what the caller may see.
    """

    query: str
    corpus: Corpus = "memory"
    max_results: int = DEFAULT_MAX_RESULTS
    min_score: float = DEFAULT_MIN_SCORE
    after: date | None = None
    before: date | None = None
    explain: bool = False
    project_keys: tuple[str, ...] = ()
    deadline_at: float | None = None
    view: View = OPERATOR


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage.

    ``text`` is an exact slice of the indexed file in whole lines; a line that is too long alone is cut around
    the match. ``exact`` says that it holds every query term or what the query names by identifier or path,
    ``weak`` that its score is below the threshold. ``why`` holds each factor of the score and its value.
    ``best_line`` is the line that the rest was added to.
    """

    path: str
    start_line: int
    end_line: int
    text: str
    score: float
    vector_score: float | None
    text_score: float | None
    exact: bool
    weak: bool
    tier: Tier
    source: Source
    origin: Origin
    session_kind: SessionKind
    observed_at: date | datetime | None
    importance: int | None
    triggers: tuple[str, ...]
    projects: tuple[str, ...]
    supersedes_key: str | None
    citation: str
    why: Mapping[str, float | str] | None = None
    best_line: int | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The hits, best first, and everything that a caller must know to judge them.

    ``context`` is the hits as one block for a prompt. ``empty_reason`` says why there is none and
    ``best_below`` the best score under the threshold then. ``degraded`` names what was missing.
    """

    hits: tuple[Hit, ...]
    context: str
    mode: Mode
    freshness: Freshness
    pending: int
    took_ms: float
    empty_reason: EmptyReason | None = None
    best_below: float | None = None
    degraded: tuple[Degraded, ...] = ()


@dataclass(frozen=True, slots=True)
class GetRequest:
    """A window of one file: at most ``lines`` lines from ``from_line`` on, and ``max_chars`` characters.

    The first line begins with its character ``from_char``, counted from 1. ``max_bytes`` bounds the whole
    answer as JSON; None: nothing does. ``view`` is what the caller may see.
    """

    path: str
    from_line: int = 1
    lines: int = DEFAULT_GET_LINES
    max_chars: int = DEFAULT_GET_CHARS
    from_char: int = 1
    max_bytes: int | None = None
    view: View = OPERATOR


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """The window, or ``not_found``.

    ``lines`` counts the lines in ``text``; ``next_from`` is the line after them, if there is one. A line that
    is too long alone is cut; ``next_char`` is where its rest begins, to be asked for as ``from_char`` with
    the same ``from_line``. ``notice`` is a sentence on what was left out; ``context`` is the text as one
    block for a prompt.
    """

    status: Literal["ok", "not_found"]
    path: str
    text: str = ""
    from_line: int = 1
    lines: int = 0
    total_lines: int = 0
    truncated: bool = False
    next_from: int | None = None
    origin: Origin | None = None
    notice: str | None = None
    context: str = ""
    next_char: int | None = None


def cite(path: str, start_line: int, end_line: int) -> str:
    """The contract's citation: ``path#L3`` or ``path#L3-L5``."""
    lines = f"L{start_line}" if start_line == end_line else f"L{start_line}-L{end_line}"
    return f"{path}#{lines}"
