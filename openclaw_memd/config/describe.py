"""What a key may be, in words, from its type: for error messages and for the generated reference."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct


def describe_type(root: type[Struct], key: str) -> str:
    """What the dotted ``key`` under ``root`` may be; empty when the key is not known.

    Keys come as msgspec's error paths: ``search.min_score``, ``agents[...].search.min_score``,
    ``files.extra[0].name``.
    """
    kind: Any = root
    for part in re.sub(r"\[[^]]*\]", ".*", key).split("."):
        kind = _step(kind, part)
        if kind is None:
            return ""
    return words_for(kind)


def _step(kind: Any, part: str) -> Any:
    kind = _split(kind)[0]
    if isinstance(kind, type) and issubclass(kind, Struct):
        return get_type_hints(kind, include_extras=True).get(part)
    arguments = get_args(kind)
    if part == "*" and arguments:
        return arguments[1] if get_origin(kind) is dict else arguments[0]
    return None


def _split(kind: Any) -> tuple[Any, list[Meta]]:
    """A type without its annotations, and those annotations."""
    if get_origin(kind) is Annotated:
        first, *rest = get_args(kind)
        inner, metas = _split(first)
        return inner, metas + [meta for meta in rest if isinstance(meta, Meta)]
    return kind, []


def words_for(kind: Any) -> str:
    """A type and its bounds in words."""
    inner, metas = _split(kind)
    if get_origin(inner) is Literal:
        return " | ".join(f'"{value}"' for value in get_args(inner))
    if get_origin(inner) is tuple:
        return f"list of: {words_for(get_args(inner)[0])}"
    if get_origin(inner) is dict or inner is dict:
        return "table of strings"
    if isinstance(inner, type) and issubclass(inner, Struct):
        return "table with " + ", ".join(get_type_hints(inner))
    name = {int: "integer", float: "number", str: "string", bool: "true or false"}.get(inner, str(inner))
    bounds = {
        bound: value
        for meta in metas
        for bound in ("ge", "le", "pattern")
        if (value := getattr(meta, bound)) is not None
    }
    if "ge" in bounds and "le" in bounds:
        name += f" from {bounds['ge']} to {bounds['le']}"
    if "pattern" in bounds:
        name += f" that matches {bounds['pattern']}"
    return name


def keys_of(section: type[Struct]) -> Iterator[tuple[str, Any, Any, str]]:
    """Each key of a section: its name, type, default value and description."""
    hints = get_type_hints(section, include_extras=True)
    for info in msgspec.structs.fields(section):
        default = info.default
        if default is msgspec.NODEFAULT:
            factory = info.default_factory
            default = UNSET if factory is msgspec.NODEFAULT else factory()
        description = " ".join(meta.description or "" for meta in _split(hints[info.name])[1]).strip()
        yield info.name, hints[info.name], default, description
