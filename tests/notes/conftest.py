from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from openclaw_memd.notes.writer import NoteWriter
from tests.notes.worlds import Open, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
async def opened(world: World) -> AsyncIterator[Open]:
    async with world.open() as opened:
        yield opened


@pytest.fixture
def writer(opened: Open) -> NoteWriter:
    return opened.writer
