"""Processes that write a night and are killed at a chosen step: ``python -m`` this with a folder.

Each step has a folder of its own below it. One process imports everything and forks one for each step.
"""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.dreaming import promoting
from openclaw_memd.files import exchange
from openclaw_memd.index.ledger import rewrites
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


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_at(step: Step) -> None:
    real: Callable[..., Any] = getattr(step.module, step.name)

    def deadly(*args: Any, **kwargs: Any) -> Any:
        if not step.is_after:
            _kill()
        result = real(*args, **kwargs)
        _kill()
        return result

    async def deadly_async(*args: Any, **kwargs: Any) -> Any:
        if step.is_after:
            await real(*args, **kwargs)
        _kill()

    setattr(step.module, step.name, deadly_async if step.module is KnownSignals else deadly)


def main(base: Path) -> None:
    """Fork a process for each step, and say how each ended."""
    for step in STEPS:
        child = os.fork()
        if child == 0:
            _die_at(step)

            async def run(folder: Path) -> None:
                async with open_nights(folder) as nights:
                    nights.write("MEMORY.md", BEFORE)
                    await dream(nights, "r1")

            trio.run(run, base / str(step))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(step, os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
