"""Reading the configuration: a TOML file, then the environment, then one strict check of every key."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from openclaw_memd.config import paths
from openclaw_memd.config.describe import describe_type
from openclaw_memd.config.schema import NOT_YET_READ, PER_AGENT, Agent, Config

_SHORT = {
    "MEMD_WORKSPACE": ("agents", "main", "workspace"),
    "MEMD_SOCKET": ("paths", "socket"),
    "MEMD_STATE_DIR": ("paths", "state_dir"),
}

Table = dict[str, Any]


class ConfigError(Exception):
    """The configuration cannot be used; the message names the key and what it may be."""


def load_config(
    env: Mapping[str, str] = os.environ, *, file: str | None = None, workspace: str | None = None
) -> Config:
    """The configuration from the named or default file and the environment.

    ``workspace`` stands above everything else that names the main agent's workspace.

    Raises:
        ConfigError: the file is missing though named, is not TOML, or a key is unknown or has a bad value.
    """
    table = read_file(env, file)
    apply_environment(table, env)
    if workspace is not None:
        _set(table, ("agents", "main", "workspace"), workspace, "--workspace")
    return check(table)


def read_file(env: Mapping[str, str], named: str | None = None) -> Table:
    """The configuration file as a table; an absent default file is an empty one."""
    path, must_exist = paths.config_file(env, named)
    try:
        return tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(f"{path.name}: there is no such configuration file") from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path.name}: {error.strerror}") from None


def apply_environment(table: Table, env: Mapping[str, str]) -> None:
    """Lay ``MEMD_<SECTION>__<KEY>`` variables and the three short ones over ``table``."""
    for name in sorted(env):
        if name in _SHORT:
            if env[name]:
                _set(table, _SHORT[name], env[name], name)
        elif name.startswith("MEMD_") and "__" in name:
            keys = tuple(part.lower() for part in name.removeprefix("MEMD_").split("__"))
            _set(table, keys, _value(env[name]), name)


def _value(text: str) -> Any:
    """A variable's value: TOML where it is that, else the string itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text


def _set(table: Table, keys: tuple[str, ...], value: Any, source: str) -> None:
    for depth, key in enumerate(keys[:-1], start=1):
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{source}: {'.'.join(keys[:depth])} is not a table")
        table = inner
    table[keys[-1]] = value


def check(table: Table) -> Config:
    """``table`` as a typed configuration, each agent's sections completed from the common ones.

    Raises:
        ConfigError: as :func:`load_config`.
    """
    _refuse_unknown(table, Config, "")
    for section in PER_AGENT:
        if not isinstance(table.get(section, {}), dict):
            raise ConfigError(f"{section}: must be a table")
    agents = table.get("agents", {}) or {"main": {}}
    merged = {
        name: {
            **agent,
            **{section: {**table.get(section, {}), **agent.get(section, {})} for section in PER_AGENT},
        }
        for name, agent in agents.items()
    }
    try:
        config = msgspec.convert({**table, "agents": merged}, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(_explain(str(error))) from None
    _check_meaning(config)
    return config


def _check_meaning(config: Config) -> None:
    if config.chunking.overlap >= config.chunking.tokens:
        raise ConfigError(
            f"chunking.overlap: {config.chunking.overlap} must be less than chunking.tokens "
            f"({config.chunking.tokens})"
        )
    if config.embedding.provider == "openai" and not config.embedding.model:
        raise ConfigError("embedding.model: needed with embedding.provider = openai")
    if config.embedding.base_url and not _is_http_address(config.embedding.base_url):
        raise ConfigError(
            "embedding.base_url: not an http or https address, such as http://localhost:11434/v1"
        )
    if config.time.zone != "local":
        try:
            ZoneInfo(config.time.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ConfigError("time.zone: not an IANA time zone, such as Europe/Vienna, nor local") from None
    names = [extra.name for extra in config.files.extra]
    if len(set(names)) < len(names):
        raise ConfigError("files.extra: two entries have the same name")


def _is_http_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def unread_sections(table: Table) -> list[str]:
    """The sections that ``table`` sets but that nothing in this version acts on."""
    named = set(table)
    for agent in table.get("agents", {}).values():
        named.update(agent if isinstance(agent, dict) else ())
    return sorted(named.intersection(NOT_YET_READ))


def _refuse_unknown(table: Any, kind: Any, prefix: str) -> None:
    """Walk ``table`` beside its type and refuse the first key that the type does not have."""
    struct = _struct_of(kind)
    if struct is None or not isinstance(table, dict):
        return
    hints = get_type_hints(struct, include_extras=True)
    for key, value in table.items():
        path = f"{prefix}{key}"
        if key not in hints:
            raise ConfigError(f"{path}: unknown key{_nearest(key, prefix, list(hints))}")
        if path == "agents":
            _refuse_unknown_agents(value)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                _refuse_unknown(item, _item_of(hints[key]), f"{path}[{index}].")
        else:
            _refuse_unknown(value, hints[key], f"{path}.")


def _refuse_unknown_agents(agents: Any) -> None:
    if not isinstance(agents, dict):
        raise ConfigError("agents: must be tables, such as [agents.main]")
    for name, agent in agents.items():
        if not isinstance(agent, dict):
            raise ConfigError(f"agents.{name}: must be a table")
        for section in PER_AGENT:
            if not isinstance(agent.get(section, {}), dict):
                raise ConfigError(f"agents.{name}.{section}: must be a table")
        _refuse_unknown(agent, Agent, f"agents.{name}.")


def _nearest(key: str, prefix: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"; the nearest known one is {prefix}{close[0]}" if close else ""


def _unwrap(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _struct_of(kind: Any) -> type[msgspec.Struct] | None:
    kind = _unwrap(kind)
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def _item_of(kind: Any) -> Any:
    kind = _unwrap(kind)
    if get_origin(kind) in (Union, UnionType) or not get_args(kind):
        return None
    return get_args(kind)[0]


def _explain(message: str) -> str:
    """msgspec's message, led by the key and ended by what the key may be."""
    problem, _, where = message.partition(" - at `$.")
    key = where.rstrip("`")
    if not key:
        return problem
    allowed = describe_type(Config, key)
    return f"{key}: {problem}" + (f"; allowed: {allowed}" if allowed else "")


def workspace_of(agent: Agent, env: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """An agent's workspace and whether somebody named it (the default one may be created)."""
    if agent.workspace:
        return paths.expand(agent.workspace, env), True
    return paths.expand(paths.DEFAULT_WORKSPACE, env), False
