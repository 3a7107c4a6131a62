"""Processes that look through old notes and are killed at a chosen step: ``python -m`` this with a folder.

Each step has a folder of its own below it. See ``dying``.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.dreaming import signals
from openclaw_memd.files import dreams, exchange
from openclaw_memd.index.ledger import grounded
from tests.crash.dying import fork_each, killing
from tests.dreaming.backfills import look, roll_back
from tests.dreaming.worlds import World, open_world

NOTES = {
    f"memory/2025-03-0{day}.md": f"- The gateway of house {day} listens on port 940{day}.\n"
    for day in range(1, 5)
}
MINE = "# Mine\n\nOwn words.\n"


@dataclass(frozen=True, slots=True)
class Step:
    """Before or after the ``number``th call of a function the process is killed."""

    module: Any
    name: str
    number: int
    is_after: bool
    rolls_back: bool = False

    def __str__(self) -> str:
        place = self.module.__name__.rsplit(".", 1)[-1]
        side = "after" if self.is_after else "before"
        return f"{place}.{self.name}-{self.number}-{side}{'-back' if self.rolls_back else ''}"


STEPS = tuple(
    Step(module, name, number, is_after, rolls_back)
    for rolls_back, module, name, number in (
        (False, exchange, "write_beside", 1),
        (False, exchange, "_swap", 1),
        (False, dreams, "replace_content", 1),
        (False, grounded, "record_sightings", 1),
        (False, grounded, "record_sightings", 3),
        (False, signals, "record_grounded", 2),
        (False, signals, "record_grounded", 4),
        (True, signals, "drop_grounded", 1),
        (True, dreams, "replace_content", 1),
    )
    for is_after in (False, True)
)


async def prepare(world: World) -> None:
    """Write the notes and a page of people's."""
    for path, text in NOTES.items():
        world.write(path, text)
    world.write("DREAMS.md", MINE)
    await world.memory.sync()


def _run(folder: Path, step: Step) -> None:
    async def work() -> None:
        async with open_world(base=folder) as world:
            await prepare(world)
            if step.rolls_back:
                await look(world)
            real = getattr(step.module, step.name)
            setattr(step.module, step.name, killing(real, is_after=step.is_after, call=step.number))
            await (roll_back(world) if step.rolls_back else look(world))

    trio.run(work)


if __name__ == "__main__":
    base = Path(sys.argv[1])
    fork_each(STEPS, lambda step: _run(base / str(step), step))
