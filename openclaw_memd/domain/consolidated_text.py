"""A curated file after the steps of a night: as many of them as its limits allow. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from openclaw_memd.domain.consolidation import Step
from openclaw_memd.domain.curated_files import MEMORY
from openclaw_memd.domain.generated_sections import Section, find_generated, without_sections
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.provenance import Provenance
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.written_steps import WrittenSteps, write_steps


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the file may become, in code points, and how many of its entries may go tonight."""

    chars: int
    losses: int


@dataclass(frozen=True, slots=True)
class Consolidated:
    """A file after a night.

    ``steps`` are those that were taken, ``entries`` the text of the entry that each wrote, by its key.
    ``added`` are the new lines with who is behind them. ``compacted`` are the titles of the sections of
    earlier nights that had to go, ``rejected`` why others of the steps were not taken.
    """

    text: str
    steps: tuple[Step, ...] = ()
    entries: Mapping[str, str] = field(default_factory=dict)
    added: tuple[tuple[str, Provenance], ...] = ()
    compacted: tuple[str, ...] = ()
    rejected: Mapping[str, Setback] = field(default_factory=dict)


def consolidate(
    file: str, text: str, steps: Sequence[Step], limits: Limits, *, today: date, generated: Collection[str]
) -> Consolidated:
    """``text`` after ``steps``, the best first: as many as the limits allow.

    ``generated`` are hashes of the entries that earlier nights wrote: whole sections of them may go, the
    oldest first, where there is no room else.
    """
    rejected: dict[str, Setback] = {}
    left = list(steps)
    while file == MEMORY and sum(len(step.gone) for step in left) > limits.losses:
        _drop(left, next(step for step in reversed(left) if step.gone), Setback.LOSS, rejected)
    for step in list(left):
        if step.action != "merged" and write_steps(file, text, [step], today) is None:
            _drop(left, step, Setback.UNWRITABLE, rejected)
    while True:
        written = write_steps(file, text, left, today)
        if written is None:
            _drop(left, left[-1], Setback.UNWRITABLE, rejected)
            continue
        fitted = _fit(written, left, limits, today, generated) if file == MEMORY else (written.text, ())
        if written.text == text or (fitted is not None and len(fitted[0]) <= limits.chars):
            break
        changing = [step for step in left if step.action != "merged"]
        longest = next((step for step in reversed(changing) if step.action == "added"), changing[-1])
        _drop(left, longest, Setback.BUDGET, rejected)
    new, compacted = (text, ()) if written.text == text else fitted or (text, ())
    return Consolidated(new, tuple(left), written.entries, written.added, compacted, rejected)


def _drop(left: list[Step], step: Step, why: Setback, rejected: dict[str, Setback]) -> None:
    left.remove(step)
    rejected |= dict.fromkeys(step.fact.keys, why)


def _fit(
    written: WrittenSteps, steps: Sequence[Step], limits: Limits, today: date, generated: Collection[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The text within the limits, and the sections that had to go for it; None: it cannot be."""
    if len(written.text) <= limits.chars:
        return written.text, ()
    losses = limits.losses - sum(len(step.gone) for step in steps)
    going = []
    for section in find_generated(written.text, generated, before=today):
        losses -= section.entries
        if losses < 0:
            return None
        going.append(section)
        text = without_sections(written.text, going)
        if len(text) <= limits.chars and _lacks_only(written.text, text, going):
            return text, tuple(section.title for section in going)
    return None


def _lacks_only(before: str, after: str, sections: Sequence[Section]) -> bool:
    """Whether every entry that is in none of the sections is there as it was."""
    gone = {line for section in sections for line in range(section.first + 1, section.last + 1)}
    left = [(entry.text, entry.kind) for entry in parse_entries(before) if entry.start_line not in gone]
    return left == [(entry.text, entry.kind) for entry in parse_entries(after)]


@dataclass(frozen=True, slots=True)
class Week:
    """What nights did to a file in the last seven days: it had ``entries`` before, of which ``lost`` went."""

    entries: int = 0
    lost: int = 0


def count_losses_left(entries: int, past: Week, *, night: float, week: float) -> int:
    """How many of the ``entries`` of a file may go tonight.

    ``night`` and ``week`` are shares of them, or of what there was a week ago if that was more. One always
    may, unless a share is 0 or one went already: else an explicit key could replace nothing in a short file.
    """
    in_week = _share(max(entries, past.entries), week) - past.lost
    return max(0, min(_share(entries, night), in_week))


def _share(entries: int, share: float) -> int:
    return max(1, int(entries * share)) if share > 0 else 0
