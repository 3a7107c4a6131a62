"""What deep recall is asked and what it answers, with the contract's names."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from openclaw_memd.domain.audience import OPERATOR, View
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.escalation import EscalationReason
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.recall_query import QueryMode, Turn
from openclaw_memd.recall.types import Hit

DeepOutcome = Literal["ok", "none", "skipped", "timeout", "unavailable"]
DeepReason = Literal[
    "no_terms",
    "no_match",
    "nothing_relevant",
    "model_unusable",
    "deadline",
    "breaker",
    "model",
    "memory",
    "damaged",
    "embedding",
]
"""Why there is no whole answer, or why it is no model's; a message that was skipped has an
``EscalationReason``.
"""

StepAction = Literal["search", "days", "get", "answer"]

MOST_HITS: Final = 10
"""How many passages are evidence: as many characters as a search of ten hits shows."""


@dataclass(frozen=True, slots=True)
class DeepRequest:
    """One message that may be about the past.

    ``recent`` are turns before it, oldest first; ``caller`` None is the operator. ``view`` is what the caller
    may see; ``deadline_at`` is in trio's time.
    """

    text: str
    deadline_at: float
    recent: tuple[Turn, ...] = ()
    query_mode: QueryMode = "recent"
    caller: Caller | None = None
    view: View = OPERATOR
    project_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done: what was looked for (a query, or a path) in which days, and how many were
    found.
    """

    action: StepAction
    query: str
    found: int
    after: date | None = None
    before: date | None = None


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """What was found.

    ``summary`` is one inert line of at most 220 code points before escaping, or ``""``. ``context`` is one
    block for a prompt. ``hits`` is the evidence: what was recalled. ``origins`` are who is behind everything
    that the answer rests on.
    """

    outcome: DeepOutcome
    reason: DeepReason | EscalationReason | None = None
    summary: str = ""
    context: str = ""
    hits: tuple[Hit, ...] = ()
    steps: tuple[Step, ...] = ()
    took_ms: float = 0.0
    origins: frozenset[Origin] = frozenset()
