"""For whom a call is made: the facts that a host states, and nothing that a text says."""

from dataclasses import dataclass
from enum import StrEnum

from openclaw_memd.domain.keys import join_parts, split_parts
from openclaw_memd.domain.provenance import SessionKind


class ChatType(StrEnum):
    """How many people can read a conversation."""

    DIRECT = "direct"
    GROUP = "group"
    CHANNEL = "channel"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Channel:
    """Where a conversation takes place. A part that the host left out is None."""

    provider: str | None = None
    account: str | None = None
    conversation_id: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it names one conversation."""
        return self.provider is not None and self.conversation_id is not None


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote a message. ``is_owner`` is True only where the host said so literally."""

    id: str | None = None
    is_owner: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """The structured context of one call; a call without any is the operator's and has no ``Caller``.

    ``tainted`` says that the host saw network content enter this turn.
    """

    agent: str = "main"
    session_id: str | None = None
    parent_session_id: str | None = None
    session_kind: SessionKind = SessionKind.UNKNOWN
    chat_type: ChatType = ChatType.UNKNOWN
    channel: Channel = Channel()
    sender: Sender = Sender()
    tainted: bool = False
    project_root: str | None = None
    project_key: str | None = None

    @property
    def writer(self) -> str | None:
        """The conversation that this call belongs to, as one key; None when the context has a hole there.

        A channel's conversation outlives its sessions, so it counts before the session. The parts are
        length-prefixed, so that no two conversations share a key.
        """
        if self.channel.is_whole:
            parts = (self.channel.provider, self.channel.account, self.channel.conversation_id)
            return "conversation:" + join_parts(self.agent, *(part or "" for part in parts))
        if self.session_id is not None:
            return "session:" + join_parts(self.agent, self.session_id)
        return None


def place_of(writer: str) -> tuple[str | None, Channel]:
    """The session or the channel that a key of ``Caller.writer`` names."""
    kind, _, joined = writer.partition(":")
    parts = split_parts(joined)
    if kind == "session":
        return parts[-1], Channel()
    _, provider, account, conversation_id = parts
    return None, Channel(provider, account or None, conversation_id)
