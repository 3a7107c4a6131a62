"""The pages of a night for people. Candidates in them are shown in one line and can open no comment. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.consolidation import Contradiction
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.inert import in_one_line, shorten, show_plainly
from openclaw_memd.domain.light import Staged
from openclaw_memd.domain.promotion_gates import Ranking
from openclaw_memd.domain.rem import Reflection
from openclaw_memd.dreaming.types import Applied, Candidate

SHOWN_CHARS: Final = 280
SHOWN_CHANGES: Final = 20


@dataclass(frozen=True, slots=True)
class Dated:
    """A curated entry with a date that has come: where it stands, and what it says."""

    citation: str
    text: str


@dataclass(frozen=True, slots=True)
class Dates:
    """Entries whose review is due, those that expired, and aspirations that were retired just now."""

    due: tuple[Dated, ...] = ()
    expired: tuple[Dated, ...] = ()
    retired: tuple[Dated, ...] = ()
    preimage_ids: tuple[int, ...] = ()


def plain(text: str) -> str:
    """``text`` in one line in which nothing is hidden and no comment begins or ends."""
    shown = shorten(in_one_line(show_plainly(text)), SHOWN_CHARS)
    return shown.replace("<!--", "<! --").replace("-->", "-- >")


def render_light(staged: Sequence[Staged[Candidate]]) -> str:
    """What light chose."""
    lines: list[str] = []
    for one in staged:
        candidate = one.candidate
        signals = candidate.signals
        average = min(1.0, signals.total_score / max(1, signals.count))
        lines += [
            f"- Candidate: {plain(candidate.text)}",
            f"  - confidence: {average:.2f}",
            f"  - evidence: {_evidence(candidate)}",
            f"  - recalls: {one.recalls}",
            "  - status: staged",
        ]
    return "\n".join(lines)


def render_rem(found: Reflection[Candidate]) -> str:
    """What REM found."""
    lines = ["### Reflections", ""]
    for theme in found.themes:
        evidence = ", ".join(_evidence(one) for one in theme.evidence)
        lines += [
            f"- `{plain(theme.tag)}` comes up in {theme.count} memories.",
            f"  - confidence: {theme.strength:.2f}",
            f"  - evidence: {evidence}",
            "  - note: reflection",
        ]
    if not found.themes:
        lines.append("- No strong patterns surfaced.")
    lines += ["", "### Possible Lasting Truths", ""]
    lines += [
        f"- {plain(truth.candidate.text)}"
        f" [confidence={truth.confidence:.2f} evidence={_evidence(truth.candidate)}]"
        for truth in found.truths
    ]
    return "\n".join(lines if found.truths else [*lines, "- Nothing stood out."])


def render_deep(
    ranking: Ranking[Candidate],
    applied: Applied,
    setbacks: Mapping[str, int],
    dates: Dates,
) -> str:
    """What deep wrote, and what a person should look at."""
    lines = [f"- Ranked {len(ranking.judged)} candidates for promotion."]
    lines.append(f"- Promoted {len(applied.promoted)} into the curated files.")
    if applied.proposed:
        lines.append(f"- Proposed {len(applied.proposed)} for review: `memd dream review`.")
    counts = {reason.value: count for reason, count in ranking.excluded.items()}
    out = sum(counts.values()) + sum(setbacks.values())
    if out:
        both = {**counts, **{reason: counts.get(reason, 0) + count for reason, count in setbacks.items()}}
        told = ", ".join(f"{reason}: {count}" for reason, count in sorted(both.items()))
        lines.append(f"- Not promoted: {out} ({told}).")
    if applied.fallback is not None:
        lines.append(f"- The chat model's plan was not followed: {plain(applied.fallback)}.")
    for change in applied.changes[:SHOWN_CHANGES]:
        lines.append(f"- `+` {change.file}: {plain(bare_text(change.text))} (from {change.source})")
        lines += [f"  - `-` {plain(gone)}" for gone in change.replaced]
    lines += _section("Possible contradictions", map(_contradiction, applied.contradictions))
    lines += _section("Due for review", map(_dated, dates.due))
    lines += _section("Expired", map(_dated, dates.expired))
    lines += _section("Retired", map(_dated, dates.retired))
    return "\n".join(lines)


def _dated(one: Dated) -> str:
    return f"{plain(one.text)} ({one.citation})"


def _contradiction(one: Contradiction) -> str:
    return f"{plain(one.text)} ({one.source}) or: {plain(one.other_text)} ({one.other_citation})"


def _section(title: str, items: Iterable[str]) -> list[str]:
    found = [f"- {item}" for item in items]
    return ["", f"### {title}", "", *found] if found else []


def _evidence(candidate: Candidate) -> str:
    return f"{candidate.path}:{candidate.start_line}-{candidate.end_line}"
