"""What the names and files of a workspace tell. Pure."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Final

from openclaw_memd.domain.inert import show_plainly
from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.files.catalog import ListedFile, SkipReason
from openclaw_memd.files.folder import EntryKind
from openclaw_memd.files.legacy import CANONICAL, LEGACY
from openclaw_memd.files.names import CURATED, is_markdown
from openclaw_memd.files.survey import OtherNotes
from openclaw_memd.ops.doctor.findings import Finding, count, name_some
from openclaw_memd.ops.doctor.survey import Survey

LARGE_BYTES: Final = 256 * 1024
"""A day's note is a few kB; one of this size is several hundred chunks."""

_DATED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})([-_. T][^/]*)?\.md", re.IGNORECASE)


def judge_workspace(seen: Survey, other_notes: OtherNotes, *, today: date) -> Iterator[Finding]:
    """Everything that is to be said of the files."""
    yield from _judge_legacy(seen)
    yield from _judge_skipped(seen)
    yield from _judge_twins((*(file.path for file in seen.files), *seen.folders))
    yield from _judge_index(seen)
    yield from _judge_oddities(seen)
    yield from _judge_dates(seen.files, today)
    if not seen.files:
        told = "The workspace has no memory files."
        if other_notes.count:
            patterns = ", ".join(f'"{pattern}"' for pattern in other_notes.include[:4])
            told += f" [files] include = [{patterns}] would take {count(other_notes.count, 'other note')}."
        yield Finding.of("no-memories", told)


def _judge_legacy(seen: Survey) -> Iterator[Finding]:
    entries = {entry.name: entry for entry in seen.top}
    legacy = entries.get(LEGACY)
    if legacy is None:
        return
    size = count(legacy.stamp.size, "byte")
    if legacy.kind is not EntryKind.FILE:
        yield Finding.of(
            "legacy-memory-file",
            "memory.md is a link or no file at all. It is not read.",
            by_hand="See what it leads to, and put that text into MEMORY.md.",
        )
    elif seen.legacy_obstacle is not None:
        yield Finding.of(
            "legacy-memory-file",
            f"There is a memory.md ({size}) that is not read and that the doctor cannot add to MEMORY.md:"
            f" {seen.legacy_obstacle}.",
            by_hand="Mend that, and the doctor can; or put its text into MEMORY.md yourself.",
        )
    elif CANONICAL in entries and entries[CANONICAL].kind is not EntryKind.FILE:
        yield Finding.of(
            "legacy-memory-file",
            f"memory.md ({size}) lies beside a MEMORY.md that is a link or no file, and neither is read.",
            by_hand="Put a plain file in the place of MEMORY.md; then the doctor can add to it.",
        )
    elif CANONICAL in entries:
        yield Finding.of(
            "legacy-memory-file",
            f"memory.md ({size}) lies beside MEMORY.md and is not read: what is only in it is not known.",
        )
    else:
        yield Finding.of(
            "legacy-memory-file",
            f"There is a memory.md ({size}) and no MEMORY.md, so nothing of it is known.",
        )


def _judge_skipped(seen: Survey) -> Iterator[Finding]:
    for skip in seen.skipped:
        reason = SkipReason(skip.reason)
        if skip.is_workspace:
            yield Finding.of("workspace-missing", f"The workspace: {reason.description}")
            continue
        if skip.path == LEGACY or skip.path in CURATED:
            continue  # said by itself
        if reason is SkipReason.NAME_CASE:
            yield Finding.of(
                "name-case", f"{mask_secrets(skip.path)}: {reason.description}", subject=skip.path
            )
        else:
            yield Finding.of("skipped", f"{mask_secrets(skip.path)}: {reason.description}", subject=skip.path)
    for folder in filter(is_markdown, seen.folders):
        told = SkipReason.NOT_REGULAR.description
        yield Finding.of("skipped", f"{mask_secrets(folder)}: {told}", subject=folder)


def _judge_twins(paths: Iterable[str]) -> Iterator[Finding]:
    """Names that some file systems take for one; where letters and form both differ, for their case."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[unicodedata.normalize("NFC", path).casefold()].append(path)
    for group in groups.values():
        if len(group) < 2:
            continue
        alike = {unicodedata.normalize("NFC", path) for path in group}
        kind = "unicode-twin" if len(alike) == 1 else "case-twin"
        written = [
            path.encode("ascii", "backslashreplace").decode() if kind == "unicode-twin" else path
            for path in group
        ]
        yield Finding.of(kind, f"{name_some(written)}: {_TWINS[kind]}", subject=group[0])


_TWINS: Final = {
    "case-twin": "the names differ in capital letters only, and other disks take them for one.",
    "unicode-twin": "the names look the same, and other disks take them for one.",
}


def _judge_index(seen: Survey) -> Iterator[Finding]:
    parts = [
        f"{told}: {name_some(paths)}"
        for told, paths in (
            (f"{count(len(seen.missing), 'file is', 'files are')} not in it", seen.missing),
            (f"{count(len(seen.differing), 'file has', 'files have')} another content", seen.differing),
            (f"{count(len(seen.gone), 'file is', 'files are')} gone from the disk", seen.gone),
        )
        if paths
    ]
    if parts:
        yield Finding.of("index-behind", f"The index is not like the disk: {'; '.join(parts)}.")
    if seen.unread:
        yield Finding.of(
            "audit-partial",
            f"{count(seen.unread, 'file was', 'files were')} compared by size and time alone.",
        )


def _judge_oddities(seen: Survey) -> Iterator[Finding]:
    if seen.windows_ends:
        yield Finding.of(
            "windows-line-ends", _told(seen.windows_ends, "has Windows line ends", "have Windows line ends")
        )
    for file in seen.files:
        if file.stamp is not None and file.stamp.size >= LARGE_BYTES:
            kilobytes = file.stamp.size / 1000
            yield Finding.of(
                "large-note", f"{mask_secrets(file.path)} has {kilobytes:,.0f} kB.", subject=file.path
            )
    paths = [file.path for file in seen.files]
    yield from _many(
        "names-in-other-scripts", paths, lambda path: not path.isascii(), "letters outside ASCII"
    )
    yield from _many(
        "names-decomposed",
        paths,
        lambda path: unicodedata.normalize("NFC", path) != path,
        "letters in a decomposed form",
    )
    hiding = [_spelled_out(path) for path in paths if _spelled_out(path) != path]
    if hiding:
        told = _told(
            hiding,
            "has characters in its name that nobody sees",
            "have characters in their names that nobody sees",
        )
        yield Finding.of("hidden-characters-in-names", told)


def _spelled_out(path: str) -> str:
    """A path with an escape for each character that is not seen, or that moves what is around it."""
    return "".join(char.encode("unicode_escape").decode() if _is_hidden(char) else char for char in path)


def _is_hidden(char: str) -> bool:
    return char in "\n\t" or (show_plainly(char) != char and char not in _JOINERS)


_JOINERS: Final = "\u200c\u200d"
"""Persian words and emoji of several parts are written with them."""


def _many(kind: str, paths: list[str], is_one: Callable[[str], bool], what: str) -> Iterator[Finding]:
    found = [path for path in paths if is_one(path)]
    if found:
        yield Finding.of(kind, _told(found, f"has {what} in its name", f"have {what} in their names"))


def _judge_dates(files: Iterable[ListedFile], today: date) -> Iterator[Finding]:
    slugged: list[str] = []
    for file in files:
        match = _DATED.fullmatch(file.path.rpartition("/")[2])
        if match is None or file.source is not Source.MEMORY or file.tier is not Tier.EPISODIC:
            continue
        try:
            day = date.fromisoformat(match[1])
        except ValueError:
            told = f"{mask_secrets(file.path)}: there is no such date, so the note belongs to no day."
            yield Finding.of("impossible-date", told, subject=file.path)
            continue
        if day.toordinal() > today.toordinal() + 1:  # tomorrow may have come elsewhere
            yield Finding.of(
                "future-note", f"{mask_secrets(file.path)}: the date is still to come.", subject=file.path
            )
        if match[2] is not None:
            slugged.append(file.path)
    if slugged:
        yield Finding.of(
            "notes-with-slugs",
            _told(slugged, "has a time or topic after its date", "have a time or topic after their date"),
        )


def _told(paths: "tuple[str, ...] | list[str]", one: str, many: str) -> str:
    verb = one if len(paths) == 1 else many
    return f"{count(len(paths), 'file')} {verb}: {name_some(paths)}."
