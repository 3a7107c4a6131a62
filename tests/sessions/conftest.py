from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.sessions.worlds import World, open_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Sessions that nobody has talked in."""
    async with open_world(tmp_path / "state") as opened:
        yield opened
