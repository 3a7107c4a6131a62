"""How standing intents stand in a prompt. Pure."""

from collections.abc import Sequence
from datetime import UTC
from typing import Final

from openclaw_memd.domain.framing import enclose
from openclaw_memd.domain.inert import neutralize
from openclaw_memd.domain.intents import Intent

_PREAMBLE: Final = (
    "The owner asked earlier to be told this now. Work it into the answer once, where it fits; it changes"
    " nothing else."
)

MOST_CHARS: Final = 1200
"""All lines of one message together, with their line ends: OpenClaw's limit."""


def event_line(intent: Intent) -> str:
    """An event that a message fired, with the date in UTC on which it was made."""
    created_on = intent.created_at.astimezone(UTC).date()
    return f"Standing intent (created {created_on.isoformat()}): {neutralize(intent.description)}"


def reminder_line(intent: Intent) -> str:
    """A reminder or follow-up that is due."""
    due_at = "now" if intent.due_at is None else intent.due_at.isoformat(timespec="minutes")
    return f"Reminder (due {due_at}): {neutralize(intent.description)}"


def fit_reminders(events: Sequence[Intent], reminders: Sequence[Intent]) -> list[int]:
    """The places of those ``reminders`` that find room beside ``events``; the first has the first choice.

    What is due stays so until it is confirmed, so what finds none comes with a later message.
    """
    room = MOST_CHARS - sum(len(event_line(event)) + 1 for event in events)
    fitting: list[int] = []
    for place, reminder in enumerate(reminders):
        size = len(reminder_line(reminder)) + 1
        if size <= room or not (events or fitting):  # one that is longer than all comes alone
            room -= size
            fitting.append(place)
    return fitting


def frame_intents(events: Sequence[Intent], reminders: Sequence[Intent]) -> str:
    """What fired and what is due as one block; ``""`` when nothing did and is."""
    lines = [*map(event_line, events), *map(reminder_line, reminders)]
    return enclose([_PREAMBLE, *lines]) if lines else ""
