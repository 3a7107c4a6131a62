"""Telling what people said in a transcript from what the runtime wrote around and between it.

For transcript files only, whose records do not always say what a message is. Where a host hands messages
over itself, its word counts and no text does. A filter can only set text aside or call it the runtime's: none
makes anything more trusted.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from openclaw_memd.domain.recall_guard import strip_recalled
from openclaw_memd.sessions.messages import MessageKind


class FilterReason(StrEnum):
    """Why the text of a message is not taken. The set is closed; each has a ``description``."""

    SYSTEM_WRAPPER = "system_wrapper"
    EXEC_EVENT = "exec_event"
    CRON_PROMPT = "cron_prompt"
    HEARTBEAT_PROMPT = "heartbeat_prompt"
    HEARTBEAT_ANSWER = "heartbeat_answer"
    RUNTIME_PROMPT = "runtime_prompt"
    INTER_SESSION = "inter_session"
    RECALLED = "recalled"
    COMMAND = "command"
    SILENT = "silent"
    EMPTY = "empty"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    FilterReason.SYSTEM_WRAPPER: "It is a notice of the runtime, written as a message of the user.",
    FilterReason.EXEC_EVENT: "It reports that a command ended.",
    FilterReason.CRON_PROMPT: "It is the prompt of a scheduled job.",
    FilterReason.HEARTBEAT_PROMPT: "It is the prompt of a heartbeat.",
    FilterReason.HEARTBEAT_ANSWER: "It says that a heartbeat found nothing to do.",
    FilterReason.RUNTIME_PROMPT: "It is an instruction that the runtime wrote for the model.",
    FilterReason.INTER_SESSION: "It came from another session.",
    FilterReason.RECALLED: "It holds nothing but recalled memory.",
    FilterReason.COMMAND: "It is a command to the runtime.",
    FilterReason.SILENT: "It is the sign for saying nothing.",
    FilterReason.EMPTY: "It holds no text.",
}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a message says. With a ``reason`` the text is empty; ``kind`` is what the message then is."""

    text: str
    kind: MessageKind = MessageKind.NORMAL
    reason: FilterReason | None = None


def clean_question(text: str) -> Cleaned:
    """What a user record says, without envelopes and recalled memory.

    A record that the runtime wrote keeps its kind: a turn begins with it, and the answer is not the owner's.
    """
    spoken = strip_envelope(text)
    kept = strip_recalled(spoken).strip()
    # What stands in front may hide a prompt of the runtime, or look like a part of one.
    for candidate in (text, spoken, kept):
        for reason, matches in _PROMPTS:
            if matches(candidate):
                return _aside(reason)
    if not kept:
        return _aside(FilterReason.RECALLED if spoken else FilterReason.EMPTY)
    return Cleaned(kept)


def clean_answer(text: str) -> Cleaned:
    """What an assistant record says, without directives to the channel and recalled memory."""
    kept = strip_recalled(_DIRECTIVE.sub("", text)).strip()
    if not kept:
        return Cleaned("", reason=FilterReason.RECALLED if text.strip() else FilterReason.EMPTY)
    if _HEARTBEAT_OK.fullmatch(kept):
        return Cleaned("", reason=FilterReason.HEARTBEAT_ANSWER)
    if _SILENT.match(kept):
        return Cleaned("", reason=FilterReason.SILENT)
    return Cleaned(kept)


def strip_envelope(text: str) -> str:
    """``text`` without what a channel's adapter put around it: facts about the message, quoted context, a
    time stamp.

    Such a part is a line that calls itself untrusted, with a fenced block of JSON below it. It counts at the
    beginning only; one whose fence stays open takes the rest of the text with it.
    """
    rest = _RETRY.sub("", text.lstrip("\ufeff"), count=1)
    end = 0
    while (block := _ENVELOPE.match(rest, end)) is not None:
        end = block.end()
    rest = _STAMP.sub("", rest[end:], count=1)
    rest = _TRAILER.sub("", rest, count=1)
    return _MESSAGE_ID.sub("", rest).strip()


def _aside(reason: FilterReason) -> Cleaned:
    return Cleaned("", _KINDS.get(reason, MessageKind.NORMAL), reason)


_KINDS: Final = {
    FilterReason.SYSTEM_WRAPPER: MessageKind.SYSTEM,
    FilterReason.EXEC_EVENT: MessageKind.SYSTEM,
    FilterReason.RUNTIME_PROMPT: MessageKind.SYSTEM,
    FilterReason.CRON_PROMPT: MessageKind.CRON,
    FilterReason.HEARTBEAT_PROMPT: MessageKind.HEARTBEAT,
    FilterReason.INTER_SESSION: MessageKind.INTER_SESSION,
    FilterReason.RECALLED: MessageKind.RECALLED,
    FilterReason.COMMAND: MessageKind.COMMAND,
}

_SYSTEM_WRAPPER = re.compile(r"\s*System(?: \(untrusted\))?: \[[^\]\n]+\]")
_EXEC_EVENT = re.compile(
    r"\s*(?:exec (?:finished|completed|failed)\s*[:(]|An async command you ran earlier has completed\b)",
    re.IGNORECASE,
)
_CRON_PROMPT = re.compile(r"\s*\[cron:[^\]\n]+\]")
_HEARTBEAT_PROMPT = re.compile(
    r"\s*(?:\[OpenClaw heartbeat\b"
    r"|(?:Read HEARTBEAT\.md|Run the following periodic tasks)\b.*\bHEARTBEAT_OK\b)",
    re.DOTALL,
)
_RUNTIME_PROMPT = re.compile(
    r"\s*(?:Pre-compaction memory flush\b|A new session was started via /new or /reset\b"
    r"|\[(?:Subagent (?:Context|Task)|Internal task completion event"
    r"|Queued messages while agent was busy)\])",
    re.IGNORECASE,
)
_INTER_SESSION = re.compile(r"\s*\[Inter-session message\]", re.IGNORECASE)
_COMMAND = re.compile(r"\s*/[A-Za-z][\w:-]*+(?:@\w++)?(?:[ \t][^\n]*+)?\s*+")

_PROMPTS: Final[tuple[tuple[FilterReason, Callable[[str], object]], ...]] = (
    (FilterReason.SYSTEM_WRAPPER, _SYSTEM_WRAPPER.match),
    (FilterReason.EXEC_EVENT, _EXEC_EVENT.match),
    (FilterReason.CRON_PROMPT, _CRON_PROMPT.match),
    (FilterReason.HEARTBEAT_PROMPT, _HEARTBEAT_PROMPT.match),
    (FilterReason.RUNTIME_PROMPT, _RUNTIME_PROMPT.match),
    (FilterReason.INTER_SESSION, _INTER_SESSION.match),
    (FilterReason.COMMAND, _COMMAND.fullmatch),
)

_HEARTBEAT_OK = re.compile(r"[\s*_`~#\[\](){}<>.,:;!\"'-]*HEARTBEAT_OK[\s*_`~#\[\](){}<>.,:;!\"'-]*")
_SILENT = re.compile(r"[\s*_`~]*NO_REPLY\b|\{\s*\"action\"\s*:\s*\"NO_REPLY\"\s*\}")
_DIRECTIVE = re.compile(r"\[\[\s*(?:reply_to(?:_current|\s*:[^\]\n]{0,200})|audio_as_voice)\s*\]\][ \t]*")

_ENVELOPE = re.compile(
    r"\s*+[^\n:]{1,100} \(untrusted(?: metadata|, for context|)\):[ \t]*\r?\n"
    r"```json(?:.*?\n```[ \t]*(?=\r?\n|\Z)|.*)",
    re.DOTALL,
)
_TRAILER = re.compile(r"^[^\S\n]*+Untrusted context \(metadata\b.*", re.DOTALL | re.MULTILINE)
_STAMP = re.compile(r"\A\s*\[[^\]\n]{0,160}\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]{0,40}\][ \t]*")
_RETRY = re.compile(r"\A\s*\[Retry after the previous model attempt failed or timed out\]\s*")
_MESSAGE_ID = re.compile(r"^[ \t]*\[message_id:[^\]\n]{0,200}\][ \t]*(?:\r?\n|\Z)", re.MULTILINE)
