"""Keys as people read and write them: dotted, as in TOML."""

import difflib
import json
import re
from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from openclaw_memd.config.describe import describe_type
from openclaw_memd.config.schema import PER_AGENT, Agent, Config

Table = dict[str, Any]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"(?P<problem>.*) - at (?P<is_name>`key` in )?`\$(?P<steps>[^`]*)`", re.DOTALL)
_STEP = re.compile(r"\.(?P<member>[^.\[]+)|\[(?P<index>\d+)\]|\[\.\.\.\]")


class ConfigError(Exception):
    """The configuration cannot be used; the message names the key and what it may be."""


class UnknownKeyError(ConfigError):
    """There is no such key."""


def join_key(prefix: str, part: str) -> str:
    """``prefix`` and one more part, in quotes where TOML wants them."""
    shown = part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False)
    return f"{prefix}.{shown}" if prefix else shown


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.5) -> str:
    """The known name that is most like ``name`` as an end of a sentence; empty when none is."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f"; the nearest known one is {close[0]}" if close else ""


def refuse_unknown(table: Table) -> None:
    """Refuse the first key that the schema does not have.

    Raises:
        UnknownKeyError: there is one.
        ConfigError: there is a value where a table must be.
    """
    _refuse(table, Config, "")


def explain(message: str, table: Table) -> str:
    """msgspec's message on ``table``, led by the key and ended by what the key may be."""
    found = _PLACE.fullmatch(message)
    if found is None:
        return message
    problem = found["problem"].replace("`", "")
    key, kind_path = _locate(found["steps"], table, is_name=found["is_name"] is not None)
    allowed = "" if found["is_name"] else describe_type(Config, kind_path)
    return f"{key}: {problem}" + (f"; allowed: {allowed}" if allowed else "")


def _locate(steps: str, table: Table, *, is_name: bool) -> tuple[str, str]:
    """The key that msgspec's ``steps`` lead to, and the steps as `describe_type` takes them.

    msgspec does not say which member of a dict it means, so it is asked again with one at a time.
    """
    key = ""
    value: Any = table
    kind: Any = Config
    for step in [*_STEP.finditer(steps), *([None] if is_name else [])]:
        if step is None or step[0] == "[...]":
            name = _culprit(value, kind)
            key, value, kind = join_key(key, name), value[name], _inner(kind)
        elif step["member"]:
            name = step["member"]
            key, value, kind = join_key(key, name), value[name], _member(kind, name)
        else:
            index = int(step["index"])
            key, value, kind = f"{key}[{index}]", value[index], _inner(kind)
    return key, steps.removeprefix(".")


def _culprit(members: Table, kind: Any) -> str:
    for name, value in members.items():
        try:
            msgspec.convert({name: value}, kind)
        except msgspec.ValidationError:
            return name
    raise AssertionError("msgspec refuses a dict and every one of its members passes")


def _member(kind: Any, name: str) -> Any:
    return get_type_hints(_unwrap(kind), include_extras=True)[name]


def _inner(kind: Any) -> Any:
    """The type of what a dict or a list holds."""
    arguments = get_args(_unwrap(kind))
    return arguments[1] if get_origin(_unwrap(kind)) is dict else arguments[0]


def _refuse(table: Any, kind: Any, prefix: str) -> None:
    """Walk ``table`` beside its type."""
    struct = _struct_of(kind)
    if struct is None or not isinstance(table, dict):
        return
    hints = get_type_hints(struct, include_extras=True)
    for key, value in table.items():
        path = join_key(prefix, key)
        if key not in hints:
            known = [join_key(prefix, one) for one in hints]
            raise UnknownKeyError(f"{path}: unknown key{nearest(path, known)}")
        if path == "agents":
            _refuse_agents(value)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                _refuse(item, _item_of(hints[key]), f"{path}[{index}]")
        else:
            _refuse(value, hints[key], path)


def _refuse_agents(agents: Any) -> None:
    if not isinstance(agents, dict):
        raise ConfigError("agents: must be tables, such as [agents.main]")
    for name, agent in agents.items():
        path = join_key("agents", name)
        if not isinstance(agent, dict):
            raise ConfigError(f"{path}: must be a table")
        for section in PER_AGENT:
            if not isinstance(agent.get(section, {}), dict):
                raise ConfigError(f"{path}.{section}: must be a table")
        _refuse(agent, Agent, path)


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
