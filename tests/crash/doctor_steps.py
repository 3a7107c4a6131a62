"""Processes that take in an old memory.md and are killed at a chosen step: ``python -m`` this with a folder.

Each step has a folder of its own below it. See ``dying``.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.files import exchange, legacy
from openclaw_memd.index.ledger import rewrites
from tests.crash.dying import fork_each, killing
from tests.ops.doctor.wards import LEGACY, MEMORY, absorb
from tests.ops.worlds import open_world


@dataclass(frozen=True, slots=True)
class Step:
    """Before or after a call of a function the process is killed; ``has_memory``: MEMORY.md was there."""

    module: Any
    name: str
    is_after: bool
    has_memory: bool

    def __str__(self) -> str:
        place = self.module.__name__.rsplit(".", 1)[-1]
        side = "after" if self.is_after else "before"
        return f"{place}.{self.name}-{side}{'' if self.has_memory else '-alone'}"


STEPS = tuple(
    Step(module, name, is_after, has_memory)
    for module, name, has_memory in (
        (exchange, "write_beside", True),
        (rewrites, "begin_curated", True),
        (exchange, "_swap", True),
        (rewrites, "conclude_curated", True),
        (exchange, "write_beside", False),
        (rewrites, "begin_curated", False),
        (legacy, "_make_folder", True),
        (legacy, "_move", True),
        (legacy, "_move", False),
    )
    for is_after in (False, True)
)


def _run(folder: Path, step: Step) -> None:
    async def work() -> None:
        async with open_world(folder) as world:
            if step.has_memory:
                world.write("MEMORY.md", MEMORY)
            world.write("memory.md", LEGACY)
            real = getattr(step.module, step.name)
            setattr(step.module, step.name, killing(real, is_after=step.is_after))
            await absorb(world)

    trio.run(work)


if __name__ == "__main__":
    base = Path(sys.argv[1])
    fork_each(STEPS, lambda step: _run(base / str(step), step))
