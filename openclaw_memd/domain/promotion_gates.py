"""Which candidates may come into MEMORY.md, and why the others may not. Pure.

Who is behind a candidate and what it is are looked at first: what is out for that takes no place from others.
Then come the gates, in OpenClaw's order, which are about how often and to what it was of use. Nothing that
was never asked for passes them.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from openclaw_memd.domain.commands import is_bare_command
from openclaw_memd.domain.contamination import find_claim_contamination, find_contamination
from openclaw_memd.domain.promotion_score import Score, Signals, score_signals
from openclaw_memd.domain.provenance import Provenance, SessionKind, is_trusted
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.domain.short_term import may_be_candidate
from openclaw_memd.domain.unfit import find_unfit

_DAY: Final = timedelta(days=1)


class Claim(Protocol):
    """What is known of a candidate; see ``dreaming.types.Candidate``."""

    @property
    def key(self) -> str:
        """What it is known by."""
        ...

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def path(self) -> str:
        """Where it stands."""
        ...

    @property
    def is_session(self) -> bool:
        """Whether it was said in a conversation."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Who is behind it."""
        ...

    @property
    def signals(self) -> Signals:
        """What it was of use for."""
        ...

    @property
    def promoted_at(self) -> datetime | None:
        """When it came into a curated file."""
        ...

    @property
    def rejected_at(self) -> datetime | None:
        """When the owner did not want it."""
        ...


C = TypeVar("C", bound=Claim)


class Exclusion(StrEnum):
    """Why a candidate is not promoted. The set is closed; each has a ``description``."""

    ORIGIN = "origin"
    SESSION_KIND = "session_kind"
    DELETED = "deleted"
    CONTAMINATION = "contamination"
    SECRET = "secret"
    UNFIT = "unfit"
    PROMOTED = "promoted"
    REJECTED = "rejected"
    SIGNALS = "signals"
    RECALLS = "recalls"
    QUERIES = "queries"
    AGE = "age"
    SCORE = "score"
    LIMIT = "limit"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS: Final = {
    Exclusion.ORIGIN: "It comes from outside or from the system, which is never promoted.",
    Exclusion.SESSION_KIND: "A scheduled run, a heartbeat, a sub-agent or an unknown session is behind it.",
    Exclusion.DELETED: "Its owner deleted this from a curated file.",
    Exclusion.CONTAMINATION: "It is text of a machine: a report, a prompt, the head of a transcript.",
    Exclusion.SECRET: "It has the shape of a key, a password or a card number.",
    Exclusion.UNFIT: "It is a log, a diff, a phone number, a bare command, or talk of a moment.",
    Exclusion.PROMOTED: "It is in a curated file already.",
    Exclusion.REJECTED: "Its owner rejected it, or undid what a night had made of it.",
    Exclusion.SIGNALS: "It was of no use yet.",
    Exclusion.RECALLS: "Fewer questions were answered with it than `min_recalls`.",
    Exclusion.QUERIES: "Fewer different questions were answered with it than `min_queries`.",
    Exclusion.AGE: "It was last of use more than `max_age_days` ago.",
    Exclusion.SCORE: "Its score is less than `min_score`.",
    Exclusion.LIMIT: "Others had a higher score, and a night promotes `limit` at most.",
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a candidate must reach, as ``[dreaming]`` has it; the values are OpenClaw's."""

    min_score: float = 0.75
    min_recalls: int = 3
    min_queries: int = 3
    half_life_days: float = 14.0
    max_age_days: float = 30.0
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate with what it was about: ``value`` is held against ``threshold``."""

    gate: Exclusion
    value: float
    threshold: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Judged(Generic[C]):
    """A candidate with its score, every gate, and the first reason for which it is out; None: it is in."""

    candidate: C
    score: Score
    gates: tuple[Gate, ...]
    excluded: Exclusion | None


@dataclass(frozen=True, slots=True)
class Ranking(Generic[C]):
    """``selected`` are in, the best first; ``judged`` are all, those first and then the others by score."""

    selected: tuple[Judged[C], ...]
    judged: tuple[Judged[C], ...]

    @property
    def excluded(self) -> dict[Exclusion, int]:
        """How many are out for each reason; each is counted once."""
        counts = Counter(one.excluded for one in self.judged if one.excluded is not None)
        return {reason: counts[reason] for reason in Exclusion if counts[reason]}

    @property
    def passed(self) -> tuple[Judged[C], ...]:
        """Those that passed every gate, whether or not the limit reaches them, the best first."""
        return tuple(one for one in self.judged if one.excluded in (None, Exclusion.LIMIT))

    def limited(self, late: Collection[str]) -> "Ranking[C]":
        """The same where the limit keeps out the candidates with the keys ``late``, and no others."""
        chosen = [replace(one, excluded=None) for one in self.passed if one.candidate.key not in late]
        return _ranking(chosen, [one for one in self.judged if one.candidate.key in late], self.judged)


def why_ineligible(candidate: Claim, *, deleted: Collection[str] = ()) -> Exclusion | None:
    """Why nothing that it was of use for helps a candidate; None when it may be ranked.

    ``deleted`` are the keys of those that the owner deleted from a curated file.
    """
    if not is_trusted(candidate.provenance.origin):
        return Exclusion.ORIGIN
    if not _has_kind(candidate):
        return Exclusion.SESSION_KIND
    if candidate.key in deleted:
        return Exclusion.DELETED
    return _is_no_memory(candidate) or _verdict(candidate)


def rank(
    candidates: Sequence[C], now: datetime, thresholds: Thresholds, *, deleted: Collection[str] = ()
) -> Ranking[C]:
    """Judge all candidates at ``now`` and choose the best."""
    judged = sorted((_judge(one, now, thresholds, deleted) for one in candidates), key=_order)
    passed = [one for one in judged if one.excluded is None]
    return _ranking(passed[: thresholds.limit], passed[thresholds.limit :], judged)


def _ranking(
    selected: Sequence[Judged[C]], late: Sequence[Judged[C]], judged: Sequence[Judged[C]]
) -> Ranking[C]:
    waiting = [replace(one, excluded=Exclusion.LIMIT) for one in late]
    out = [one for one in judged if one.excluded not in (None, Exclusion.LIMIT)]
    return Ranking(tuple(selected), (*selected, *sorted([*waiting, *out], key=_order)))


def _judge(candidate: C, now: datetime, thresholds: Thresholds, deleted: Collection[str]) -> Judged[C]:
    score = score_signals(candidate.signals, now, half_life_days=thresholds.half_life_days)
    gates = _pass_gates(candidate.signals, score, now, thresholds)
    failed = next((gate.gate for gate in gates if not gate.passed), None)
    return Judged(candidate, score, gates, why_ineligible(candidate, deleted=deleted) or failed)


def _pass_gates(signals: Signals, score: Score, now: datetime, thresholds: Thresholds) -> tuple[Gate, ...]:
    age_days = 0.0 if signals.last_at is None else max(0.0, (now - signals.last_at) / _DAY)
    least = (
        (Exclusion.SIGNALS, signals.count, 1),
        (Exclusion.RECALLS, signals.recalls, max(1, thresholds.min_recalls)),
        (Exclusion.QUERIES, signals.queries, max(1, thresholds.min_queries)),
    )
    return (
        *(Gate(gate, value, threshold, value >= threshold) for gate, value, threshold in least),
        Gate(Exclusion.AGE, age_days, thresholds.max_age_days, age_days <= thresholds.max_age_days),
        Gate(Exclusion.SCORE, score.total, thresholds.min_score, score.total >= thresholds.min_score),
    )


def _is_no_memory(candidate: Claim) -> Exclusion | None:
    """What kind of text it is, if none that lasts."""
    text = candidate.text
    if find_contamination(text, is_session=candidate.is_session) is not None:
        return Exclusion.CONTAMINATION
    if not candidate.is_session and find_claim_contamination(text) is not None:
        return Exclusion.CONTAMINATION
    if mask_secrets(text) != text:
        return Exclusion.SECRET
    return Exclusion.UNFIT if is_bare_command(text) or find_unfit(text) else None


def _verdict(candidate: Claim) -> Exclusion | None:
    """What became of it last."""
    promoted_at, rejected_at = candidate.promoted_at, candidate.rejected_at
    if rejected_at is not None and (promoted_at is None or promoted_at <= rejected_at):
        return Exclusion.REJECTED
    return None if promoted_at is None else Exclusion.PROMOTED


def _has_kind(candidate: Claim) -> bool:
    """Whether its session is one that may bring candidates; text that nobody recorded is handwritten."""
    if candidate.is_session:
        return candidate.provenance.session_kind is SessionKind.INTERACTIVE
    return may_be_candidate(candidate.provenance, is_session=False)


def _order(judged: Judged[C]) -> tuple[float, int, str, str]:
    candidate = judged.candidate
    return -judged.score.total, -candidate.signals.recalls, candidate.path, candidate.key
