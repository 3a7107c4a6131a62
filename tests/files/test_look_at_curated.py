"""A look at the curated files alone says what the listing of everything says of them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memd.files.catalog import Listing
from openclaw_memd.files.listing import list_files, look_at_curated
from openclaw_memd.files.names import CURATED
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from tests.files.trees import write


def nothing(_root: Path) -> None:
    pass


def link(root: Path) -> None:
    (root / "MEMORY.md").symlink_to("notes.md")


def folder(root: Path) -> None:
    (root / "MEMORY.md").mkdir()


def pipe(root: Path) -> None:
    os.mkfifo(root / "USER.md")


def twins(root: Path) -> None:
    write(root, {"MEMORY.md": "- One.\n"})
    (root / "USER.md").hardlink_to(root / "MEMORY.md")


def reserved(root: Path) -> None:
    write(root, {"AGENTS.md": "Be brief.\n"})
    (root / "USER.md").hardlink_to(root / "AGENTS.md")


def other_case(root: Path) -> None:
    write(root, {"memory.md": "- Old.\n", "Memory.md": "- Old.\n", "USER.md": "- New.\n"})


def ignored(root: Path) -> None:
    write(root, {"MEMORY.md": "- One.\n", "USER.md": "- Two.\n", ".memdignore": "USER.md\n"})


def unreadable_ignore(root: Path) -> None:
    write(root, {"MEMORY.md": "- One.\n", ".memdignore": b"\xff\n"})


def too_large(root: Path) -> None:
    write(root, {"MEMORY.md": "x" * 2_000, "USER.md": "- Two.\n"})


def seen(listing: Listing) -> tuple[object, ...]:
    skipped = {skip.path: skip.reason for skip in listing.skipped if skip.path in CURATED}
    files = [file for file in listing.files if file.path in CURATED]
    return files, [file.stamp for file in files], skipped, "" in listing.unreadable


@pytest.mark.parametrize(
    "make",
    [nothing, link, folder, pipe, twins, reserved, other_case, ignored, unreadable_ignore, too_large],
)
@pytest.mark.parametrize("exclude", [(), ("USER.md",)])
def test_both_say_the_same(tmp_path: Path, make: Callable[[Path], None], exclude: tuple[str, ...]) -> None:
    write(tmp_path, {"notes.md": "- x\n", "memory/2026-01-01.md": "- y\n"})
    make(tmp_path)
    rules = FileRules.parse(exclude=exclude, file_bytes=1_000)

    with Roots(tmp_path) as roots:
        assert seen(look_at_curated(roots, rules)) == seen(list_files(roots, rules))
