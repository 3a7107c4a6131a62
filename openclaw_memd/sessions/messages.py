"""A message of a session as hosts and transcript files give it."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from openclaw_memd.domain.callers import Sender


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class MessageKind(StrEnum):
    """What a message is for, as its host says."""

    NORMAL = "normal"
    SYSTEM = "system"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    INTER_SESSION = "inter_session"
    RECALLED = "recalled"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    ``id`` is unique in its session. ``at`` is aware, None where nobody wrote a time down. ``sender`` is None
    where the message names none. ``tool_network`` marks the result of a tool that reads the network, and
    ``tainted`` an answer of which its host recorded that such a result came before it.
    """

    id: str
    role: Role
    text: str
    at: datetime | None = None
    sender: Sender | None = None
    kind: MessageKind = MessageKind.NORMAL
    tool_name: str | None = None
    tool_network: bool = False
    tainted: bool = False

    @property
    def brings_memory(self) -> bool:
        """Whether what is said after it in its turn may repeat memory that it brought."""
        if self.role is Role.SYSTEM:
            return self.kind is MessageKind.RECALLED
        is_recall = self.kind is MessageKind.RECALLED or is_recall_tool(self.tool_name or "")
        return self.role is Role.TOOL and is_recall


def is_recall_tool(name: str) -> bool:
    """Whether the tool's results are recalled memory. A runtime may put a server's name before its own."""
    return _RECALL_TOOL.fullmatch(name) is not None


_RECALL_TOOL = re.compile(r"(?:.*(?:__|[.:/-]))?memory_(?:search|get|deep)", re.DOTALL)
