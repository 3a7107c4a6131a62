"""Where other assistants keep their memories."""

import json
import os
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from openclaw_memd.config import paths
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.foreign import opened_folder
from openclaw_memd.files.legacy import LEGACY
from openclaw_memd.files.names import MACHINE_FOLDERS, REVIEW, TOOL_FOLDERS, is_markdown
from openclaw_memd.ops.imports.types import Left, Place, Source

CODEX_FILES: Final = frozenset({"MEMORY.md", "memory_summary.md"})
OPENCLAW_FILES: Final = frozenset({"MEMORY.md", "USER.md", REVIEW})
ARCHIVE: Final = "archive/DREAMS.txt"
"""The diary of an installation is kept, under a name that is not indexed: it is no memory."""

AUTO: Final = "autoMemoryDirectory"
_SETTINGS_BYTES: Final = 1 << 20


def origin_of(source: Source, named: str | None, env: Mapping[str, str]) -> Path:
    """The folder, or the file, that a source is read from.

    Raises:
        InvalidParamsError: a path is needed or not absolute, or there is nothing at one that was named.
    """
    if named is not None:
        if not named.startswith(("/", "~/")) and named != "~":
            raise InvalidParamsError("the path must be absolute", field="from", reason="value")
        path = paths.expand(named, env)
        if not _is_there(path):
            raise InvalidParamsError("there is nothing at this path", field="from", reason="missing")
        return Path(os.path.realpath(path))
    match source:
        case "codex":
            return _set_or(env, "CODEX_HOME", ".codex")
        case "claude-code":
            return _set_or(env, "CLAUDE_CONFIG_DIR", ".claude")
        case "openclaw":
            return _set_or(env, "OPENCLAW_STATE_DIR", ".openclaw")
        case "path":
            raise InvalidParamsError("the path is missing", field="from", reason="missing")


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - False for what can be no name, too


def codex_places(origin: Path) -> list[Place]:
    """The two files that Codex writes for itself."""
    folder = origin / "memories"
    return [Place(folder if folder.is_dir() else origin, CODEX_FILES.__contains__, _nowhere)]


def claude_places(origin: Path, env: Mapping[str, str], *, is_own: bool) -> list[Place]:
    """The memory folders of all projects, and the one that the user's settings name.

    Unless the settings are the user's own (``is_own``) they cannot name a folder outside of ``origin``: that
    would bring in what whoever made them has never had. The user's own may be a link, as those who keep such
    files elsewhere have it.
    """
    found = [Place(origin / "projects", _is_claude_memory, _enters_claude)]
    settings = origin / "settings.json"
    named = _auto_memory(Path(os.path.realpath(settings)) if is_own else settings)
    if named is not None and named.startswith(("/", "~/")):
        folder = Path(os.path.realpath(paths.expand(named, env)))
        if is_own or folder.is_relative_to(origin):
            found.append(Place(folder, _markdown, _everywhere, below=f"{AUTO}/"))
    return found


def path_places(origin: Path) -> list[Place]:
    """One file, or all Markdown below a folder."""
    if not origin.is_dir():
        if not is_markdown(origin.name):
            raise InvalidParamsError("only Markdown files are imported", field="from", reason="value")
        return [Place(origin.parent, origin.name.__eq__, _nowhere)]
    name = origin.name.lstrip(".") or "root"
    return [Place(origin, _markdown, _everywhere, below=f"{name}_/" if name in TOOL_FOLDERS else f"{name}/")]


def is_openclaw_home(origin: Path) -> bool:
    """Whether this is an installation, and not one of its workspaces."""
    return any(_is_there(origin / name) for name in ("openclaw.json", "agents", "workspace"))


def openclaw_places(origin: Path) -> tuple[list[Place], list[Left]]:
    """The workspaces of an installation, or the one that was named; and those that are links."""
    if not is_openclaw_home(origin):
        return [_openclaw_workspace(origin, "")], []
    found, links = [], []
    try:
        names = sorted(os.listdir(origin))  # noqa: PTH208 - names alone
    except OSError:
        return [], [Left(f"{origin.name}/", SkipReason.UNREADABLE)]
    for name in names:
        if name != "workspace" and not name.startswith("workspace-"):
            continue
        if (origin / name).is_symlink():
            links.append(Left(f"{name}/", SkipReason.SYMLINK))
        elif (origin / name).is_dir():
            found.append(_openclaw_workspace(origin / name, "" if name == "workspace" else f"{name}/"))
    return found, links


def _openclaw_workspace(folder: Path, below: str) -> Place:
    return Place(folder, _is_openclaw_memory, _enters_openclaw, below=below, renamed={REVIEW: ARCHIVE})


def _is_openclaw_memory(path: str) -> bool:
    if path in OPENCLAW_FILES or path == LEGACY:  # beside MEMORY.md it is a twin
        return True
    parts = path.split("/")
    is_of_user = len(parts) == 3 and parts[0] == "users" and parts[2] == "USER.md"
    return is_of_user or (parts[0] == "memory" and len(parts) > 1 and is_markdown(path))


def _enters_openclaw(folder: str) -> bool:
    return folder.split("/", maxsplit=1)[0] in ("memory", "users") and folder not in MACHINE_FOLDERS


def _is_claude_memory(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 2 and parts[1] == "memory" and is_markdown(path)


def _enters_claude(folder: str) -> bool:
    parts = folder.split("/")
    return len(parts) == 1 or parts[1] == "memory"


def _markdown(path: str) -> bool | SkipReason:
    if posixpath.basename(path).startswith("."):
        return False
    return True if is_markdown(path) else SkipReason.NOT_MARKDOWN


def _everywhere(_folder: str) -> bool:
    return True


def _nowhere(_folder: str) -> bool:
    return False


def _auto_memory(settings: Path) -> str | None:
    """The folder for memories that the user's own settings name; a project's are not believed."""
    try:
        with opened_folder(settings.parent) as folder:
            found = read_bytes(folder, settings.name, _SETTINGS_BYTES)
        if isinstance(found, SkipReason):
            return None
        read = json.loads(found[0])
        named = read.get(AUTO) if isinstance(read, dict) else None
        if not isinstance(named, str) or "\0" in named:
            return None
        os.fsencode(named)  # JSON can hold what is no name of a file
    except (OSError, ValueError, RecursionError):
        return None
    return named


def _set_or(env: Mapping[str, str], name: str, fallback: str) -> Path:
    value = env.get(name, "")
    return Path(os.path.realpath(value if value.startswith("/") else paths.home(env) / fallback))
