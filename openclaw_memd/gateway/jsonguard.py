"""JSON, strictly: what two parsers could read in two ways is refused."""

import re
from typing import Literal

import msgspec

JsonFault = Literal["syntax", "duplicate_key", "number_range", "depth"]

_INTEGERS = range(-(2**63), 2**63)
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_decode = msgspec.json.Decoder().decode


class JsonError(ValueError):
    """Bytes that are not JSON as memd takes it."""

    def __init__(self, reason: JsonFault) -> None:
        super().__init__(reason)
        self.reason: JsonFault = reason


def parse(raw: bytes, *, depth: int) -> object:
    """The value of one JSON text.

    It must be UTF-8 with no lone surrogates, no NaN or Infinity, no key twice in an object, integers within
    64 bits, floats within range, and objects and arrays nested at most ``depth`` deep.

    Raises:
        JsonError: it is not.
    """
    try:
        value = _decode(raw)
    except RecursionError:
        raise JsonError("depth") from None
    except msgspec.ValidationError:
        raise JsonError("number_range") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise JsonError("syntax") from None
    members = _inspect([value], depth + 1)
    # The decoder keeps the last of equal keys, so an object's members are as many as its colons or fewer.
    # Colons inside strings only matter when the cheap count is not already the proof.
    if raw.count(b":") != members and _STRING.sub(b"", raw).count(b":") != members:
        raise JsonError("duplicate_key")
    return value


def _inspect(value: object, room: int) -> int:
    """The number of object members in ``value``."""
    if isinstance(value, dict):
        members, children = len(value), list(value.values())
    elif isinstance(value, list):
        members, children = 0, value
    else:
        return 0
    if room == 0:
        raise JsonError("depth")
    for child in children:
        if isinstance(child, dict | list):
            members += _inspect(child, room - 1)
        elif isinstance(child, int) and child not in _INTEGERS:
            raise JsonError("number_range")
    return members
