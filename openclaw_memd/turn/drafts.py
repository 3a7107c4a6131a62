"""An answer to one message, in the making and made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.domain.audience import View
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.escalation import Escalation
from openclaw_memd.domain.intent_block import fit_reminders, frame_intents
from openclaw_memd.injection.bootstrap import RefreshedFile
from openclaw_memd.injection.shown import SCORE_DIGITS, hit_of
from openclaw_memd.injection.triggers import TriggerHit
from openclaw_memd.intents.firing import Fired, Found
from openclaw_memd.intents.reminders import Due
from openclaw_memd.intents.shown import show_due, show_intent

LAST_SHARE: Final = 0.85
"""The part of the time after which nothing new is begun."""

LOOK_SHARE: Final = 0.8
"""How much of a part's time the curated files are waited for; the part needs the rest."""

PART_SHARE: Final = 0.5
"""How much of what is left until then one part may take: one that hangs leaves some for the others."""


Part = Literal["projects", "triggers", "project", "files", "reminders", "intents"]
"""What an answer is made of, in this order, by what is said of one that is missing."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message. ``known`` are the hashes of the bootstrap files that the session has, by name.

    ``deadline_at`` is in trio's time.
    """

    caller: Caller | None
    view: View
    text: str
    turn_id: str
    known: Mapping[str, str]
    deadline_at: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and what is to be done when it does not reach its caller."""

    answer: Mapping[str, Any]
    when_lost: Callable[[], None] | None = None


@dataclass(slots=True)
class Draft:
    """An answer in the making. ``spoken`` is what is said in the message, as far as it is looked at.

    ``curated`` are the curated files: all parts speak of the same, of one look.
    """

    request: TurnRequest
    spoken: str
    started_at: float  # in trio's time, which worker threads do not have
    began: float
    curated: CuratedState | None = None
    projects: tuple[str, ...] = ()
    triggers: Sequence[TriggerHit] = ()
    trigger_block: str = ""
    project_block: str = ""
    refreshed: Sequence[RefreshedFile] = ()
    reminders: Sequence[Due] = ()
    found: Found = field(default_factory=lambda: Found({}))
    degraded: list[Part] = field(default_factory=list)

    @property
    def cutoff_at(self) -> float:
        """When nothing new is begun any more."""
        return self.started_at + (self.request.deadline_at - self.started_at) * LAST_SHARE

    def share_from(self, now: float) -> float:
        """Until when a part may take that begins ``now``."""
        return now + (self.cutoff_at - now) * PART_SHARE


def show_turn(
    draft: Draft, fired: Sequence[Fired], escalation: Escalation, *, took_ms: float
) -> Mapping[str, Any]:
    """The answer with the contract's names, of what JSON has."""
    events = [one.intent for one in fired]
    fitting = fit_reminders(events, [due.intent for due in draft.reminders])
    reminders = [draft.reminders[place] for place in fitting]
    intent_block = frame_intents(events, [due.intent for due in reminders])
    blocks = (draft.trigger_block, draft.project_block, intent_block)
    answer: dict[str, Any] = msgspec.to_builtins(
        {
            "context": "\n\n".join(block for block in blocks if block),
            "triggers": [
                {
                    "hit": hit_of(hit),
                    "trigger_score": round(hit.score, SCORE_DIGITS),
                    "phrase": hit.phrase,
                    "arm": hit.arm,
                }
                for hit in draft.triggers
            ],
            "intents": [{"intent": show_intent(one.intent), "token": one.token} for one in fired],
            "reminders": [show_due(due) for due in reminders],
            "project_block": draft.project_block,
            "refreshed": draft.refreshed,
            "escalate": escalation,
            "took_ms": took_ms,
            "degraded": draft.degraded,
        }
    )
    return answer
