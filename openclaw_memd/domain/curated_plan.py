"""What remembering does to the text of a curated file: one entry is added, or takes the place of others.

An entry is replaced by one with the same key and scope (see `_same_subject`), by one that names it, and by
one that says the same in almost the same words but something else of itself. What a replaced entry said of
itself holds for its successor where that says nothing. In MEMORY.md a replaced entry goes; in USER.md it
stays behind its successor as ``status: superseded``, unless it said the same.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from openclaw_memd.domain.annotations import (
    NO_ANNOTATIONS,
    Annotations,
    format_annotations,
    parse_annotations,
)
from openclaw_memd.domain.comments import comments_in_line
from openclaw_memd.domain.curated_files import MOST_ENTRIES, USER, bare_text, is_active, scope_of
from openclaw_memd.domain.fences import lines_outside_fences
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.note_entries import format_bullet
from openclaw_memd.domain.placing import Placed, append_entry, replace_entry
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import trace_text
from openclaw_memd.errors import ConflictError, InvalidParamsError, TooLargeError

_STATUS: Final = re.compile(r"(\bstatus\s*:\s*)active\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is to be remembered.

    ``said`` is what its owner says of it, ``is_scoped`` whether that includes the projects; if not,
    ``default_project`` is that of a new entry. ``replaces`` names an entry by what it says or by its lines.
    """

    text: str
    said: Annotations
    observed: date
    is_scoped: bool = False
    default_project: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """What a file becomes.

    ``entry`` is where the memory stands in ``text``, ``entries`` are all of that; ``added`` are its lines
    that were not there, ``marked`` those of vouched entries that stay as superseded; ``superseded`` are the
    texts of the entries that it replaces. ``is_new`` is False when nothing changes, since the memory is there
    already.
    """

    text: str
    entry: Entry
    entries: Sequence[Entry]
    added: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    is_new: bool = True


def plan_memory(
    file: str,
    current: str | None,
    memory: Memory,
    analyzer: Analyzer,
    *,
    trusted: Collection[str] | None = None,
    like: Sequence[Entry] = (),
) -> Planned:
    """What ``file``, of which ``current`` is the text (None: there is none), becomes with ``memory``.

    ``trusted`` are the texts of the entries that somebody vouches for; None: of all. Others can be replaced,
    and nothing that they say of themselves holds for what replaces them. ``like`` are the entries of the file
    as it was last known, as in ``parse_entries``.

    Raises:
        InvalidParamsError: the text cannot be written, or ``replaces`` names nothing (``no_entry``).
        ConflictError: ``replaces`` names several entries (``ambiguous``), or no place is left (``no_place``).
        TooLargeError: the file has more entries than are of use (``entries``).
    """
    text = current or ""
    entries = parse_entries(text, like=like)
    if len(entries) > MOST_ENTRIES:
        raise TooLargeError("the file has too many entries", reason="entries")
    active = [entry for entry in entries if is_active(entry)]
    named = [] if memory.replaces is None else [_find_named(file, active, memory.replaces)]
    says = trace_text(format_bullet(memory.text, NO_ANNOTATIONS), analyzer)
    same = [
        entry for entry in _covering(file, active, memory) if trace_text(entry.text, analyzer).is_like(says)
    ]
    subject = [*named, *(entry for entry in same if entry not in named)]
    subject += [entry for entry in _same_subject(file, active, memory) if entry not in subject]
    replaced = sorted(subject, key=lambda entry: (entry not in named, entry.start))
    vouched = [entry for entry in replaced if _is_vouched(entry, trusted)]
    for entry in vouched if replaced == same else ():
        is_alone = not any(_are_rivals(file, entry.annotations, other) for other in active if other != entry)
        if is_alone and _says_no_more(_annotations(file, memory, entry, same), entry.annotations):
            return Planned(text, entry, entries, is_new=False)
    annotations = _annotations(file, memory, next(iter(vouched), None), same)
    rivals = [entry for entry in active if _are_rivals(file, annotations, entry)]
    replaced += [entry for entry in rivals if entry not in replaced]
    block = _format(file, memory, annotations)
    kept = [entry for entry in replaced if file == USER and entry not in same]
    if not replaced:
        placed = append_entry(text, block, entries)
    else:
        placed = replace_entry(
            text,
            block,
            replaced[0],
            entries,
            removed=[entry for entry in replaced if entry not in kept],
            flipped=[(entry, mark_superseded(entry.text)) for entry in kept],
        )
    if placed is None:
        raise ConflictError("no place in the file is one for an entry: look at it", reason="no_place")
    return Planned(
        text=placed.text,
        entry=placed.entry,
        entries=placed.entries,
        added=_added(placed),
        marked=tuple(line for entry in kept if _is_vouched(entry, trusted) for line in _marked(entry)),
        superseded=tuple(entry.text for entry in replaced),
    )


def _is_vouched(entry: Entry, trusted: Collection[str] | None) -> bool:
    return trusted is None or entry.text in trusted


def _find_named(file: str, active: Sequence[Entry], name: str) -> Entry:
    """The entry that ``name`` is the text or the citation of."""
    if match := re.fullmatch(rf"{re.escape(file)}#L([0-9]{{1,9}})(?:-L([0-9]{{1,9}}))?", name.strip()):
        first, last = int(match[1]), int(match[2] or match[1])
        found = [entry for entry in active if entry.start_line <= first <= last <= entry.end_line]
    else:
        wanted = bare_text(name)
        found = [entry for entry in active if wanted and bare_text(entry.text) == wanted]
    if not found:
        raise InvalidParamsError("replaces names no entry of the file", field="replaces", reason="no_entry")
    if len(found) > 1:
        raise ConflictError("replaces names several entries", field="replaces", reason="ambiguous")
    return found[0]


def _covering(file: str, active: Sequence[Entry], memory: Memory) -> list[Entry]:
    """The entries that show wherever and as long as the memory is to show, and may be about the same."""
    scope, key = _scope(file, memory), memory.said.key
    return [
        entry
        for entry in active
        if (entry.annotations.project_valid or file == USER)
        and scope_of(file, entry.annotations) <= scope
        and (key is None or entry.annotations.key in (None, key))
        and (entry.annotations.expires is None or entry.annotations.expires >= memory.observed)
    ]


def _same_subject(file: str, active: Sequence[Entry], memory: Memory) -> list[Entry]:
    """The entries with the memory's key and scope.

    A memory that got its project from where it was said is about what holds everywhere, if that alone has the
    key. Where a scope is malformed nobody knows what it was, and the entry shows nowhere.
    """
    if memory.said.key is None:
        return []
    keyed = [entry for entry in active if entry.annotations.key == memory.said.key]
    broken = [entry for entry in keyed if not entry.annotations.project_valid and file != USER]
    valid = [entry for entry in keyed if entry not in broken]
    found = [entry for entry in valid if scope_of(file, entry.annotations) == _scope(file, memory)]
    if not found and not memory.is_scoped:
        found = [entry for entry in valid if not scope_of(file, entry.annotations)]
    return found + broken


def _are_rivals(file: str, said: Annotations, entry: Entry) -> bool:
    """Whether what has ``said`` and ``entry`` have one key in one scope: only one may be active."""
    other = entry.annotations
    return said.key is not None and (said.key, scope_of(file, said)) == (other.key, scope_of(file, other))


def _scope(file: str, memory: Memory) -> frozenset[str]:
    if memory.is_scoped or memory.default_project is None or file == USER:
        return scope_of(file, memory.said)
    return frozenset([memory.default_project])


def _annotations(file: str, memory: Memory, replaced: Entry | None, same: Sequence[Entry]) -> Annotations:
    """What the new entry says of itself: what was said now, else what the entry that it replaces said."""
    said = replace(memory.said, observed=memory.observed, status="active" if file == USER else None)
    before = None if replaced is None else replaced.annotations
    if before is not None:
        said = replace(
            said,
            triggers=said.triggers or before.triggers,
            importance=said.importance or before.importance,
            key=said.key or before.key,
        )
    if file == USER:
        return replace(said, projects=())
    if before is not None and before.project_valid and (replaced in same or not memory.is_scoped):
        return replace(said, projects=before.projects)
    if memory.is_scoped:
        return said
    return replace(said, projects=() if memory.default_project is None else (memory.default_project,))


def _says_no_more(new: Annotations, old: Annotations) -> bool:
    """Whether ``new`` is ``old`` but for when it was said; a date that is not named stays."""
    return new == replace(
        old,
        observed=new.observed,
        status=new.status,
        review=new.review and old.review,
        expires=new.expires and old.expires,
        projects=new.projects,
        project_valid=True,
    )


def _format(file: str, memory: Memory, annotations: Annotations) -> list[str]:
    """The lines of the entry. In USER.md its date and status stand above it, as OpenClaw writes them."""
    if file != USER:
        return format_bullet(memory.text, annotations).split("\n")
    above = format_annotations(Annotations(observed=annotations.observed, status=annotations.status))
    return [above, *format_bullet(memory.text, replace(annotations, observed=None, status=None)).split("\n")]


def mark_superseded(text: str) -> list[str]:
    """The lines of an entry that holds no more."""
    lines = text.split("\n")
    for index, line in lines_outside_fences(lines):
        for comment in reversed(comments_in_line(line)):
            marked = _STATUS.sub(r"\1superseded", line[comment.start : comment.end])
            lines[index] = lines[index][: comment.start] + marked + lines[index][comment.end :]
    if parse_annotations("\n".join(lines)).status == "superseded":
        return lines
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    return [f"{indent}<!-- status: superseded -->", *lines]


def _marked(entry: Entry) -> Iterator[str]:
    """The lines that are others once it is superseded."""
    before = entry.text.split("\n")
    return (line for line in mark_superseded(entry.text) if line not in before)


def _added(placed: Placed) -> tuple[str, ...]:
    return (*placed.helpers, *(line for line in placed.entry.text.split("\n") if line))
