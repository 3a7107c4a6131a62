"""Intents over a real ledger, with a clock that a test sets."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.intents import Intent
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.index.opening import open_state
from openclaw_memd.intents.explaining import Explaining
from openclaw_memd.intents.firing import Fired, Firing
from openclaw_memd.intents.reminders import Reminders
from openclaw_memd.intents.service import Intents
from openclaw_memd.intents.wishes import Wish
from openclaw_memd.zones import Zone
from tests.notes.worlds import SetClock

OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=Channel("telegram", "default", "c1"),
    sender=Sender("u1", is_owner=True),
)
GUEST = replace(OWNER, sender=Sender("u2"))
RELEASE = Wish("mention the changelog", ("release",))


@dataclass
class Open:
    """Intents of an open ledger."""

    intents: Intents

    def __post_init__(self) -> None:
        self.firing = Firing(self.intents.state, self.intents.stems, self.intents.clock)
        self.reminders = Reminders(self.intents)
        self.explaining = Explaining(self.intents)

    async def create(self, *wishes: Wish, caller: Caller = OWNER) -> list[Intent]:
        return [await self.intents.create(caller, wish) for wish in wishes]

    async def say(self, text: str, *, caller: Caller = OWNER, most: int = 3) -> tuple[Fired, ...]:
        """A message that fires what it can."""
        found = await self.firing.find(caller, text)

        def finish(_connection: Any, _fired: Sequence[Fired]) -> None:
            pass

        return await self.firing.fire(caller, found, most=most, finish=finish)

    async def told(self, text: str, *, caller: Caller = OWNER, most: int = 3) -> list[str]:
        """The descriptions of what a message fires."""
        return [fired.intent.description for fired in await self.say(text, caller=caller, most=most)]


@dataclass
class World:
    """Where a ledger lies; ``open`` opens it as a daemon does, as often as a test likes."""

    folder: Path
    clock: SetClock = field(default_factory=lambda: SetClock(datetime(2026, 1, 11, 12, tzinfo=UTC)))
    zone: str = "Europe/Vienna"
    settings: Settings = field(default_factory=Settings)
    languages: tuple[str, ...] = ("en",)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Open]:
        state = open_state(self.folder / "state", "w", self.clock.now).store
        try:
            intents = Intents(
                state, self.languages, self.clock, Zone(self.zone), lambda _agent: self.settings
            )
            await intents.load()
            yield Open(intents)
        finally:
            await state.aclose()
