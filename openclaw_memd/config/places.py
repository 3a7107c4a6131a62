"""Where the configured folders, the socket and the patterns lead, and where they may not."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations
from pathlib import Path

from openclaw_memd.config import paths
from openclaw_memd.config.corpus_sections import Embedding
from openclaw_memd.config.exposure import find_exposure
from openclaw_memd.config.keys import ConfigError, join_key
from openclaw_memd.config.load import model_sections, workspace_of
from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Model

_SOCKET_RULE = f"allowed: an absolute path of at most {paths.MAX_SOCKET_BYTES} bytes"
_WILD = frozenset("*?[\\")


def check_places(config: Config, env: Mapping[str, str]) -> None:
    """Refuse places that cannot be used, or that would make memd read or index its own files.

    Raises:
        ConfigError: there is one; the message names its key and what is allowed.
    """
    for key, value in _paths(config):
        if "\0" in value:
            raise ConfigError(f"{key}: a path cannot hold a NUL character")
    _check_socket(config, env)
    _check_patterns(config, env)
    _check_folders(config, env)


def advise_on_places(config: Config, env: Mapping[str, str]) -> list[str]:
    """Sentences on what may be meant but is more likely a mistake. They hold keys, never paths."""
    workspaces = _workspaces(config, env)
    found = [
        f"{join_key('agents', name)}.workspace: there is no folder at this place"
        for name, agent in config.agents.items()
        if agent.workspace and not _is_there(workspace_of(agent, env)[0], Path.is_dir)
    ]
    found += _advise_on_models(config)
    found += [
        f"files.extra[{index}].path: there is nothing at this place; it is searched once there is"
        for index, extra in enumerate(config.files.extra)
        if not any(_is_there(folder / Path(extra.path).expanduser()) for folder in workspaces.values())
    ]
    for index, pattern in enumerate(config.files.include):
        head = _literal_head(pattern)
        if head and not any(_is_there(folder / head) for folder in workspaces.values()):
            found.append(f"files.include[{index}]: no workspace has anything at this place")
    state = _real(paths.state_dir(env, config.paths.state_dir or None))
    found += [
        f"paths.state_dir: lies in {key}; a folder outside is not copied or committed with it"
        for key, folder in workspaces.items()
        if state.is_relative_to(folder)
    ]
    return found


def _advise_on_models(config: Config) -> Iterator[str]:
    """Models that are named by file, as the embedder and the chat model find them."""
    named: dict[str, Embedding | Model] = {"embedding": config.embedding, **model_sections(config)}
    for section, values in named.items():
        key, model = f"{section}.model", values.model
        if values.provider in {"auto", "local"} and (model.endswith(".gguf") or "/" in model):
            path = Path(os.path.expanduser(model))  # noqa: PTH111 - Path's own fails for an unknown user
            if not (path.is_absolute() or model.startswith("~")):
                yield f"{key}: a relative path begins where memd is started, which a service does elsewhere"
            elif not _is_there(path, Path.is_file):
                yield f"{key}: there is no file at this place"


def _paths(config: Config) -> Iterator[tuple[str, str]]:
    yield "paths.socket", config.paths.socket
    yield "paths.state_dir", config.paths.state_dir
    yield "paths.data_dir", config.paths.data_dir
    for name, agent in config.agents.items():
        yield f"{join_key('agents', name)}.workspace", agent.workspace
    for index, extra in enumerate(config.files.extra):
        yield f"files.extra[{index}].path", extra.path


def _check_socket(config: Config, env: Mapping[str, str]) -> None:
    named = config.paths.socket
    if named and not named.startswith(("/", "~/")):
        raise ConfigError(f"paths.socket: {named!r} is relative; {_SOCKET_RULE}")
    path = paths.socket_path(env, named or None, config.paths.state_dir or None)
    length = len(os.fsencode(path))
    if length > paths.MAX_SOCKET_BYTES:
        whose = "" if named else "the default one "
        raise ConfigError(f"paths.socket: {whose}has {length} bytes; {_SOCKET_RULE}")


def _check_patterns(config: Config, env: Mapping[str, str]) -> None:
    """A pattern that leads elsewhere matches nothing, and somebody relies on it."""
    workspaces = list(_workspaces(config, env).values())
    lists = [(f"files.{name}", getattr(config.files, name)) for name in ("include", "exclude", "evergreen")]
    patterns = [
        (f"{key}[{index}]", line, workspaces) for key, lines in lists for index, line in enumerate(lines)
    ]
    for index, extra in enumerate(config.files.extra):
        places = [folder / Path(extra.path).expanduser() for folder in workspaces]
        patterns.append((f"files.extra[{index}].pattern", extra.pattern, places))
    for key, line, folders in patterns:
        bare = line.strip().removeprefix("!")
        named = tuple(f"{folder}/" for folder in workspaces)
        if ".." in bare.split("/") or bare.startswith(("~/", *named)) or _is_absolute(bare, folders):
            raise ConfigError(
                f"{key}: {line!r} leads out of the folder; allowed: a pattern relative to the folder"
            )


def _is_absolute(pattern: str, folders: Iterable[Path]) -> bool:
    """Whether ``pattern`` is meant from the root of the file system.

    A first slash means one of ``folders``; but when that has no such folder and the machine has, as with
    ``/etc/*.md``, the machine's is meant.
    """
    head = _literal_head(pattern).partition("/")[0] if pattern.startswith("/") else ""
    return bool(head) and Path("/", head).exists() and not any((one / head).exists() for one in folders)


def _check_folders(config: Config, env: Mapping[str, str]) -> None:
    workspaces = _workspaces(config, env)
    place = paths.state_dir(env, config.paths.state_dir or None)
    exposure = find_exposure(place)
    if exposure is not None:
        raise ConfigError(f"paths.state_dir: {exposure}; allowed: a folder where only its user can write")
    state = _real(place)
    for key, folder in workspaces.items():
        if state.is_relative_to(folder / "memory"):
            raise ConfigError(f"paths.state_dir: lies in the memory of {key}; allowed: a folder outside it")
        if folder.is_relative_to(state):
            raise ConfigError(f"{key}: lies in paths.state_dir; allowed: a folder outside it")
    for (key, folder), (other_key, other) in permutations(workspaces.items(), 2):
        if folder != other and folder.is_relative_to(other):
            raise ConfigError(
                f"{key}: lies in {other_key}; allowed: the same folder, or one outside of the other"
            )


def _workspaces(config: Config, env: Mapping[str, str]) -> dict[str, Path]:
    """Each agent's key and real folder."""
    return {
        f"{join_key('agents', name)}.workspace": _real(workspace_of(agent, env)[0])
        for name, agent in config.agents.items()
    }


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_there(path: Path, look: Callable[[Path], bool] = Path.exists) -> bool:
    """What ``look`` tells of ``path``; True also where its folders may not be entered, so nobody knows."""
    try:
        return look(path)
    except PermissionError:
        return True
    except OSError:  # such as a name that is too long
        return False


def _literal_head(pattern: str) -> str:
    """The folders that a pattern names before its first wildcard; empty when it holds at any depth."""
    line = pattern.strip()
    if line.startswith(("#", "!")) or "/" not in line.rstrip("/"):
        return ""
    parts = line.strip("/").split("/")
    literal = next((index for index, part in enumerate(parts) if _WILD & set(part)), len(parts))
    return "/".join(parts[:literal])
