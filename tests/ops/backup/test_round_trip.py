"""What goes into an archive comes back as it was, and what cannot is named."""

import os
import socket
import stat
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.ops.backup.types import LeftOut
from tests.files.unprivileged import as_nobody, open_path
from tests.ops.backup.archives import ID, open_shop, picture

__all__ = ["open_path"]

NAMES = st.one_of(
    st.sampled_from(
        ["MEMORY.md", "memory", "a b", "ä", "日本.md", "x" * 120, ".hidden", "lock", "state.db", "\n", "..\n"]
    ),
    st.binary(min_size=1, max_size=12)
    .filter(lambda raw: b"/" not in raw and b"\0" not in raw and raw not in (b".", b".."))
    .map(os.fsdecode),
)
FILES = st.tuples(st.binary(max_size=2000), st.sampled_from([0o600, 0o644, 0o755, 0o400]))
TREES = st.recursive(FILES, lambda below: st.dictionaries(NAMES, below, max_size=5), max_leaves=12).filter(
    lambda tree: isinstance(tree, dict)
)
REBUILT = {"node_modules", ".venv", "venv", "__pycache__", ".tox", ".pnpm-store"}


def grow(folder: Path, tree: object) -> None:
    assert isinstance(tree, dict)
    for name, below in tree.items():
        path = folder / name
        if isinstance(below, dict):
            path.mkdir(mode=0o750)
            grow(path, below)
        else:
            data, mode = below
            path.write_bytes(data)
            path.chmod(mode)


@patch("os.sync", lambda: None)  # what is asked here is what comes back, not whether it lasts
@settings(max_examples=15, deadline=None)
@given(TREES)
def test_any_tree_comes_back_as_it_was(tree: object) -> None:
    async def run(base: Path) -> None:
        async with open_shop(base) as shop:
            grow(shop.workspace, tree)
            before = picture(shop.workspace)
            made = await shop.make()
            restored = shop.restore(made.path)
            (one,) = restored.manifest.workspaces
            after = picture(restored.workspace(one))
            after.pop("memory", None) if "memory" not in before else None
            assert after == before
            assert made.left_out == ()

    with TemporaryDirectory() as name:
        trio.run(run, Path(name))


async def test_links_inside_come_back_and_what_leads_out_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("not mine")
    async with open_shop(tmp_path) as shop:
        shop.write("notes/a.md")
        for name, target in {
            "in": "notes/a.md",
            "notes/up": "../notes",
            "out": "../secret",
            "absolute": str(tmp_path / "secret"),
            "trick": "notes/../../secret",
            "notes/far": "../../secret",
        }.items():
            (shop.workspace / name).symlink_to(target)
        os.mkfifo(shop.workspace / "pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            here = Path.cwd()
            os.chdir(shop.workspace)
            listener.bind("s.sock")
            os.chdir(here)
        (shop.workspace / "node_modules").mkdir()
        shop.write("memory/.dreams/lock", b"")
        made = await shop.make()
        restored = shop.restore(made.path)
    back = restored.folder / "workspace/main"
    assert (back / "in").readlink() == Path("notes/a.md")
    assert (back / "notes/up").readlink() == Path("../notes")
    assert sorted(made.left_out, key=lambda one: one.path) == [
        LeftOut("absolute", "symlink"),
        LeftOut("node_modules", "tool_folder"),
        LeftOut("notes/far", "symlink"),
        LeftOut("out", "symlink"),
        LeftOut("pipe", "not_regular"),
        LeftOut("s.sock", "not_regular"),
        LeftOut("trick", "symlink"),
    ]
    assert b"not mine" not in made.path.read_bytes()
    assert not (back / "memory/.dreams/lock").exists()


async def test_the_archive_is_private_and_any_tar_reads_it(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md", b"- The office is in Graz.\n")
        shop.write(f"deep/{'n' * 200}/{'m' * 200}.md", b"x")
        made = await shop.make()
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert made.bytes == made.path.stat().st_size
    assert made.files == 2
    assert run("gzip", "-t", str(made.path)) == ""
    assert run("tar", "xOzf", str(made.path), "workspace/main/MEMORY.md") == "- The office is in Graz.\n"
    listed = run("tar", "tzf", str(made.path)).split()
    assert f"workspace/main/deep/{'n' * 200}/{'m' * 200}.md" in listed
    assert f"state/{ID}/state.db" in listed
    assert listed[-1] == "manifest.json"
    assert not any("index" in name or "vectors" in name for name in listed)


def test_modes_that_bind_are_kept_and_what_cannot_be_read_is_named(open_path: Path) -> None:
    async def go() -> tuple[tuple[LeftOut, ...], dict[str, Any], dict[str, Any]]:
        async with open_shop(open_path) as shop:
            shop.write("memory/a.md")
            shop.write("memory/secret.md").chmod(0)
            shop.write("closed/x").parent.chmod(0)
            shop.write("read/x").chmod(0o444)
            for folder in ("memory", "read", "."):
                (shop.workspace / folder).chmod(0o555)
            made = await shop.make()
            before = picture(shop.workspace)
            back = shop.restore(made.path).folder / "workspace/main"
            shop.restore(made.path)
            return made.left_out, before, picture(back)

    left_out, before, after = as_nobody(partial(trio.run, go))
    assert left_out == (LeftOut("memory/secret.md", "unreadable"), LeftOut("closed", "unreadable"))
    assert after == {path: node for path, node in before.items() if path != "memory/secret.md"}
    assert after["closed"][1] & 0o777 == 0


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


async def test_our_own_folders_in_a_workspace_are_not_archived(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        inside = shop.write("data/backups/old.tar.gz").parent
        shop.write("data/kept.txt")
        status = inside.stat()
        made = await shop.make(skip=frozenset({(status.st_dev, status.st_ino)}))
        back = picture(shop.restore(made.path).folder / "workspace/main")
    assert "data/kept.txt" in back
    assert "data/backups" not in back
