"""From a call's params to their struct, with errors that name the field and never repeat a value."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec
from msgspec.inspect import Field, LiteralType, Metadata, StructType, Type, UnionType, VarTupleType, type_info

from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.errors import InvalidParamsError

T = TypeVar("T")

_LIKE = 0.6
"""How like a known name another must be: a slip of the hand, not a few letters in common."""

_PLACE = re.compile(r" - at `\$((?:\.\w+|\[\d+\])*)[^`]*`$")
_STEP = re.compile(r"\w+|\[\d+\]")  # the name of a field, or an index in brackets
_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def decode_params(params: dict[str, Any], shape: type[T]) -> T:
    """``params`` as a ``shape``, a msgspec Struct.

    Raises:
        InvalidParamsError: they do not fit; ``field`` is the dotted path of the culprit.
    """
    try:
        return msgspec.convert(params, shape)
    except msgspec.ValidationError as error:
        raise _explain(str(error), params, shape) from None


def nearest(name: str, known: Iterable[str]) -> str:
    """``; nearest known: ...`` for a name that looks like a known one, else nothing."""
    close = get_close_matches(name[:128], list(known), n=1, cutoff=_LIKE)
    return f"; nearest known: {close[0]}" if close else ""


def _explain(text: str, params: dict[str, Any], shape: type) -> InvalidParamsError:
    if text.startswith("Object contains unknown field"):
        return _explain_unknown([], params, type_info(shape)) or InvalidParamsError(
            "unknown parameter", reason="unknown"
        )
    place = _PLACE.search(text)
    steps = _STEP.findall(place[1]) if place else []
    detail = text[: place.start()] if place else text
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", detail):
        field = _join([*steps, missing[1]])
        return InvalidParamsError(f"{field} is missing", field=field, reason="missing")
    field = _join(steps)
    if detail.startswith("Invalid enum value"):
        allowed = ", ".join(_allowed(_find(shape, steps)))
        return InvalidParamsError(f"{field} must be one of: {allowed}", field=field, reason="value")
    expected = detail.replace("`", "")
    return InvalidParamsError(f"{field}: {expected}", field=field, reason="value")


def _explain_unknown(steps: list[str], params: Any, found: Type) -> InvalidParamsError | None:
    """The first unknown name. The decoder's words hold it too, but there it could pass for a place."""
    if isinstance(params, list | tuple) and (item_type := _item_type(found)) is not None:
        inside = (_explain_unknown([*steps, f"[{n}]"], item, item_type) for n, item in enumerate(params))
        return next(filter(None, inside), None)
    known = {field.encode_name: field.type for field in _fields(found)}
    if not known or not isinstance(params, dict):
        return None
    for name, value in params.items():
        if name in known:
            if inner := _explain_unknown([*steps, name], value, known[name]):
                return inner
            continue
        hint = nearest(name, known)
        if not _SAFE_NAME.fullmatch(name) or mask_secrets(name) != name:
            return InvalidParamsError(f"unknown parameter{hint}", reason="unknown")
        field = _join([*steps, name])
        return InvalidParamsError(f"unknown parameter {field}{hint}", field=field, reason="unknown")
    return None


def _join(steps: Iterable[str]) -> str:
    """``a.b[0].c`` of its steps."""
    return "".join(step if step.startswith("[") else f".{step}" for step in steps).removeprefix(".")


def _find(shape: type, steps: list[str]) -> Type:
    found = type_info(shape)
    for step in steps:
        if step.startswith("["):
            item_type = _item_type(found)
            assert item_type is not None, step
            found = item_type
        else:
            found = next(field.type for field in _fields(found) if field.encode_name == step)
    return found


def _item_type(found: Type) -> Type | None:
    """What is in a list, where one is taken."""
    return next((member.item_type for member in _members(found) if isinstance(member, VarTupleType)), None)


def _members(found: Type) -> Iterable[Type]:
    if isinstance(found, Metadata):
        yield from _members(found.type)
    elif isinstance(found, UnionType):
        for member in found.types:
            yield from _members(member)
    else:
        yield found


def _fields(found: Type) -> tuple[Field, ...]:
    return next((member.fields for member in _members(found) if isinstance(member, StructType)), ())


def _allowed(found: Type) -> list[str]:
    literals = [member for member in _members(found) if isinstance(member, LiteralType)]
    return [str(value) for literal in literals for value in literal.values]
