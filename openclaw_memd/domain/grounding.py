"""What an old note or conversation says that may last, by cues that add up. Pure; no model, no clock.

A claim weighs by what it is made of, not by what it is about: words that mean something, numbers and names,
an order, a decision. What was so only on the day, what is to be done, and reports that all is well are known
by their words in nine languages. Thresholds and caps are OpenClaw's, whose cues are English alone.
"""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.grounding_words import (
    is_chore,
    is_lasting,
    is_of_the_day,
    is_report,
)
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.user_contract import is_order

Lean = Literal["durable", "situational", "unclear"]

LEAST_FACT: Final = 1.4  # OpenClaw's values from here on
LEAST_CANDIDATE: Final = 1.8
LEAST_LASTING: Final = 2.2
DURABLE: Final = 4.0
SITUATIONAL: Final = 0.25
LEAST_CANDIDATE_CHARS: Final = 12
MOST_SECTION_FACTS: Final = 2
MOST_FACTS: Final = 4
MOST_CANDIDATES: Final = 4
MOST_LASTING: Final = 3
MOST_REFLECTIONS: Final = 4
MANY_REPORTS: Final = 3

_BY_WORDS: Final = ((6, 2.2), (4, 1.8), (3, 1.4), (2, 0.6))
_NUMBER: Final = 1.4
_NAME: Final = 0.6
_ORDER: Final = 2.5
_CUE: Final = 2.0
_KEY: Final = 2.0
_OF_THE_DAY: Final = -1.5
_REPORT: Final = -1.5

_NO_TEXT: Final = re.compile(r"\s*(?:\||```|~~~)")
_INNER_NAME: Final = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z][^\W\d_]+")
_UPPER: Final = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω]")


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim to be weighed: ``section`` tells which belong together, ``title`` is that of its section.

    ``text`` is all of it, ``body`` its own part. ``has_key`` tells that it names what it is about.
    """

    key: str
    text: str
    body: str
    section: Hashable = None
    title: str = ""
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class Weighed:
    """A claim with its weight, and whether it speaks of a day or for longer."""

    stated: Stated
    weight: float
    lean: Lean


@dataclass(frozen=True, slots=True)
class Ground:
    """What one note stands for. ``lasting`` and ``candidates`` may be staged, ``facts`` are shown."""

    facts: tuple[Stated, ...] = ()
    candidates: tuple[Weighed, ...] = ()
    lasting: tuple[Stated, ...] = ()
    reflections: tuple[str, ...] = ()


def weigh(stated: Stated, analyzer: Analyzer) -> Weighed:
    """How much a claim says, and for how long it may be true."""
    words = sum(0.5 if term.kind == "run" else 1.0 for term in analyzer.query_terms(stated.body))
    folded = fold(stated.body)
    of_the_day = is_of_the_day(folded)
    report = is_report(folded)
    weight = next((value for least, value in _BY_WORDS if words >= least), 0.0)
    if any(map(str.isdecimal, stated.body)):
        weight += _NUMBER
    if any(_UPPER.match(found[0]) for found in _INNER_NAME.finditer(stated.body)):
        weight += _NAME
    if is_order(stated.body):
        weight += _ORDER
    if is_lasting(folded):
        weight += _CUE
    if stated.has_key:
        weight += _KEY
    if of_the_day:
        weight += _OF_THE_DAY
    if report:
        weight += _REPORT
    if of_the_day or report or weight <= SITUATIONAL:
        return Weighed(stated, weight, "situational")
    return Weighed(stated, weight, "durable" if weight >= DURABLE else "unclear")


def ground(claims: Sequence[Stated], analyzer: Analyzer) -> Ground:
    """What the claims of one note come to, in their order."""
    told = [one for one in _distinct(claims) if not _is_left_out(one)]
    weighed = [weigh(one, analyzer) for one in told]
    reports = sum(is_report(fold(one.stated.body)) for one in weighed)
    facts = _choose_facts(weighed)
    if reports >= MANY_REPORTS and not facts:
        return Ground(reflections=("Mostly reports that all was well: nothing in it lasts.",))
    candidates = [
        one
        for one in weighed
        if one.weight >= LEAST_CANDIDATE and len(one.stated.body) >= LEAST_CANDIDATE_CHARS
    ]
    best = _best(candidates, MOST_CANDIDATES)
    return Ground(
        facts=tuple(facts),
        candidates=tuple(best),
        lasting=tuple(one.stated for one in _choose_lasting(weighed)),
        reflections=_reflect(weighed, len(facts), reports),
    )


def _distinct(claims: Sequence[Stated]) -> list[Stated]:
    found: dict[str, Stated] = {}
    for one in claims:
        found.setdefault(one.key, one)
    return list(found.values())


def _is_left_out(stated: Stated) -> bool:
    """Tables and code are no statements; what is to be done is over by now."""
    return (
        _NO_TEXT.match(stated.body) is not None or is_chore(fold(stated.title)) or is_chore(fold(stated.body))
    )


def _choose_facts(weighed: Sequence[Weighed]) -> list[Stated]:
    """The best of each section, the best of those of all."""
    of_section: Counter[Hashable] = Counter()
    chosen: list[Weighed] = []
    for one in sorted(weighed, key=lambda one: -one.weight):
        is_told = one.weight >= LEAST_FACT and of_section[one.stated.section] < MOST_SECTION_FACTS
        if is_told and len(chosen) < MOST_FACTS:
            of_section[one.stated.section] += 1
            chosen.append(one)
    return [one.stated for one in weighed if one in chosen]


def _choose_lasting(weighed: Sequence[Weighed]) -> list[Weighed]:
    """Durable ones first, then those that say much and speak of no day."""
    durable = [one for one in weighed if one.lean == "durable"]
    others = [one for one in weighed if one.lean == "unclear" and one.weight >= LEAST_LASTING]
    chosen = [*_best(durable, MOST_LASTING), *_best(others, MOST_LASTING)][:MOST_LASTING]
    return [one for one in weighed if one in chosen]


def _best(weighed: Sequence[Weighed], most: int) -> list[Weighed]:
    chosen = sorted(weighed, key=lambda one: -one.weight)[:most]
    return [one for one in weighed if one in chosen]


def _reflect(weighed: Sequence[Weighed], facts: int, reports: int) -> tuple[str, ...]:
    """Plain sentences from fixed patterns; the fewer facts there are, the fewer of them."""
    orders = sum(is_order(one.stated.body) for one in weighed)
    lasting = sum(one.lean == "durable" for one in weighed)
    fleeting = sum(one.lean == "situational" for one in weighed)
    found = [
        text
        for number, text in (
            (orders, f"Standing orders were given: {orders}."),
            (lasting, f"Statements that read as if they hold for long: {lasting}."),
            (fleeting, f"Statements that speak of the day alone: {fleeting}."),
            (reports, f"Reports that all was well: {reports}."),
        )
        if number
    ]
    return tuple(found[: min(MOST_REFLECTIONS, facts + 1)])
