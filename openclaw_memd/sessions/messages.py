"""A message of a session as hosts and transcript files give it."""

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
