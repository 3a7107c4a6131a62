"""Claude Code's transcripts: a line of JSON a record, one session a file, sub-agents beside or inside it.

The records name no sender. That a plain user record is the owner's is what the operator says, never the file.
"""

import re
from datetime import datetime
from typing import Final

from openclaw_memd.domain.callers import Sender
from openclaw_memd.domain.instants import read_instant
from openclaw_memd.sessions.filters import FilterReason, clean_answer, clean_question
from openclaw_memd.sessions.formats.records import (
    Ignored,
    Json,
    Record,
    Rules,
    Said,
    decode_line,
    mapping,
    parts,
    spoken,
    word,
)
from openclaw_memd.sessions.messages import Message, MessageKind, Role, is_recall_tool

_NETWORK: Final = frozenset({"WebFetch", "WebSearch"})
_SERVER_RESULT: Final = "_tool_result"
"""How the types of parts end that a model's provider adds by itself, as for its own web search."""
_BOOKKEEPING: Final = frozenset(
    {
        "ai-title",
        "attachment",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "tag",
    }
)
# What the program itself writes into a message, between tags at the beginning of a line.
_COMMAND_TAGS: Final = "command-name|command-message|command-args|bash-input|bash-stdout|bash-stderr"
_TAGS: Final = (
    f"{_COMMAND_TAGS}|local-command-stdout|local-command-stderr|local-command-caveat|system-reminder"
    "|task-notification|teammate-message|user-prompt-submit-hook|ide_opened_file|ide_selection|ide_diagnostics"
)
_TAGGED = re.compile(rf"^[ \t]*<({_TAGS})\b[^>\n]*>.*?(?:</\1>[ \t]*\n?|\Z)", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(rf"\s*<(?:{_COMMAND_TAGS})\b")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]*\]")


def read_record(line: bytes, offset: int, rules: Rules) -> Record:
    """The record in one line that begins ``offset`` bytes into its file. Never raises."""
    record = decode_line(line)
    if isinstance(record, Ignored):
        return record
    match record.get("type"):
        case "user":
            messages = _user(record, mapping(record.get("message")), offset, rules)
        case "assistant":
            messages = _assistant(record, mapping(record.get("message")), offset, rules)
        case str(kind) if kind in _BOOKKEEPING:
            return Ignored.BOOKKEEPING
        case _:
            return Ignored.UNKNOWN
    if not messages:
        return Ignored.BOOKKEEPING
    agent = None
    if record.get("isSidechain") is True:
        agent = word(record.get("agentId")) or "sidechain"
    return Said(tuple(messages), word(record.get("sessionId")), agent)


def _user(record: Json, message: Json, offset: int, rules: Rules) -> list[Message]:
    """What a person wrote, or the program in a person's name; results of tools begin no turn."""
    content = message.get("content")
    if "toolUseResult" in record or any(part.get("type") == "tool_result" for part in parts(content)):
        return []
    text, kind = spoken(content), MessageKind.NORMAL
    own = _INTERRUPTED.sub("", _TAGGED.sub("", text))
    if not _is_typed(record):
        kind, own = MessageKind.SYSTEM, ""
    elif text.strip() and not own.strip():
        kind = MessageKind.COMMAND if _COMMAND.match(text) else MessageKind.SYSTEM
    else:
        cleaned = clean_question(own)
        own, kind = cleaned.text, cleaned.kind
        if cleaned.reason is FilterReason.EMPTY and not _has_more_than_text(content):
            return []
    is_owner = rules.local_user and kind in (MessageKind.NORMAL, MessageKind.COMMAND)
    is_owner = is_owner and record.get("isSidechain") is not True
    sender = Sender(is_owner=True) if is_owner else None
    return [Message(_id(record, offset), Role.USER, own, _time(record), sender, kind)]


def _assistant(record: Json, message: Json, offset: int, rules: Rules) -> list[Message]:
    """What the model said, and the tools that it called.

    A call stands for its result: results name no tool, and none can come before its call.
    """
    id_, at = _id(record, offset), _time(record)
    text = (
        "" if record.get("isApiErrorMessage") is True else clean_answer(spoken(message.get("content"))).text
    )
    messages = [Message(id_, Role.ASSISTANT, text, at)] if text else []
    for number, part in enumerate(parts(message.get("content"))):
        kind = part.get("type")
        if kind in ("tool_use", "server_tool_use"):
            name = word(part.get("name")) or ""
            network = kind == "server_tool_use" or _is_network_tool(name, rules)
        elif isinstance(kind, str) and kind.endswith(_SERVER_RESULT):
            name, network = kind.removesuffix(_SERVER_RESULT), True
        else:
            continue
        messages.append(
            Message(
                f"{id_}#{number}",
                Role.TOOL,
                "",  # what tools are given and return is not kept
                at,
                kind=MessageKind.RECALLED if is_recall_tool(name) else MessageKind.NORMAL,
                tool_name=name,
                tool_network=network,
            )
        )
    return messages


def _is_typed(record: Json) -> bool:
    """Whether nothing says that the program wrote the record."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    if any(record.get(flag) not in (None, False) for flag in flags):
        return False
    source = record.get("origin")
    return source is None or mapping(source).get("kind") == "human"


def _is_network_tool(name: str, rules: Rules) -> bool:
    return name in _NETWORK or name in rules.network_tools or name.startswith("mcp__")


def _has_more_than_text(content: object) -> bool:
    return any(part.get("type") != "text" for part in parts(content))


def _id(record: Json, offset: int) -> str:
    return word(record.get("uuid")) or f"@{offset}"


def _time(record: Json) -> datetime | None:
    return read_instant(record.get("timestamp"))
