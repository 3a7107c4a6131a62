"""What never enters memory: exclusions by channel, kind of chat, participant and session."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Final, Self

from openclaw_memd.domain.callers import Channel, ChatType

ANY_PART: Final = "*"


class Exclusion(StrEnum):
    """The rule that excludes a message. The set is closed; each has a ``description``."""

    SESSION = "excluded_session"
    CHANNEL = "excluded_channel"
    CHAT_TYPE = "excluded_chat_type"
    PARTICIPANT = "excluded_participant"
    FORGOTTEN = "forgotten"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Exclusion.SESSION: "A pattern of admission.exclude_sessions takes its session or one above it.",
    Exclusion.CHANNEL: "admission.exclude_channels names its channel.",
    Exclusion.CHAT_TYPE: "admission.exclude_chat_types names its kind of chat.",
    Exclusion.PARTICIPANT: "admission.exclude_participants names who wrote it, or whom it answers.",
    Exclusion.FORGOTTEN: "The message, or its whole session, was forgotten.",
}


@dataclass(frozen=True, slots=True)
class AdmissionRules:
    """The exclusions of ``[admission]``. A fact that a host left out matches none.

    Values are compared exactly, with their case, as OpenClaw does; ``sessions`` are globs. A channel is
    ``provider``, ``provider:account`` or ``provider:account:conversation``, and a part that is ``*`` is any.
    """

    channels: tuple[tuple[str, ...], ...] = ()
    chat_types: frozenset[ChatType] = frozenset()
    participants: frozenset[str] = frozenset()
    sessions: tuple[str, ...] = ()

    @classmethod
    def parse(
        cls,
        *,
        channels: Iterable[str] = (),
        chat_types: Iterable[str] = (),
        participants: Iterable[str] = (),
        sessions: Iterable[str] = (),
    ) -> Self:
        """The rules as the configuration writes them; blank values say nothing."""
        return cls(
            channels=tuple(tuple(value.split(":", 2)) for value in _stripped(channels)),
            chat_types=frozenset(map(ChatType, _stripped(chat_types))),
            participants=frozenset(_stripped(participants)),
            sessions=_stripped(sessions),
        )

    def exclude_place(
        self, session_ids: Sequence[str], channel: Channel, chat_type: ChatType
    ) -> Exclusion | None:
        """Why nothing that is said there is admitted; None when it is.

        ``session_ids`` are the session and those that it descends from.
        """
        if any(fnmatchcase(id_, pattern) for id_ in session_ids for pattern in self.sessions):
            return Exclusion.SESSION
        parts = (channel.provider, channel.account, channel.conversation_id)
        if any(_takes(rule, parts) for rule in self.channels):
            return Exclusion.CHANNEL
        return Exclusion.CHAT_TYPE if chat_type in self.chat_types else None

    def exclude_participant(self, participant: str | None) -> Exclusion | None:
        """Why nothing that the participant says or is answered is admitted; None when it is."""
        return Exclusion.PARTICIPANT if participant in self.participants else None


def _takes(rule: tuple[str, ...], parts: tuple[str | None, ...]) -> bool:
    named = zip(rule, parts[: len(rule)], strict=True)
    return all(part is not None and wanted in (ANY_PART, part) for wanted, part in named)


def _stripped(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(value.strip() for value in values if value.strip())
