"""The environment's part of the configuration."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

import msgspec

from openclaw_memd.config.keys import ConfigError, Table, UnknownKeyError, nearest, refuse_unknown
from openclaw_memd.config.schema import PER_AGENT, Config

PREFIX = "MEMD_"
SHORT = {
    "MEMD_WORKSPACE": ("agents", "main", "workspace"),
    "MEMD_SOCKET": ("paths", "socket"),
    "MEMD_STATE_DIR": ("paths", "state_dir"),
}
CONFIG_FILE = "MEMD_CONFIG"


def apply_environment(table: Table, env: Mapping[str, str]) -> None:
    """Lay ``MEMD_<SECTION>__<KEY>`` variables and the three short ones over ``table``.

    Raises:
        ConfigError: a variable names no key, goes below something that is no table, or is not UTF-8.
    """
    for name in sorted(env):
        if name in SHORT:
            if env[name]:
                set_key(table, SHORT[name], _text(name, env[name]), name)
        elif name.startswith(PREFIX) and "__" in name:
            keys = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
            value = _value(_text(name, env[name]))
            _refuse_unknown(name, keys, value)
            set_key(table, keys, value, name)


def set_key(table: Table, keys: tuple[str, ...], value: Any, source: str) -> None:
    """Set the key with these parts; ``source`` is who wants it, for the error.

    Raises:
        ConfigError: there is no table where the key would be.
    """
    for depth, key in enumerate(keys[:-1], start=1):
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{source}: {'.'.join(keys[:depth])} is not a table")
        table = inner
    table[keys[-1]] = value


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """A sentence on each variable that looks like one of memd's and is none.

    Other programs may have such names too, so these are no errors, unlike those with two underscores.
    """
    known = [*SHORT, CONFIG_FILE, *(PREFIX + key.upper().replace(".", "__") for key in _keys())]
    return [
        f"{name}: memd knows no such variable{nearest(name, known)}"
        for name in sorted(env)
        if name.startswith(PREFIX) and "__" not in name and name not in known
    ]


def _refuse_unknown(name: str, keys: tuple[str, ...], value: Any) -> None:
    alone: Table = {}
    set_key(alone, keys, value, name)
    try:
        refuse_unknown(alone)
    except UnknownKeyError:
        key = ".".join(keys)
        raise ConfigError(f"{name}: there is no key {key}{nearest(key, _keys(), cutoff=0.1)}") from None
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None


def _keys() -> Iterator[str]:
    for section, kind in get_type_hints(Config).items():
        if section == "agents":
            yield "agents.main.workspace"
            continue
        for key in msgspec.structs.fields(kind):
            yield f"{section}.{key.name}"
            if section in PER_AGENT:
                yield f"agents.main.{section}.{key.name}"


def _text(name: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{name}: not UTF-8") from None
    return value


def _value(text: str) -> Any:
    """A variable's value: TOML where it is that, else the string itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
