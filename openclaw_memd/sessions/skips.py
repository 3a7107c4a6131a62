"""Why a message is not kept."""

from enum import StrEnum


class MessageSkip(StrEnum):
    """Why a message is not kept; the rules of ``[admission]`` have reasons of their own (`Exclusion`).

    The set is closed; each has a ``description``.
    """

    REPEATED = "repeated"
    ROLE = "role"
    COMMAND = "command"
    INTER_SESSION = "inter_session"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    RECALLED = "recalled"
    EMPTY = "empty"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    MessageSkip.REPEATED: "A message with this id came before in the same session.",
    MessageSkip.ROLE: "Only what users and assistants say is kept.",
    MessageSkip.COMMAND: "It is a command to the runtime.",
    MessageSkip.INTER_SESSION: "Another session wrote it.",
    MessageSkip.CRON: "It belongs to a scheduled run, or to a session that one started.",
    MessageSkip.HEARTBEAT: "It belongs to a heartbeat, or to a session that one started.",
    MessageSkip.RECALLED: "It carries recalled memory, or was said after some came in its turn.",
    MessageSkip.EMPTY: "Nothing is left without what memd or the runtime put into it.",
}
