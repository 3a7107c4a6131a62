"""Steps of a night written into a curated file by code, and read back: what no step names is there as it was,
in its order, or nothing is written. Pure.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from openclaw_memd.domain.consolidation import Step
from openclaw_memd.domain.curated_files import MEMORY, USER
from openclaw_memd.domain.curated_plan import mark_superseded
from openclaw_memd.domain.markdown import Entry, parse_entries, read_spans
from openclaw_memd.domain.note_entries import close_fence
from openclaw_memd.domain.placing import append_entry, replace_entry
from openclaw_memd.domain.promoted_lines import format_fact
from openclaw_memd.domain.provenance import Provenance, least_trusted
from openclaw_memd.errors import InvalidParamsError

SECTION: Final = "Promoted"
TITLE: Final = "# Long-Term Memory"  # OpenClaw's, for a file that was empty


@dataclass(frozen=True, slots=True)
class WrittenSteps:
    """A text after steps: ``entries`` are the texts of the new entries by the keys of their facts, ``added``
    the new lines with who is behind them.
    """

    text: str
    entries: Mapping[str, str] = field(default_factory=dict)
    added: tuple[tuple[str, Provenance], ...] = ()


def write_steps(file: str, text: str, steps: Sequence[Step], today: date) -> WrittenSteps | None:
    """``text`` after all of ``steps``; None when it would not be what it is meant to be."""
    entries: dict[str, str] = {}
    added = Counter[tuple[str, Provenance]]()
    blocks: list[list[str]] = []
    base, fence = _close(text) if any(step.action == "added" for step in steps) else (text, None)
    new = base
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
        new, heading = _append_section(new, blocks, f"{SECTION} ({today.isoformat()})")
        least = least_trusted(step.fact.provenance for step in steps if step.action == "added")
        added.update((line, least) for line in heading)
    if new == base:
        return WrittenSteps(text)
    if fence is not None:
        added[fence, least_trusted(step.fact.provenance for step in steps)] += 1
    if not _is_sound(file, base, new, steps, list(entries.values())):
        return None
    return WrittenSteps(new, entries, tuple(added.elements()))


def _close(text: str) -> tuple[str, str | None]:
    """``text`` with the line that closes the code fence that it leaves open, if it does, and that line."""
    body = text.rstrip("\n")
    closed = close_fence(body)
    return (text, None) if closed == body else (closed + "\n", closed.removeprefix(body).strip("\n"))


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


def _append_section(text: str, blocks: Sequence[Sequence[str]], title: str) -> tuple[str, tuple[str, ...]]:
    """``text`` with ``blocks`` in the section of this title at its end, and the lines that this needs."""
    body = text.rstrip("\n")
    spans = read_spans(body.split("\n"))
    headings = [span for span in spans if span.kind in ("heading", "labels")]
    is_open = bool(headings) and headings[-1].heading_path[-1:] == (title,)
    helpers: list[str] = [] if is_open else [f"## {title}"]
    lines = [line for block in blocks for line in block]
    above = ["", f"## {title}", ""] if not is_open else []
    if not body:
        above, helpers = [TITLE, *above], [TITLE, *helpers]
    new = "\n".join([*([body] if body else []), *above, *lines])
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
