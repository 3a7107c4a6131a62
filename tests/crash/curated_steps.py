"""Processes that rewrite a curated file and are killed at a chosen step: ``python -m`` this with a folder.

Each step has a folder of its own below it, with the workspace in it. See ``dying``.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.curated import asides, placement
from openclaw_memd.files import curated, exchange, renaming
from openclaw_memd.index.ledger import rewrites
from tests.crash.dying import fork_each, killing
from tests.curated.worlds import World, open_world

BEFORE = b"- one\n"


@dataclass(frozen=True, slots=True)
class Step:
    """Before or after the nth call of a function the process is killed.

    ``is_weak``: names cannot be exchanged. ``is_edited``: an editor changes the file at the last moment, so
    that the new version must go again. ``is_late``: an editor of the same process writes to the old version,
    which is then looked at.
    """

    module: Any
    name: str
    is_after: bool = False
    call: int = 1
    is_weak: bool = False
    is_edited: bool = False
    is_late: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nobody looks at the first version any more."""
        return self.is_late and (self.name, self.is_after) in (("drop_beside", True), ("close_curated", True))

    def __str__(self) -> str:
        facts = [
            f"{self.module.__name__.rsplit('.', 1)[-1]}.{self.name}".replace("_", ""),
            "after" if self.is_after else "before",
            str(self.call),
            *(word for word in ("weak", "edited", "late") if getattr(self, f"is_{word}")),
        ]
        return "-".join(facts)


_REWRITE: Sequence[tuple[Any, str, bool]] = (
    (exchange, "write_beside", False),
    (exchange, "write_beside", True),
    (rewrites, "begin_curated", True),
    (exchange, "_swap", False),
    (exchange, "_swap", True),
    (exchange, "holds", False),
    (rewrites, "conclude_curated", False),
    (rewrites, "conclude_curated", True),
)
_SETTLE: Sequence[tuple[Any, str, bool, int]] = (
    (asides, "read_beside", True, 1),
    (exchange, "write_beside", True, 2),
    (exchange, "_swap", False, 2),
    (exchange, "_swap", True, 2),
    (rewrites, "conclude_curated", False, 2),
    (rewrites, "conclude_curated", True, 2),
    (asides, "drop_beside", False, 1),
    (asides, "drop_beside", True, 1),
    (rewrites, "close_curated", True, 1),
    (asides, "drop_beside", True, 2),
)

STEPS = (
    *(Step(*step, is_weak=is_weak) for step in _REWRITE for is_weak in (False, True)),
    *(
        Step(exchange, "holds", call=call, is_weak=is_weak)
        for call, is_weak in ((2, False), (2, True), (3, True))
    ),
    Step(exchange, "link", is_after=True, is_weak=True),
    Step(exchange, "replace", is_after=True, is_weak=True),
    Step(exchange, "_swap_back", is_edited=True),
    Step(exchange, "_swap_back", is_after=True, is_edited=True),
    Step(rewrites, "conclude_curated", is_after=True, is_edited=True),
    Step(curated, "put_curated", is_after=True),
    *(Step(*step, is_weak=is_weak, is_late=True) for step in _SETTLE for is_weak in (False, True)),
)


async def rewrite(base: Path, step: Step) -> None:
    if step.is_weak:
        renaming.find_renameat2 = lambda: None  # type: ignore[assignment]
    async with open_world(base) as world:
        if step.is_edited:
            edit_at_the_last_moment(world)
        kill_at(step)
        with world.path.open("ab", buffering=0) as editor:
            await world.add("- ours")
            if step.is_late:
                editor.write(b"- late\n")
                await world.settle()


def edit_at_the_last_moment(world: World) -> None:
    swap = exchange._swap

    def edit_and_swap(folder: int, fresh: str, name: str, aside: str, made_from: bytes) -> tuple[str, bool]:
        with world.path.open("ab") as editor:
            editor.write(b"- edited\n")
        exchange._swap = swap
        return swap(folder, fresh, name, aside, made_from)

    exchange._swap = edit_and_swap


def kill_at(step: Step) -> None:
    work: Callable[..., Any]
    if step.name in ("link", "replace"):
        work = getattr(os, step.name)
        exchange.os = _Os(step.name, killing(work, is_after=step.is_after, call=step.call))  # type: ignore[assignment, attr-defined]
    else:
        work = getattr(step.module, step.name)
        setattr(step.module, step.name, killing(work, is_after=step.is_after, call=step.call))
        if step.module is curated:
            setattr(placement, step.name, getattr(curated, step.name))


class _Os:
    def __init__(self, name: str, work: Callable[..., Any]) -> None:
        self._name, self._work = name, work

    def __getattr__(self, name: str) -> Any:
        return self._work if name == self._name else getattr(os, name)


if __name__ == "__main__":
    base = Path(sys.argv[1])
    fork_each(STEPS, lambda step: trio.run(rewrite, base / str(step), step))
