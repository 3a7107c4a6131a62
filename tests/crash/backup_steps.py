"""Processes that make or restore an archive and are killed at a step: ``python -m`` this with a folder.

Each step has a folder of its own below it. See ``dying``.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.files import renaming
from openclaw_memd.ops.backup import creating, restoring, staging, swapping, unpacking
from tests.crash.dying import fork_each, killing
from tests.ops.backup.archives import NOW, open_shop

OLD, NEW = b"- The office is in Graz.\n", b"- The office is in Linz.\n"


@dataclass(frozen=True, slots=True)
class Step:
    """Before or after a call of a function the process is killed."""

    what: str
    module: Any
    name: str
    is_after: bool

    def __str__(self) -> str:
        return f"{self.what}-{self.name.strip('_')}-{'after' if self.is_after else 'before'}".replace("_", "")


STEPS = tuple(
    Step(what, module, name, is_after)
    for what, module, name in (
        ("create", staging, "copy_file"),
        ("create", creating, "copy_database"),
        ("create", creating, "pack"),
        ("create", creating, "_verify"),
        ("create", os, "link"),
        ("create", creating, "_sync"),
        ("restore", restoring, "verify_archive"),
        ("restore", unpacking, "_write_file"),
        ("restore", restoring, "_tie"),
        ("restore", restoring, "_sync_all"),
        ("restore", restoring, "swap_folders"),
        ("restore", renaming, "exchange_names"),
        ("restore", swapping, "_keep"),
    )
    for is_after in (False, True)
)


async def prepare(base: Path) -> None:
    """An archive of the new text, and a folder with the old one restored."""
    async with open_shop(base) as shop:
        shop.write("MEMORY.md", OLD)
        shop.restore((await shop.make("old.tar.gz")).path)
        shop.write("MEMORY.md", NEW)
        await shop.make("new.tar.gz")


async def create(base: Path) -> None:
    """One more archive."""
    async with open_shop(base) as shop:
        shop.write("MEMORY.md", NEW)
        await shop.make("more.tar.gz")


def _run(base: Path, step: Step) -> None:
    place = base / str(step)
    shutil.copytree(base / "before", place)
    setattr(step.module, step.name, killing(getattr(step.module, step.name), is_after=step.is_after))
    if step.what == "create":
        trio.run(create, place)
    else:
        restoring.restore_archive(place / "archives/new.tar.gz", place / "back", now=NOW)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    trio.run(prepare, folder / "before")
    fork_each(STEPS, lambda step: _run(folder, step))
