"""The state of a workspace that was moved, and when it can be tied to the new place."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.errors import ConflictError
from openclaw_memd.files.arrival import Known
from openclaw_memd.files.earlier_state import EarlierState
from openclaw_memd.files.workspace import Workspace, open_workspace


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace that is open in its new place ``new``, and was opened in ``old`` before."""
    (tmp_path / "old/memory").mkdir(parents=True)
    _open(tmp_path / "old").close()
    (tmp_path / "old").rename(tmp_path / "new")
    with _open(tmp_path / "new") as opened:
        yield opened


def _open(path: Path) -> Workspace:
    return open_workspace(path, state_dir=path.parent / "state", host="here")


def _earlier(moved: Workspace) -> EarlierState:
    assert moved.earlier is not None
    return moved.earlier


def test_the_next_start_takes_a_state_that_was_tied(moved: Workspace) -> None:
    earlier = _earlier(moved)
    assert [earlier.is_tied, earlier.tie(), earlier.is_tied, earlier.tie()] == [False, True, True, True]
    moved.close()
    with _open(moved.path) as again:
        assert (again.arrival, again.earlier, again.origins_lost) == (Known(earlier.id), None, False)


def test_a_workspace_that_was_not_moved_has_none(moved: Workspace, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with _open(tmp_path / "other") as other:
        assert other.earlier is None


def test_a_state_whose_own_workspace_is_back_is_left_to_it(moved: Workspace, tmp_path: Path) -> None:
    earlier = _earlier(moved)
    moved.close()
    moved.path.rename(tmp_path / "old")
    assert not earlier.tie()
    with _open(tmp_path / "old") as back:
        assert back.arrival == Known(earlier.id)


def test_a_state_that_a_daemon_uses_is_left_to_it(moved: Workspace) -> None:
    earlier = _earlier(moved)
    assert earlier.tie()
    moved.close()
    with _open(moved.path), pytest.raises(ConflictError):
        earlier.tie()


def test_a_state_that_is_gone_cannot_be_tied(moved: Workspace) -> None:
    earlier = _earlier(moved)
    shutil.rmtree(earlier.state_dir / earlier.id)
    assert not earlier.is_tied
    assert not earlier.tie()


@pytest.mark.parametrize("name", ["..", "../other", "", "a/b"])
def test_a_marker_that_names_another_folder_leads_nowhere(moved: Workspace, name: str) -> None:
    earlier = EarlierState(_earlier(moved).state_dir, name, _earlier(moved).own)
    assert not earlier.is_tied
    assert not earlier.tie()
