"""Model files that load but are not what they are taken for, and files that change while they are in use."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trio

from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import LocalModel, stamp_of
from openclaw_memd.models.recipe import Recipe
from openclaw_memd.models.reference import Reference
from openclaw_memd.ports import Calibration, EmbedderError
from tests.models.fake_child import vector
from tests.models.test_local import CHILD, until

TEXTS = ("the spare key hangs in the hall", "tea at four", "where is the key")


class World:
    """A model file, a fake process whose behaviour the folder steers, and an embedder that finds the file."""

    def __init__(self, folder: Path, *, known: bool = True, **options: Any) -> None:
        self.folder = folder
        self.file = folder / "tiny.gguf"
        self.file.write_bytes(b"GGUF as installed")
        self.expected = tuple(
            Reference("passage", text, np.array(vector(text), "<f4").tobytes()) for text in TEXTS
        )
        self.known = known
        self.embedder = LocalEmbedder(
            ModelHost(self.find, command=(sys.executable, str(CHILD), str(folder)), **options)
        )

    def find(self) -> LocalModel:
        stamp = stamp_of(self.file)
        return LocalModel(
            "tiny",
            self.file,
            Recipe(),
            f"local:tiny:{self.file.read_bytes()!r}",
            None,
            Calibration(0.0, 0.9, 0.5),
            self.expected if self.known else (),
            stamp,
        )

    def loads(self) -> int:
        log = self.folder / "log"
        return log.read_text().count("load ") if log.exists() else 0

    def embedded(self) -> int:
        return (self.folder / "log").read_text().count("background")

    @property
    def reason(self) -> str:
        status = self.embedder.status()
        assert status.state == "degraded"
        return status.reason or ""


def overwrite(file: Path, content: bytes) -> None:
    """As ``cp`` does: the same inode."""
    file.write_bytes(content)


def replace(file: Path, content: bytes) -> None:
    """As an installation does: another inode of the same size and time."""
    before = file.stat()
    temporary = file.with_suffix(".new")
    temporary.write_bytes(content)
    os.utime(temporary, ns=(before.st_atime_ns, before.st_mtime_ns))
    temporary.replace(file)


@pytest.mark.parametrize("kind", ["query", "passage"])
@pytest.mark.parametrize(
    ("trouble", "known", "words"),
    [
        ("other", True, "does not give the vectors that it must; run: `memd model install tiny`"),
        ("zeros", True, "gives no usable vectors; run: `memd model install tiny`"),
        ("zeros", False, "gives no usable vectors; install it again or use another"),
        ("alike", False, "gives every text the same vector; install it again or use another"),
    ],
)
async def test_a_model_with_wrong_vectors_gives_none_and_says_what_to_do(
    tmp_path: Path, trouble: str, known: bool, words: str, kind: Any
) -> None:
    world = World(tmp_path, known=known)
    (tmp_path / trouble).touch()

    for _ in range(3):
        with pytest.raises(EmbedderError, match=words) as caught:
            await world.embedder.embed(["a note"], kind=kind)
        assert caught.value.permanent

    assert words in world.reason
    assert world.loads() == 1  # it is not loaded again and again
    assert world.embedded() == 0
    await world.embedder.aclose()


@pytest.mark.parametrize("put", [overwrite, replace])
async def test_a_right_model_in_the_place_of_a_wrong_one_is_taken_up(
    tmp_path: Path, put: Callable[[Path, bytes], None]
) -> None:
    world = World(tmp_path)
    (tmp_path / "other").touch()
    with pytest.raises(EmbedderError, match="memd model install"):
        await world.embedder.embed(["a note"], kind="passage")

    (tmp_path / "other").unlink()
    put(world.file, b"GGUF mended as it")

    assert world.embedder.status().state == "idle"
    assert (await world.embedder.embed(["a note"], kind="passage")).any()
    await world.embedder.aclose()


@pytest.mark.parametrize("put", [overwrite, replace])
async def test_a_file_that_is_changed_under_a_running_process_is_loaded_and_tried_out_anew(
    tmp_path: Path, put: Callable[[Path, bytes], None]
) -> None:
    world = World(tmp_path)
    await world.embedder.embed(["a note"], kind="passage")
    before = world.embedder.model_id

    put(world.file, b"GGUF another kind")
    with pytest.raises(EmbedderError, match="another embedding model"):
        await world.embedder.embed(["a note"], kind="passage")

    assert world.loads() == 2
    assert world.embedder.model_id != before
    assert (await world.embedder.embed(["a note"], kind="passage")).any()

    (tmp_path / "other").touch()
    put(world.file, b"GGUF a wrong kind")
    with pytest.raises(EmbedderError, match="memd model install"):
        await world.embedder.embed(["a note"], kind="passage")
    assert "does not give" in world.reason
    await world.embedder.aclose()


async def test_vectors_made_while_the_file_changed_are_not_given(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.embedder.embed(["a note"], kind="passage")

    async def change() -> None:
        await until(lambda: "another" in (tmp_path / "log").read_text())
        overwrite(world.file, b"GGUF a wrong kind")
        (tmp_path / "other").touch()
        (tmp_path / "held").unlink()

    async with trio.open_nursery() as nursery:
        (tmp_path / "held").touch()
        nursery.start_soon(change)
        with pytest.raises(EmbedderError, match="does not give"):
            await world.embedder.embed(["another note"], kind="passage")
    await world.embedder.aclose()


async def test_a_file_is_tried_out_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    (tmp_path / "leave").touch()
    await world.embedder.embed(["the last for long"], kind="passage")
    await until(lambda: world.embedder.status().state == "idle")
    (tmp_path / "other").touch()  # what the process says of its trial is not looked at again

    assert (await world.embedder.embed(["a note"], kind="passage")).any()
    assert world.loads() == 2
    await world.embedder.aclose()
