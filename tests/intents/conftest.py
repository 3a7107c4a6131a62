"""A ledger for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.intents.worlds import Open, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
async def opened(world: World) -> AsyncIterator[Open]:
    async with world.open() as opened:
        yield opened
