"""Looking at a source: what could be imported, and what is left out and why. Writes nothing."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.domain.importing import Candidate, ImportReason, fold_path, split_twins
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason, Stamp
from openclaw_memd.files.folder import read_entries
from openclaw_memd.files.foreign import Found, look_through, opened_folder
from openclaw_memd.files.imported import read_present
from openclaw_memd.files.names import IMPORTS
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.ops.imports import places
from openclaw_memd.ops.imports.openclaw import look_beside, render_intents, session_section
from openclaw_memd.ops.imports.types import Beside, Left, Offer, Place, Setting, Source

MOST_BYTES: Final = 1 << 30
INTENTS: Final = "standing-intents.md"
_PATH_BYTES: Final = 3_800
_NO_TIME: Final = 0


@dataclass(frozen=True, slots=True)
class Collection:
    """What a source has to offer, in the order of the targets."""

    source: Source
    origin: Path
    offers: tuple[Offer, ...]
    skipped: tuple[Left, ...]
    beside: Beside


def collect(source: Source, named: str | None, setting: Setting, agent: str) -> Collection:
    """Read all of a source. Blocking.

    Raises:
        InvalidParamsError: the path that was named cannot be a source.
    """
    origin = places.origin_of(source, named, setting.env)
    is_own = named is None or (source != "path" and origin == places.origin_of(source, None, setting.env))
    found, skipped, beside = _ask(source, origin, setting, agent, is_own=is_own)
    head = f"{IMPORTS}{source}/"
    offers: dict[str, Offer] = {}
    total = 0
    for place in found:
        for one in _offers(place, head, setting, skipped):
            total += one.size
            if total > MOST_BYTES or len(offers) >= setting.most_files:
                skipped.append(Left(one.shown, ImportReason.TOO_MUCH))
            else:
                offers[one.target] = one
    if beside.intents:
        content = render_intents(beside.intents)
        target = head + INTENTS
        digest = hashlib.sha256(content).digest()
        offers[target] = Offer(target, INTENTS, digest, len(content), _NO_TIME, origin, INTENTS, content)
    kept, twins = split_twins(sorted(offers))
    skipped += [Left(offers[path].shown, ImportReason.TWIN) for path in twins]
    return Collection(source, origin, tuple(offers[path] for path in kept), tuple(skipped), beside)


def compare(root: int, collection: Collection) -> tuple[list[Candidate], list[Left]]:
    """The offers, with what stands in their places below the descriptor ``root``; and those with no place."""
    candidates, left = [], []
    names: dict[str, dict[str, set[str]]] = {}
    for offer in collection.offers:
        present = read_present(root, offer.target)
        if isinstance(present, SkipReason):
            left.append(Left(offer.target, present))
        elif present is None and _has_twin(root, offer.target, names):
            left.append(Left(offer.target, ImportReason.TWIN))
        else:
            candidates.append(Candidate(offer.target, offer.shown, offer.hash, offer.size, present))
    return candidates, left


def read_offer(offer: Offer, file_bytes: int) -> bytes | SkipReason:
    """The content of a file as it was when it was looked at; a reason when it is another now."""
    if offer.content is not None:
        return offer.content
    try:
        with opened_folder(offer.folder) as folder:
            found = read_bytes(folder, offer.relative, file_bytes)
    except OSError:
        return SkipReason.VANISHED
    if isinstance(found, SkipReason):
        return found
    return found[0] if hashlib.sha256(found[0]).digest() == offer.hash else SkipReason.CHANGING


def _ask(
    source: Source, origin: Path, setting: Setting, agent: str, *, is_own: bool
) -> tuple[list[Place], list[Left], Beside]:
    """The places of a source, what of it leads elsewhere, and what lies beside its files.

    Transcripts say themselves who the owner is. Those of an archive are not to be believed, so only those in
    the usual place (``is_own``) are named.
    """
    match source:
        case "codex":
            return places.codex_places(origin), [], Beside()
        case "claude-code":
            folder = origin / "projects"
            is_new = is_own and folder.is_dir() and folder not in setting.session_folders
            sections = (session_section(folder, "claude-code", agent),) if is_new else ()
            found = places.claude_places(origin, setting.env, is_own=is_own)
            return found, [], Beside(sessions=sections)
        case "openclaw":
            found, links = places.openclaw_places(origin)
            beside = look_beside(origin, found, setting, agent if is_own else None)
            return found, [*links, *beside.refused], beside
        case "path":
            return places.path_places(origin), [], Beside()


def _offers(place: Place, head: str, setting: Setting, skipped: list[Left]) -> Iterator[Offer]:
    try:
        if place.folder.is_symlink():
            skipped.append(Left(f"{place.below}{place.folder.name}/", SkipReason.SYMLINK))
            return
        with opened_folder(place.folder) as folder:
            yield from _offers_of(place, folder, head, setting, skipped)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        skipped.append(Left(place.below or f"{place.folder.name}/", SkipReason.UNREADABLE))


def _offers_of(
    place: Place, folder: int, head: str, setting: Setting, skipped: list[Left]
) -> Iterator[Offer]:
    found = _look(place, folder, setting)
    skipped += [Left(place.below + path or f"{place.folder.name}/", reason) for path, reason in found.skipped]
    for path, _size in found.files:
        setting.check()
        shown = place.below + path
        target = head + place.below + place.renamed.get(path, path)
        match _read(folder, path, target, setting):
            case (data, stamp):
                digest = hashlib.sha256(data).digest()
                yield Offer(target, shown, digest, len(data), stamp.mtime_ns, place.folder, path)
            case reason:
                skipped.append(Left(shown, reason))


def _look(place: Place, folder: int, setting: Setting) -> Found:
    own = setting.own
    if _is_within(place.folder, own):
        return Found(skipped=[("", ImportReason.OWN_MEMORY)])
    return look_through(
        folder,
        judge=place.judge,
        enters=place.enters,
        own=own,
        own_reason=ImportReason.OWN_MEMORY,
        most_files=setting.most_files,
        file_bytes=setting.file_bytes,
        check=setting.check,
    )


def _is_within(folder: Path, own: tuple[int, int]) -> bool:
    """Whether the folder is the workspace or lies in it."""
    for one in (folder, *folder.parents):
        status = one.stat()
        if (status.st_dev, status.st_ino) == own:
            return True
    return False


def _read(folder: int, path: str, target: str, setting: Setting) -> tuple[bytes, Stamp] | str:
    """The content of a file that may be imported; else the reason why it may not."""
    if len(target.encode("utf-8")) > _PATH_BYTES:
        return ImportReason.NAME_TOO_LONG
    if setting.is_excluded(target):
        return SkipReason.EXCLUDED
    found = read_bytes(folder, path, setting.file_bytes)
    if isinstance(found, SkipReason):
        return found
    if b"\0" in found[0]:
        return SkipReason.BINARY
    try:
        found[0].decode("utf-8")
    except UnicodeDecodeError:
        return SkipReason.NOT_UTF8
    return found


def _has_twin(root: int, target: str, names: dict[str, dict[str, set[str]]]) -> bool:
    """Whether something beside the path, or beside a folder of it, differs from it in its form only."""
    parts = target.split("/")
    for depth, name in enumerate(parts):
        folder = "/".join(parts[:depth])
        if folder not in names:
            names[folder] = _names_in(root, folder)
        alike = names[folder].get(fold_path(name))
        if alike and name not in alike:
            return True
    return False


def _names_in(root: int, folder: str) -> dict[str, set[str]]:
    """The names in a folder, by their folded form."""
    found: dict[str, set[str]] = {}
    try:
        descriptor = open_beneath(root, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return found
    try:
        for entry in read_entries(descriptor):
            found.setdefault(fold_path(entry.name), set()).add(entry.name)
    finally:
        os.close(descriptor)
    return found
