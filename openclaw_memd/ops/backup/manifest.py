"""What an archive says of itself: who made it, for which workspaces, and every member. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeVar, cast, get_args

from openclaw_memd.ops.backup.types import LeftOut

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
MOST_MANIFEST_BYTES: Final = 128 * 1024 * 1024
"""Some hundred bytes a file; an archive that claims more is not read into memory."""

_TOP: Final = ("workspace", "state")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ID: Final = re.compile(r"[0-9a-z]{1,64}")
_VERSION: Final = re.compile(r"[0-9A-Za-z.+-]{1,32}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MODES: Final = 0o777

Kind = Literal["file", "folder", "link"]
T = TypeVar("T")


class ArchiveError(Exception):
    """An archive cannot be used; the message says why, for the person who gave it."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the archive.

    ``path`` begins with ``workspace/<name>`` or ``state/<id>``; bytes that are no UTF-8 are surrogates.
    ``mode`` has permission bits only. ``size`` (bytes) and ``sha256`` (hexadecimal) are of a file's content,
    ``target`` is where a link leads, always beneath its own workspace.
    """

    path: str
    kind: Kind
    mode: int
    mtime_ns: int
    size: int = 0
    sha256: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """A workspace of the archive: below ``workspace/<name>`` its files, below ``state/<id>`` its ledger."""

    name: str
    id: str
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The whole of it. ``made_at`` is RFC 3339, ``schemas`` the number of each database's schema."""

    made_at: str
    memd: str
    schemas: dict[str, int]
    workspaces: tuple[Archived, ...]
    members: tuple[Member, ...]
    left_out: tuple[LeftOut, ...] = ()
    format: int = FORMAT

    @property
    def bytes(self) -> int:
        """The bytes of all files together."""
        return sum(member.size for member in self.members)

    @property
    def files(self) -> int:
        """How many files and links of workspaces there are."""
        return sum(
            member.kind != "folder" and member.path.startswith("workspace/") for member in self.members
        )


def format_manifest(manifest: Manifest) -> bytes:
    """JSON, ASCII only, so that names of any bytes come back as they were."""
    return json.dumps(asdict(manifest), indent=1).encode("ascii") + b"\n"


def parse_manifest(data: bytes, known_schemas: dict[str, int]) -> Manifest:
    """The manifest in ``data``, checked so that what it names can be written beneath one folder.

    ``known_schemas`` has the number of the newest schema of each database that this version knows.

    Raises:
        ArchiveError: it is none, was made by a newer version, or names what must not be written.
    """
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise ArchiveError("the manifest is not readable") from None
    number = raw.get("format") if isinstance(raw, dict) else None
    if isinstance(number, int) and number > FORMAT:
        raise ArchiveError(f"a newer memd ({_shown(raw)}) made it: its format is {number}, not {FORMAT}")
    try:
        manifest = _convert(raw)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArchiveError("the manifest is not one of memd") from None
    for database, found in manifest.schemas.items():
        known = known_schemas.get(database, 0)
        if found > known:
            raise ArchiveError(
                f"a newer memd ({_shown(raw)}) made it: its {database} has schema {found}, not {known}"
            )
    for fault in _faults(manifest):
        raise ArchiveError(fault)
    return manifest


def stays_inside(path: str, target: str) -> bool:
    """Whether a link at ``path``, relative to its workspace, leads beneath the workspace.

    ``..`` counts at the start only: behind a name it may be that of a link, and lead anywhere.
    """
    parts = target.split("/")
    if not target or target.startswith("/") or "\0" in target:
        return False
    ups = 0
    while ups < len(parts) and parts[ups] in ("..", "."):
        ups += 1
    if ".." in parts[ups:]:
        return False
    return parts[:ups].count("..") <= path.count("/")


def _convert(raw: dict[str, Any]) -> Manifest:
    members = tuple(
        Member(
            path=_is(str, one["path"]),
            kind=_is_kind(one["kind"]),
            mode=_is(int, one["mode"]),
            mtime_ns=_is(int, one["mtime_ns"]),
            size=_is(int, one["size"]),
            sha256=_is(str, one["sha256"]),
            target=_is(str, one["target"]),
        )
        for one in raw["members"]
    )
    workspaces = tuple(
        Archived(_is(str, one["name"]), _is(str, one["id"]), tuple(_is(str, name) for name in one["agents"]))
        for one in raw["workspaces"]
    )
    return Manifest(
        made_at=_is(str, raw["made_at"]),
        memd=_is(str, raw["memd"]),
        schemas={_is(str, name): _is(int, number) for name, number in raw["schemas"].items()},
        workspaces=workspaces,
        members=members,
        left_out=tuple(LeftOut(_is(str, one["path"]), _is(str, one["reason"])) for one in raw["left_out"]),
        format=_is(int, raw["format"]),
    )


def _is(kind: type[T], value: object) -> T:
    if type(value) is not kind:
        raise TypeError
    return value


def _is_kind(value: object) -> Kind:
    if value not in get_args(Kind):
        raise ValueError
    return cast(Kind, value)


def _faults(manifest: Manifest) -> Iterator[str]:
    """What makes it unfit, the first first."""
    yield from _head_faults(manifest)
    yield from _member_faults(manifest)


def _head_faults(manifest: Manifest) -> Iterator[str]:
    if not (_is_instant(manifest.made_at) and _VERSION.fullmatch(manifest.memd)):
        yield "it does not say when and by which memd it was made"
    if not manifest.workspaces:
        yield "it holds no workspace"
    for one in manifest.workspaces:
        if not (_NAME.fullmatch(one.name) and _ID.fullmatch(one.id) and one.agents):
            yield "a workspace of it has no proper name"
        if not all(_NAME.fullmatch(agent) for agent in one.agents):
            yield "an agent of it has no proper name"
    names = [one.name for one in manifest.workspaces]
    ids = [one.id for one in manifest.workspaces]
    if len(set(names)) < len(names) or len(set(ids)) < len(ids):
        yield "two of its workspaces have the same name"


def _member_faults(manifest: Manifest) -> Iterator[str]:
    tops = {f"workspace/{one.name}" for one in manifest.workspaces} | {
        f"state/{one.id}" for one in manifest.workspaces
    }
    folders: set[str] = {""}
    seen: set[str] = set()
    for member in manifest.members:
        shown = ascii(member.path)
        if not _is_plain(member.path) or member.path in seen:
            yield f"{shown} is no name that it may hold, or holds it twice"
        if member.path.rpartition("/")[0] not in folders:
            yield f"{shown} lies in no folder of it"
        is_top = member.path in _TOP and member.kind == "folder"
        if not is_top and "/".join(member.path.split("/")[:2]) not in tops:
            yield f"{shown} lies in no workspace and no state of it"
        if member.path.count("/") > 1 and member.path.startswith("state/") and not _is_ledger(member):
            yield f"{shown} is no ledger"
        if fault := _find_member_fault(member):
            yield f"{shown} {fault}"
        seen.add(member.path)
        if member.kind == "folder":
            folders.add(member.path)
    missing = tops - folders
    missing |= {f"state/{one.id}/state.db" for one in manifest.workspaces} - seen
    if missing:
        yield f"{min(missing)!a} is missing"


def _is_ledger(member: Member) -> bool:
    return member.kind == "file" and member.path.endswith("/state.db") and member.path.count("/") == 2


def _find_member_fault(member: Member) -> str | None:
    match member.kind:
        case "file":
            if member.size < 0 or not _HASH.fullmatch(member.sha256):
                return "has no size or no hash"
        case "folder":
            if member.size:
                return "is a folder with a size"
        case "link":
            if not stays_inside(member.path.split("/", 2)[-1], member.target):
                return "is a link that leads out of its workspace"
    return (
        None if 0 <= member.mode <= _MODES and abs(member.mtime_ns) < 2**63 else "has no proper mode or time"
    )


def _is_plain(path: str) -> bool:
    return "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def _shown(raw: dict[str, Any]) -> str:
    version = raw.get("memd")
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else "unknown"


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None and text.isascii()
    except ValueError:
        return False
