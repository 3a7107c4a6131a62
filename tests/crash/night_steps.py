"""Processes that write a night and are killed at a chosen step: ``python -m`` this with a folder.

Each step has a folder of its own below it. See ``dying``.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.dreaming import promoting
from openclaw_memd.files import exchange
from openclaw_memd.index.ledger import rewrites
from tests.crash.dying import fork_each, kill, killing
from tests.dreaming.nights import KnownSignals, Nights, open_nights

FACTS = ("The office is in Linz. <!-- key: office -->", "The gateway listens on port 9400.")
BEFORE = "# Core\n\n- The office is in Graz. <!-- key: office -->\n- It rains in May.\n"


@dataclass(frozen=True, slots=True)
class Step:
    """Before or after a call of a function the process is killed."""

    module: Any
    name: str
    is_after: bool

    def __str__(self) -> str:
        place = getattr(self.module, "__name__", "x").rsplit(".", 1)[-1]
        return f"{place}.{self.name}-{'after' if self.is_after else 'before'}".replace("_", "")


STEPS = tuple(
    Step(module, name, is_after)
    for module, name in (
        (promoting, "begin_promotions"),
        (exchange, "write_beside"),
        (rewrites, "begin_curated"),
        (exchange, "_swap"),
        (rewrites, "conclude_curated"),
        (KnownSignals, "mark_promoted"),
        (promoting, "conclude_promotions"),
    )
    for is_after in (False, True)
)


async def dream(nights: Nights, run_id: str) -> None:
    """One night over the facts."""
    await nights.night(nights.note(*FACTS), run_id=run_id)


def _die_at(step: Step) -> None:
    real: Callable[..., Any] = getattr(step.module, step.name)

    async def deadly(*args: Any, **kwargs: Any) -> None:
        if step.is_after:
            await real(*args, **kwargs)
        kill()

    is_async = step.module is KnownSignals
    setattr(step.module, step.name, deadly if is_async else killing(real, is_after=step.is_after))


def _run(folder: Path, step: Step) -> None:
    async def work() -> None:
        async with open_nights(folder) as nights:
            nights.write("MEMORY.md", BEFORE)
            await dream(nights, "r1")

    _die_at(step)
    trio.run(work)


if __name__ == "__main__":
    base = Path(sys.argv[1])
    fork_each(STEPS, lambda step: _run(base / str(step), step))
