"""What OpenClaw's ``sessions.json`` says of the sessions beside it: who reads them and what started them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.callers import Channel, ChatType
from openclaw_memd.domain.kinship import inherited_kind, lineage
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.sessions.formats.records import Ignored, Json, decode_line, mapping, word

INDEX_NAME: Final = "sessions.json"
INDEX_BYTES: Final = 64 * 1024 * 1024
"""A larger one is not read."""


_NO_CHANNEL: Final = Channel()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What is known of a session besides its messages. The parent is a session id."""

    kind: SessionKind
    chat_type: ChatType = ChatType.UNKNOWN
    channel: Channel = _NO_CHANNEL
    parent: str | None = None


_CHAT_TYPES: Final = {
    "direct": ChatType.DIRECT,
    "dm": ChatType.DIRECT,
    "group": ChatType.GROUP,
    "channel": ChatType.CHANNEL,
    "room": ChatType.CHANNEL,
}


def read_index(data: bytes) -> Mapping[str, SessionFacts] | None:
    """The facts of every session, by its id; None when ``data`` is no index, as when it is half-written.

    Entries that are malformed are left out. Never raises.
    """
    found = decode_line(data)
    if isinstance(found, Ignored):
        return None
    entries = {key: mapping(entry) for key, entry in found.items() if word(mapping(entry).get("sessionId"))}

    def parent_of(key: str) -> str | None:
        return _parent(entries[key]) if key in entries else None

    return {
        str(word(entry["sessionId"])): SessionFacts(
            kind=inherited_kind(SessionKind.INTERACTIVE, _kinds(lineage(key, parent_of), entries)),
            chat_type=_chat_type(key, entry),
            channel=_channel(key),
            parent=word(entries.get(parent_of(key) or "", {}).get("sessionId")),
        )
        for key, entry in entries.items()
    }


def _kinds(keys: Iterator[str], entries: Mapping[str, Json]) -> Iterator[SessionKind]:
    for key in keys:
        parts = key.split(":")
        if "cron" in parts:
            yield SessionKind.CRON
        entry = entries.get(key, {})
        if word(entry.get("heartbeatIsolatedBaseSessionKey")):
            yield SessionKind.HEARTBEAT
        if "subagent" in parts or word(entry.get("spawnedBy")):
            yield SessionKind.SUBAGENT


def _parent(entry: Json) -> str | None:
    return word(entry.get("spawnedBy")) or word(entry.get("parentSessionKey"))


def _chat_type(key: str, entry: Json) -> ChatType:
    """As the entry says; else as its key does, whose last words name the kind of chat and its id."""
    said = word(entry.get("chatType")) or word(mapping(entry.get("origin")).get("chatType"))
    if said is not None:
        return _CHAT_TYPES.get(said, ChatType.UNKNOWN)
    return next((_CHAT_TYPES[part] for part in key.split(":")[2:] if part in _CHAT_TYPES), ChatType.UNKNOWN)


def _channel(key: str) -> Channel:
    """The conversation that the key names. What an entry says of channels is about the last message only."""
    parts = key.split(":")
    place = next((at for at, part in enumerate(parts) if at >= 2 and part in _CHAT_TYPES), None)
    if place is None:
        return Channel()
    provider, account = (*parts[2:place], "", "")[:2]
    return Channel(provider or None, account or None, word(":".join(parts[place + 1 :])))
