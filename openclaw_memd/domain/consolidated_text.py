"""A curated file after the steps of a night, written by code and then read back: what a step does not name is
there as it was, in its order, or nothing is written. Pure.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from openclaw_memd.domain.consolidation import Setback, Step
from openclaw_memd.domain.curated_files import MEMORY, USER
from openclaw_memd.domain.curated_plan import mark_superseded
from openclaw_memd.domain.generated_sections import Section, find_generated, without_sections
from openclaw_memd.domain.markdown import Entry, parse_entries, read_spans
from openclaw_memd.domain.note_entries import close_fence
from openclaw_memd.domain.placing import append_entry, replace_entry
from openclaw_memd.domain.promoted_lines import format_fact
from openclaw_memd.domain.provenance import Provenance, least_trusted
from openclaw_memd.errors import InvalidParamsError

SECTION: Final = "Promoted"
TITLE: Final = "# Long-Term Memory"  # OpenClaw's, for a file that was empty


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


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    entries: Mapping[str, str]
    added: tuple[tuple[str, Provenance], ...]


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
        if step.action != "merged" and _write(file, text, [step], today) is None:
            _drop(left, step, Setback.UNWRITABLE, rejected)
    while True:
        written = _write(file, text, left, today)
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
    written: _Written, steps: Sequence[Step], limits: Limits, today: date, generated: Collection[str]
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


def _write(file: str, text: str, steps: Sequence[Step], today: date) -> _Written | None:
    """``text`` after all of ``steps``; None when it would not be what it is meant to be."""
    new, entries, added = text, {}, Counter[tuple[str, Provenance]]()
    blocks: list[list[str]] = []
    try:
        for step in steps:
            if step.action == "merged":
                continue
            block = format_fact(step.fact)
            entries[step.fact.key] = "\n".join(block)
            added.update((line, step.fact.provenance) for line in block)
            if step.action == "added" and file == MEMORY:
                blocks.append(block)
                continue
            is_new = step.action == "added"
            placed = _append(new, block, added, step) if is_new else _replace(file, new, block, step)
            if placed is None:
                return None
            new = placed
    except InvalidParamsError:
        return None
    if blocks:
        appended = _append_section(new, blocks, f"{SECTION} ({today.isoformat()})")
        if appended is None:
            return None
        new, heading = appended
        least = least_trusted(step.fact.provenance for step in steps if step.action == "added")
        added.update((line, least) for line in heading)
    if new != text and not _is_sound(file, text, new, steps, list(entries.values())):
        return None
    return _Written(new, entries, tuple(added.elements()))


def _append(
    text: str, block: Sequence[str], added: Counter[tuple[str, Provenance]], step: Step
) -> str | None:
    placed = append_entry(text, block)
    if placed is None:
        return None
    added.update((line, step.fact.provenance) for line in placed.helpers)
    return placed.text


def _replace(file: str, text: str, block: Sequence[str], step: Step) -> str | None:
    found = _find(text, step)
    if found is None:
        return None
    flipped = [(entry, mark_superseded(entry.text)) for entry in found] if file == USER else []
    placed = replace_entry(text, block, found[0], removed=[] if file == USER else found, flipped=flipped)
    return None if placed is None else placed.text


def _find(text: str, step: Step) -> list[Entry] | None:
    """The entries that go; None unless each is there exactly once."""
    entries = parse_entries(text)
    found: list[Entry] = []
    for prior in step.gone:
        there = [entry for entry in entries if entry.text == prior.entry.text]
        if len(there) != 1:
            return None
        found += there
    return found


def _append_section(
    text: str, blocks: Sequence[Sequence[str]], title: str
) -> tuple[str, tuple[str, ...]] | None:
    """``text`` with ``blocks`` in the section of this title at its end, and the lines that this needs."""
    body = text.rstrip("\n")
    closed = close_fence(body)
    spans = read_spans(closed.split("\n"))
    headings = [span for span in spans if span.kind in ("heading", "labels")]
    is_open = bool(headings) and headings[-1].heading_path[-1:] == (title,)
    helpers: list[str] = [] if is_open else [f"## {title}"]
    lines = [line for block in blocks for line in block]
    above = ["", f"## {title}", ""] if not is_open else []
    if not body:
        above, helpers = [TITLE, *above], [TITLE, *helpers]
    if closed != body:
        helpers.insert(0, closed.removeprefix(body).strip("\n"))
    new = "\n".join([*([closed] if closed else []), *above, *lines])
    return new + "\n", tuple(helpers)


def _is_sound(file: str, before: str, after: str, steps: Sequence[Step], new: Sequence[str]) -> bool:
    """Whether ``after`` is ``before`` without what the steps replaced and with what they brought, no more."""
    if "\0" in after:
        return False
    gone = Counter(prior.entry.text for step in steps for prior in step.gone)
    flipped = {text: "\n".join(mark_superseded(text)) for text in gone} if file == USER else {}
    wanted: list[tuple[str, str]] = []
    for entry in parse_entries(before):
        if gone[entry.text] > 0:
            gone[entry.text] -= 1
            if entry.text in flipped:
                wanted.append((flipped[entry.text], entry.kind))
        else:
            wanted.append((entry.text, entry.kind))
    brought = Counter(new)
    kept: list[tuple[str, str]] = []
    for entry in parse_entries(after):
        if brought[entry.text] > 0 and entry.kind == "item":
            brought[entry.text] -= 1
        else:
            kept.append((entry.text, entry.kind))
    return not +brought and not +gone and kept == wanted and _keeps_lines(before, after, steps)


def _keeps_lines(before: str, after: str, steps: Sequence[Step]) -> bool:
    """Whether the lines that no step replaces follow each other as they did."""
    replaced = Counter(line for step in steps for prior in step.gone for line in prior.entry.text.split("\n"))
    rest = iter(after.split("\n"))
    for line in before.split("\n"):
        if not line.strip():
            continue
        if replaced[line] > 0:
            replaced[line] -= 1
        elif line not in rest:
            return False
    return True


def _lacks_only(before: str, after: str, sections: Sequence[Section]) -> bool:
    """Whether every entry that is in none of the sections is there as it was."""
    gone = {line for section in sections for line in range(section.first + 1, section.last + 1)}
    left = [(entry.text, entry.kind) for entry in parse_entries(before) if entry.start_line not in gone]
    return left == [(entry.text, entry.kind) for entry in parse_entries(after)]


def count_losses_left(entries: int, lost: int, *, night: float, week: float) -> int:
    """How many of the ``entries`` of a file may go tonight, where ``lost`` went in the last seven days.

    ``night`` and ``week`` are shares of what there is or was. One always may, unless a share is 0: else an
    explicit key could never replace anything in a short file.
    """
    return max(0, min(_share(entries, night), _share(entries + lost, week) - lost))


def _share(entries: int, share: float) -> int:
    return max(1, int(entries * share)) if share > 0 else 0
