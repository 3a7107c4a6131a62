"""Short ways to look through old notes and sessions, for tests."""

from datetime import date
from typing import Any

from openclaw_memd.dreaming.backfill import Backfilled, RolledBack
from openclaw_memd.dreaming.old_sources import Scope
from tests.dreaming.worlds import World

PORT = "The gateway of the cabin listens on port 9400."
POT = "The meter box key lies under the blue pot."
NOTE = "memory/2025-03-04.md"
DAY = date(2025, 3, 4)


def _ignore(done: int, total: int | None = None) -> None:
    pass


async def look(
    world: World, kind: Any = "notes", *, stage: bool = True, dry_run: bool = False, **scope: Any
) -> Backfilled:
    """What a look found and did; it stages unless told otherwise."""
    looking = world.memory.dreaming.backfill
    return await looking.run(Scope(kind, **scope), stage=stage, dry_run=dry_run, progress=_ignore)


async def preview(world: World, kind: Any = "notes", **scope: Any) -> Backfilled:
    """What a look would find."""
    return await look(world, kind, dry_run=True, **scope)


async def roll_back(world: World, what: Any = "all") -> RolledBack:
    """Take back what looks did."""
    return await world.memory.dreaming.backfill.rollback(what, _ignore)


def page(world: World) -> str:
    """DREAMS.md."""
    place = world.folder / "DREAMS.md"
    return place.read_text() if place.exists() else ""
