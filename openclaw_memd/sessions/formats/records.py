"""What all transcript formats share: one line of JSON becomes one record, and nothing in a line can fail."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import msgspec

from openclaw_memd.sessions.messages import Message

Json = Mapping[str, Any]

ID_CHARS: Final = 200
"""Longer ids are no ids."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How the operator says that a folder's records are to be read.

    ``local_user``: a plain user record is the owner of this machine, unless it says otherwise.
    ``network_tools``: names of tools whose results come from the network, beside those that are known.
    """

    local_user: bool = False
    network_tools: frozenset[str] = frozenset()


NO_RULES: Final = Rules()


class Ignored(StrEnum):
    """Why a line holds nothing to keep."""

    NOT_JSON = "not_json"
    NOT_A_RECORD = "not_a_record"
    BOOKKEEPING = "bookkeeping"  # a note of the runtime to itself
    UNKNOWN = "unknown"  # a kind of record that is not known here

    @property
    def is_broken(self) -> bool:
        """Whether the line should have been something else: status counts such lines."""
        return self in (Ignored.NOT_JSON, Ignored.NOT_A_RECORD)


class Generated(StrEnum):
    """What wrote a whole transcript, when nobody talked in it."""

    DREAMING = "dreaming"
    CRON = "cron"


@dataclass(frozen=True, slots=True)
class Opening:
    """The line that names the session."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in one line. ``agent`` names the sub-agent that said it, inside another's transcript."""

    messages: tuple[Message, ...]
    session_id: str | None = None
    agent: str | None = None


Record = Opening | Said | Generated | Ignored


def decode_line(line: bytes) -> Json | Ignored:
    """One line as a JSON object. Bytes that are no UTF-8 and lone surrogates become U+FFFD."""
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:  # the standard library takes what is not quite JSON, as lone surrogates are not
            value = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return Ignored.NOT_JSON
    return value if isinstance(value, dict) else Ignored.NOT_A_RECORD


def mapping(value: object) -> Json:
    """``value`` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str | None:
    """``value`` when it is a short, non-empty text, else None."""
    if not isinstance(value, str) or not value.strip() or len(value) > ID_CHARS:
        return None
    return sane(value.strip())


def parts(content: object) -> Iterable[Json]:
    """The parts of a message's content, which may be one text."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},)
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else ()


def spoken(content: object) -> str:
    """The text parts of a message's content, a line break between them."""
    texts = [part.get("text") for part in parts(content) if part.get("type") == "text"]
    return sane("\n".join(text for text in texts if isinstance(text, str)))


def sane(text: str) -> str:
    """``text`` as a database can hold it: no lone surrogates, no NUL."""
    return _UNSTORABLE.sub(lambda found: "" if found[0] == "\0" else "\ufffd", text)


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
