from pathlib import Path

import pytest

from tests.index.notes import Notes


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """An empty workspace."""
    made = Notes(tmp_path / "workspace", tmp_path / "state", tmp_path / "library")
    (made.folder / "memory").mkdir(parents=True)
    return made
