"""What becomes of each claim of a night: it is new, it is known, or it takes the place of what it replaces.

No model is needed. Who says the same in almost the same words is known already, and the entry that is there
stays. An explicit key replaces what has the same key and scope, by a newer observation and never by somebody
who is trusted less. Everything else is added, and what may contradict it is only named.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import Final, Literal

from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.curated_files import bare_text, is_memory, scope_of
from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.provenance import Origin, is_trusted, trust_rank
from openclaw_memd.domain.rewording import says_almost
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.subjects import contradicts
from openclaw_memd.domain.text import Analyzer

Action = Literal["added", "merged", "superseded"]

_AHEAD: Final = timedelta(days=1)
"""So far ahead a date may lie that was written in another zone; a later one was not observed yet."""


@dataclass(frozen=True, slots=True)
class Prior:
    """An entry that is in a curated file. ``origin`` is None when nobody knows yet who is behind it."""

    file: str
    entry: Entry
    origin: Origin | None = Origin.AGENT

    @property
    def citation(self) -> str:
        """Where it stands."""
        first, last = self.entry.start_line, self.entry.end_line
        return f"{self.file}#L{first}" if first == last else f"{self.file}#L{first}-L{last}"

    @property
    def is_vouched(self) -> bool:
        """Whether it counts: what nobody is known to be behind was written just now, by an editor."""
        return self.origin is None or is_trusted(self.origin)


@dataclass(frozen=True, slots=True)
class Step:
    """What is done with one fact: ``priors`` are the entries that say it, or that it takes the place of."""

    fact: Fact
    action: Action
    priors: tuple[Prior, ...] = ()

    @property
    def gone(self) -> tuple[Prior, ...]:
        """The entries that do not hold any more afterwards."""
        return self.priors if self.action == "superseded" else ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A new fact and an entry that may say otherwise: both stay, and people decide."""

    key: str
    text: str
    source: str
    other_text: str
    other_citation: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done, the best first, and why the rest is not."""

    steps: tuple[Step, ...]
    rejected: Mapping[str, Setback] = field(default_factory=dict)
    contradictions: tuple[Contradiction, ...] = ()


def decide(facts: Sequence[Fact], priors: Sequence[Prior], analyzer: Analyzer, *, today: date) -> Decision:
    """What to do with ``facts``, the best first, where the curated files hold ``priors``."""
    rejected: dict[str, Setback] = {}
    steps: list[Step] = []
    for fact in _newest_of_keys(_fold(facts, analyzer), rejected, today):
        match _decide_one(fact, priors, analyzer, today):
            case Setback() as setback:
                rejected |= dict.fromkeys(fact.keys, setback)
            case Step() as step:
                steps.append(step)
    found = tuple(_contradictions(steps, priors))
    return Decision(tuple(steps), rejected, found)


def keyed_priors(fact: Fact, priors: Iterable[Prior]) -> tuple[Prior, ...]:
    """The active entries of the fact's file that have its key and scope."""
    if fact.said.key is None:
        return ()
    scope = scope_of(fact.file, fact.said)
    return tuple(
        prior
        for prior in priors
        if prior.file == fact.file
        and is_memory(prior.entry)
        and prior.entry.annotations.status != "superseded"
        and prior.entry.annotations.key == fact.said.key
        and scope_of(prior.file, prior.entry.annotations) == scope
        and prior.is_vouched
    )


def is_one_line(entry: Entry) -> bool:
    """Whether all that an entry says is in one line."""
    return sum(not is_comment_line(line) for line in entry.text.split("\n") if line.strip()) == 1


def _decide_one(fact: Fact, priors: Sequence[Prior], analyzer: Analyzer, today: date) -> Step | Setback:
    if fact.said.expires is not None and fact.said.expires < today:
        return Setback.EXPIRED
    bare = bare_text(fact.text)
    same = [
        prior
        for prior in priors
        if _covers(prior, fact) and says_almost(bare_text(prior.entry.text), bare, analyzer)
    ]
    active = [prior for prior in same if prior.entry.annotations.status != "superseded"]
    if active:
        return Step(fact, "merged", (active[0],))
    if any(not _is_newer(fact, prior, today) for prior in same):
        return Setback.SUPERSEDED
    return _supersede(fact, keyed_priors(fact, priors), today)


def _supersede(fact: Fact, replaced: tuple[Prior, ...], today: date) -> Step | Setback:
    """What an explicit key does."""
    if not replaced:
        return Step(fact, "added")
    rank = trust_rank(fact.provenance.origin)
    if any(prior.origin is None or trust_rank(prior.origin) > rank for prior in replaced):
        return Setback.ORIGIN
    if not all(_is_newer(fact, prior, today) for prior in replaced):
        return Setback.OLDER
    if not all(is_one_line(prior.entry) for prior in replaced):
        return Setback.CONTINUATION
    return Step(fact, "superseded", replaced)


def _covers(prior: Prior, fact: Fact) -> bool:
    """Whether an entry shows wherever the fact is to show."""
    said = prior.entry.annotations
    return (
        is_memory(prior.entry)
        and prior.is_vouched
        and said.project_valid
        and scope_of(prior.file, said) <= frozenset(fact.said.projects)
        and (fact.said.key is None or said.key in (None, fact.said.key))
    )


def _is_newer(fact: Fact, prior: Prior, today: date) -> bool:
    """Whether the fact was noted on the day of the entry or later. What has no date is the oldest."""
    before, now = _seen(prior.entry.annotations.observed, today), _seen(fact.said.observed, today)
    return before is None or (now is not None and now >= before)


def _seen(observed: date | None, today: date) -> date | None:
    """When something was observed; a date that has not come is none."""
    return None if observed is None or observed > today + _AHEAD else observed


def _fold(facts: Sequence[Fact], analyzer: Analyzer) -> list[Fact]:
    """One fact for all that say the same with the same key in the same scope."""
    folded: list[Fact] = []
    for fact in facts:
        bare = bare_text(fact.text)
        for index, other in enumerate(folded):
            if _subject(fact) == _subject(other) and says_almost(bare_text(other.text), bare, analyzer):
                folded[index] = replace(other, keys=(*other.keys, *fact.keys))
                break
        else:
            folded.append(fact)
    return folded


def _newest_of_keys(facts: Sequence[Fact], rejected: dict[str, Setback], today: date) -> list[Fact]:
    """The facts without those that another one of the same key makes out of date."""
    kept: list[Fact] = []
    for fact in facts:
        rivals = [
            other
            for other in facts
            if other is not fact and fact.said.key is not None and _subject(other) == _subject(fact)
        ]
        best = max([fact, *rivals], key=partial(_standing, today=today))
        if best is fact:
            kept.append(fact)
        else:
            is_below = trust_rank(best.provenance.origin) > trust_rank(fact.provenance.origin)
            rejected |= dict.fromkeys(fact.keys, Setback.ORIGIN if is_below else Setback.OLDER)
    return kept


def _standing(fact: Fact, today: date) -> tuple[int, date, str]:
    return trust_rank(fact.provenance.origin), _seen(fact.said.observed, today) or date.min, fact.key


def _subject(fact: Fact) -> tuple[str, str | None, frozenset[str]]:
    return fact.file, fact.said.key, frozenset(fact.said.projects)


def _contradictions(steps: Sequence[Step], priors: Sequence[Prior]) -> Iterable[Contradiction]:
    for number, step in enumerate(steps):
        if step.action != "added":
            continue
        fact = step.fact
        for prior in priors:
            other = bare_text(prior.entry.text)
            if (
                is_memory(prior.entry)
                and prior.is_vouched
                and prior.entry.annotations.status != "superseded"
                and scope_of(prior.file, prior.entry.annotations) == frozenset(fact.said.projects)
                and contradicts(fact.text, other)
            ):
                yield Contradiction(fact.key, fact.text, fact.source, other, prior.citation)
        for later in steps[number + 1 :]:
            if (
                later.action == "added"
                and _subject(later.fact) == _subject(fact)
                and contradicts(fact.text, later.fact.text)
            ):
                yield Contradiction(fact.key, fact.text, fact.source, later.fact.text, later.fact.source)
