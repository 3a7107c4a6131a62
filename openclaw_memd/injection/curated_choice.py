"""What of a curated file a session may be shown, and how much of it fits."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from openclaw_memd.curated.entries import CuratedText
from openclaw_memd.domain.audience import Bootstrap
from openclaw_memd.domain.bootstrap_budget import Candidate, Choice, choose_entries
from openclaw_memd.domain.curated_files import MEMORY
from openclaw_memd.domain.curated_layout import is_shown
from openclaw_memd.domain.eligibility import Ineligible, why_not


@dataclass(frozen=True, slots=True)
class CuratedChoice:
    """What is shown of one file.

    ``withheld`` counts what may not be shown, by reason; ``unvouched`` are the places of that part of it
    which nobody vouches for, ``left_out`` those of what has no room.
    """

    choice: Choice
    withheld: Mapping[Ineligible, int]
    unvouched: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """What limits the choice: code points, for whom it is, in which projects and on which day."""

    max_chars: int
    audience: Bootstrap
    active_projects: Collection[str]
    today: date


def choose(text: CuratedText, limits: Limits) -> CuratedChoice:
    """The entries that a session may see, as far as the budget reaches.

    A sub-agent is given those of its projects alone, of MEMORY.md.
    """
    is_limited = limits.audience is Bootstrap.PROJECT and text.file == MEMORY
    candidates: list[Candidate] = []
    places: list[str] = []
    withheld: Counter[Ineligible] = Counter()
    unvouched: list[str] = []
    for one in text.entries:
        if not is_shown(one.entry):
            continue
        reason = why_not(one, active_projects=limits.active_projects, today=limits.today)
        if reason is Ineligible.BLANK:
            continue
        if reason is not None:
            withheld[reason] += 1
            if reason is Ineligible.ORIGIN:
                unvouched.append(one.citation)
        elif one.entry.annotations.projects or not is_limited:
            candidates.append(Candidate(one.entry, one.observed_on))
            places.append(one.citation)
    choice = choose_entries(text.text, candidates, limits.max_chars, name=text.file, unvouched=text.unvouched)
    shown = frozenset(choice.shown)
    left_out = tuple(place for index, place in enumerate(places) if index not in shown)
    return CuratedChoice(choice, withheld, tuple(unvouched), left_out)
