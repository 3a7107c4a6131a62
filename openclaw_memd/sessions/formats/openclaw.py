"""OpenClaw's transcripts: a line of JSON a record, one session a file.

Who speaks is in the records' own metadata. Only what is literally said there counts; what is missing makes
nothing the owner's.
"""

from datetime import datetime
from typing import Final

from openclaw_memd.domain.callers import Sender
from openclaw_memd.domain.instants import read_instant
from openclaw_memd.sessions.filters import clean_answer, clean_question
from openclaw_memd.sessions.formats.records import (
    Generated,
    Ignored,
    Json,
    Opening,
    Record,
    Rules,
    Said,
    decode_line,
    mapping,
    spoken,
    word,
)
from openclaw_memd.sessions.messages import Message, MessageKind, Role, is_recall_tool

_NARRATIVE: Final = "dreaming-narrative-"
_NETWORK: Final = frozenset({"web_fetch", "web_search", "browser"})
"""Tools that read the network, also in records of versions that did not mark their results yet."""
_ECHOES: Final = frozenset({"delivery-mirror", "gateway-injected"})
"""Models' names on records that repeat or replace what a model said."""
_BOOKKEEPING: Final = frozenset(
    {
        "branch_summary",
        "compaction",
        "custom",
        "custom_message",
        "label",
        "leaf",
        "model_change",
        "session_info",
        "thinking_level_change",
    }
)
_KINDS: Final = {
    "heartbeat": MessageKind.HEARTBEAT,
    "cron": MessageKind.CRON,
    "memory_search": MessageKind.RECALLED,
    "memory_get": MessageKind.RECALLED,
}
"""What a message of the runtime is, by the tool that made it."""


def read_record(line: bytes, offset: int, rules: Rules) -> Record:
    """The record in one line that begins ``offset`` bytes into its file. Never raises."""
    record = decode_line(line)
    if isinstance(record, Ignored):
        return record
    match record.get("type"):
        case "session":
            return _read_opening(word(record.get("id")))
        case "message":
            return _read_message(record, mapping(record.get("message")), offset, rules)
        case "custom":
            return _read_custom(mapping(record.get("data")))
        case str(kind) if kind in _BOOKKEEPING:
            return Ignored.BOOKKEEPING
        case _:
            return Ignored.UNKNOWN


def _read_opening(session_id: str | None) -> Record:
    if session_id is None:
        return Ignored.NOT_A_RECORD
    return _generated(session_id) or Opening(session_id)


def _read_custom(data: Json) -> Record:
    named = (data.get("runId"), data.get("sessionId"), data.get("sessionKey"))
    return next(filter(None, map(_generated, named)), Ignored.BOOKKEEPING)


def _read_message(record: Json, message: Json, offset: int, rules: Rules) -> Said | Ignored:
    match message.get("role"):
        case "user":
            return Said((_question(record, message, offset, rules),))
        case "assistant":
            answer = _answer(record, message, offset)
            return Ignored.BOOKKEEPING if answer is None else Said((answer,))
        case "toolResult":
            return Said((_tool_result(record, message, offset, rules),))
        case str():
            return Ignored.BOOKKEEPING
        case _:
            return Ignored.NOT_A_RECORD


def _question(record: Json, message: Json, offset: int, rules: Rules) -> Message:
    cleaned = clean_question(spoken(message.get("content")))
    kind, sender = cleaned.kind, _sender(message, rules)
    match _provenance(message):
        case ("internal_system", tool):
            kind = _KINDS.get(tool or "", MessageKind.SYSTEM)
        case ("inter_session", _):
            kind = MessageKind.INTER_SESSION
    if kind is MessageKind.INTER_SESSION:  # another session's words, whoever that one listens to
        sender = None
    return Message(_id(record, offset), Role.USER, cleaned.text, _time(record, message), sender, kind)


def _answer(record: Json, message: Json, offset: int) -> Message | None:
    if message.get("provider") == "openclaw" and message.get("model") in _ECHOES:
        return None
    tainted = any(notes.get("turnTainted") is True for notes in _notes(record, message))
    text = clean_answer(spoken(message.get("content"))).text
    if not text and not tainted:
        return None
    return Message(_id(record, offset), Role.ASSISTANT, text, _time(record, message), tainted=tainted)


def _tool_result(record: Json, message: Json, offset: int, rules: Rules) -> Message:
    name = word(message.get("toolName")) or ""
    is_marked = any(notes.get("resultContentSource") == "network" for notes in _notes(record, message))
    return Message(
        _id(record, offset),
        Role.TOOL,
        "",  # what tools return is not kept
        _time(record, message),
        kind=MessageKind.RECALLED if is_recall_tool(name) else MessageKind.NORMAL,
        tool_name=name,
        tool_network=is_marked or name in _NETWORK or name in rules.network_tools,
    )


def _sender(message: Json, rules: Rules) -> Sender | None:
    """Who wrote a user record. Where metadata speaks of the owner it decides, whatever the rules are."""
    notes = mapping(message.get("__openclaw"))
    sender_id = word(notes.get("senderId"))
    if "senderIsOwner" in notes:
        return Sender(sender_id, is_owner=notes["senderIsOwner"] is True)
    kind = _provenance(message)[0]
    if rules.local_user and kind in (None, "external_user"):
        return Sender(sender_id, is_owner=True)
    return None if sender_id is None else Sender(sender_id)


def _provenance(message: Json) -> tuple[str | None, str | None]:
    """What made a user record, and by which tool; what is not said plainly is a system's."""
    if message.get("provenance") is None:
        return None, None
    provenance = mapping(message["provenance"])
    return word(provenance.get("kind")) or "internal_system", word(provenance.get("sourceTool"))


def _notes(record: Json, message: Json) -> tuple[Json, Json]:
    return mapping(message.get("__openclaw")), mapping(record.get("__openclaw"))


def _generated(name: object) -> Generated | None:
    """Whether a run or session of this name keeps a diary or runs on a schedule."""
    if not isinstance(name, str):
        return None
    if name.startswith(_NARRATIVE) or f":{_NARRATIVE}" in name:
        return Generated.DREAMING
    return Generated.CRON if name.startswith("cron:") or ":cron:" in name else None


def _id(record: Json, offset: int) -> str:
    return word(record.get("id")) or f"@{offset}"


def _time(record: Json, message: Json) -> datetime | None:
    return read_instant(message.get("timestamp")) or read_instant(record.get("timestamp"))
