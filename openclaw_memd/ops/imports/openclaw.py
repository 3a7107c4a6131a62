"""What an installation of OpenClaw has beside its files: standing intents, recalls, transcripts.

None of it is believed. Intents are shown with the commands that make them anew, since only the owner makes
intents; recalls are counted, and begin anew here; transcripts are named, to be read like any others.
"""

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.domain.inert import in_one_line, shorten, show_plainly
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.foreign import opened_folder
from openclaw_memd.files.names import CURATED, NOTES, is_markdown
from openclaw_memd.index.foreign import ForeignDatabase, ForeignError, Row
from openclaw_memd.ops.imports.places import is_openclaw_home
from openclaw_memd.ops.imports.types import Beside, ForeignIntent, Left, Place, RecallStore, Setting

MOST_INTENTS: Final = 1_000
MOST_RECALLS: Final = 50_000  # OpenClaw's limit
DESCRIPTION_CHARS: Final = 500  # OpenClaw's, like the next two
KEYWORD_CHARS: Final = 120
MOST_KEYWORDS: Final = 24
_OPEN: Final = frozenset({"pending", "armed", "fired"})
_RECALLS: Final = "memory/.dreams/short-term-recall.json"
_RECALL_BYTES: Final = 16 << 20
_INTENT_COLUMNS: Final = ("description", "trigger_keywords", "status", "fire_count", "max_fires")


def look_beside(origin: Path, places: Sequence[Place], setting: Setting, agent: str | None) -> Beside:
    """What lies beside the files of the installation at ``origin``. Blocking; databases are copied first.

    Its transcripts are named as those of ``agent``; None: they are not to be read.
    """
    home = _home(origin)
    refused: list[Left] = []
    intents: list[ForeignIntent] = []
    doubted: set[str] = set()
    recalls = list(_recall_files(places))
    for path in _databases(home):
        setting.check()
        shown = str(path.relative_to(home)) if home else path.name
        try:
            if not path.resolve().is_relative_to(home or origin):
                raise ForeignError(SkipReason.SYMLINK)
            database = ForeignDatabase(path, setting.scratch)
        except ForeignError as error:
            refused.append(Left(shown, error.reason))
            continue
        except OSError:  # no room for a copy, say
            refused.append(Left(shown, ImportReason.DISK))
            continue
        try:
            intents += _read_intents(database, path.parent.parent.name)
            recalls += _read_recalls(database)
            doubted |= _read_doubted(database, setting.workspace)
        except ForeignError as error:
            refused.append(Left(shown, error.reason))
        finally:
            database.close()
    store = (
        RecallStore(len(recalls), sum(bool(one.get("promotedAt")) for one in recalls)) if recalls else None
    )
    return Beside(
        intents=tuple(intents),
        recall_store=store,
        sessions=tuple(_sections(home, setting, agent)),
        doubted=tuple(sorted(doubted)),
        refused=tuple(refused),
    )


def render_intents(intents: Sequence[ForeignIntent]) -> bytes:
    """A page of the intents, for people: nothing in it fires."""
    lines = [
        "# Standing intents of OpenClaw",
        "",
        "Nothing here fires. What you still want, you make anew with the command below it.",
    ]
    for one in intents:
        lines += ["", f"## {one.description}", ""]
        lines += [f"- agent: {one.agent}", f"- keywords: {', '.join(one.keywords) or 'none'}"]
        lines += [f"- there: {one.status}, {one.fires}", "", f"    {one.command}"]
    return ("\n".join(lines) + "\n").encode()


def _home(origin: Path) -> Path | None:
    if is_openclaw_home(origin):
        return origin
    return origin.parent if is_openclaw_home(origin.parent) and (origin.parent / "agents").is_dir() else None


def _databases(home: Path | None) -> Iterator[Path]:
    if home is None:
        return
    found = [*sorted((home / "agents").glob("*/agent/openclaw-agent.sqlite")), home / "state/openclaw.sqlite"]
    yield from (path for path in found if path.exists())


def _read_intents(database: ForeignDatabase, agent: str) -> list[ForeignIntent]:
    rows = database.rows("standing_intents", _INTENT_COLUMNS, most=MOST_INTENTS) or []
    found = [_intent(row, agent) for row in rows]
    return [one for one in found if one is not None and one.status in _OPEN]


def _intent(row: Row, agent: str) -> ForeignIntent | None:
    description, keywords, status, fired, most = row
    said = _plain(description, DESCRIPTION_CHARS)
    if not said or not isinstance(status, str):
        return None
    words = tuple(word for one in _list(keywords)[:MOST_KEYWORDS] if (word := _plain(one, KEYWORD_CHARS)))
    command = ["memd", "intents", "add", *(f"--keyword={word}" for word in words)]
    if isinstance(most, int) and 0 < most < 1_000:
        command.append(f"--max-fires={most}")
    command += ["--", said]
    fires = "nobody knows how often it fired"
    if isinstance(fired, int) and isinstance(most, int):
        fires = f"fired {fired} of {most} times"
    return ForeignIntent(_plain(agent, 64), said, words, _plain(status, 16), fires, shlex.join(command))


def _read_recalls(database: ForeignDatabase) -> list[dict[str, Any]]:
    rows = database.rows(
        "plugin_state_entries", ("value_json",), where={"namespace": "short-term-recall"}, most=MOST_RECALLS
    )
    read = (_object(value) for (value,) in rows or [])
    return [inner if isinstance(inner := one.get("value"), dict) else one for one in read if one]


def _read_doubted(database: ForeignDatabase, workspace: Path) -> set[str]:
    """The files of this very workspace that were recorded as text from outside, as far as they are there."""
    where = {"plugin_id": "core:memory-artifact-provenance", "namespace": "workspace-files"}
    rows = database.rows("plugin_state_entries", ("value_json",), where=where, most=MOST_RECALLS) or []
    key = sha256(os.fsencode(workspace)).hexdigest()
    found = set()
    for record in (_object(value) for (value,) in rows):
        path = record.get("relativePath")
        if record.get("originClass") != "untrusted" or record.get("workspaceKey") != key:
            continue
        if isinstance(path, str) and _is_memory(path) and (workspace / path).is_file():
            found.add(path)
    return found


def _is_memory(path: str) -> bool:
    """Whether this names a memory file, and nothing that only looks like one."""
    is_plain = path == _plain(path, 1_000) and ".." not in path.split("/")
    return is_plain and (path in CURATED or (path.startswith(f"{NOTES}/") and is_markdown(path)))


def _recall_files(places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    for place in places:
        try:
            with opened_folder(place.folder) as folder:
                found = read_bytes(folder, _RECALLS, _RECALL_BYTES)
        except OSError:
            continue
        if isinstance(found, SkipReason):
            continue
        entries = _object(found[0]).get("entries")
        if isinstance(entries, dict):
            yield from (one for one in list(entries.values())[:MOST_RECALLS] if isinstance(one, dict))


def _sections(home: Path | None, setting: Setting, agent: str | None) -> Iterator[str]:
    """The sections of the configuration that make memd read the transcripts."""
    if home is None or agent is None:
        return
    for path in sorted((home / "agents").glob("*/sessions")):
        if path.is_dir() and not path.is_symlink() and path not in setting.session_folders:
            yield session_section(path, "openclaw", agent)


def session_section(path: Path, kind: str, agent: str) -> str:
    """A section ``[[sessions.folders]]``."""
    shown = json.dumps(str(path), ensure_ascii=False)
    return f'[[sessions.folders]]\npath = {shown}\nformat = "{kind}"\nagent = "{agent}"\n'


def _plain(value: object, most: int) -> str:
    if not isinstance(value, str):
        return ""
    return shorten(in_one_line(show_plainly(value[: 8 * most])), most)


def _list(value: object) -> list[object]:
    try:
        read = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return []
    return read if isinstance(read, list) else []


def _object(value: object) -> dict[str, Any]:
    try:
        read = json.loads(value) if isinstance(value, str | bytes) else None
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
