"""Each folder above what memd trusts is its user's or root's, and nobody else writes to it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memd.config import exposure
from openclaw_memd.config.exposure import find_exposure

NOBODY = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o722])
@pytest.mark.parametrize("depth", ["", "a", "a/b"])
def test_a_writable_folder_at_any_height_exposes(
    tmp_path: Path, mode: int, depth: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exposure, "_is_private_group", lambda _: False)
    (tmp_path / "top/a/b").mkdir(parents=True)
    (tmp_path / "top").chmod(mode)
    found = find_exposure(tmp_path / "top" / depth)
    assert found == f"others can write to {tmp_path}/top; chmod go-w {tmp_path}/top"


@needs_root
def test_the_group_of_one_user_is_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / "top"
    folder.mkdir()
    folder.chmod(0o775)
    os.chown(folder, -1, 0)
    assert find_exposure(folder) is None
    os.chown(folder, -1, NOBODY)
    assert find_exposure(folder) is not None


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o1777])
def test_a_readable_or_sticky_folder_does_not(tmp_path: Path, mode: int) -> None:
    (tmp_path / "top/a").mkdir(parents=True)
    (tmp_path / "top").chmod(mode)
    assert find_exposure(tmp_path / "top/a/not/there") is None


@pytest.mark.parametrize(
    "spoil",
    [lambda folder: folder.chmod(0o777), pytest.param(lambda f: os.chown(f, NOBODY, -1), marks=needs_root)],
)
def test_neither_the_place_of_a_link_nor_where_it_leads_may_be_open(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    for name in ("links", "targets"):
        (tmp_path / name).mkdir()
    (tmp_path / "targets/real").mkdir()
    (tmp_path / "links/link").symlink_to(tmp_path / "targets/real")
    assert find_exposure(tmp_path / "links/link/deeper") is None
    for name in ("links", "targets"):
        spoil(tmp_path / name)
        assert find_exposure(tmp_path / "links/link/deeper") is not None
        (tmp_path / name).chmod(0o700)
        os.chown(tmp_path / name, os.geteuid(), -1)


@needs_root
def test_a_folder_of_somebody_else_exposes(tmp_path: Path) -> None:
    (tmp_path / "theirs/ours").mkdir(parents=True)
    os.chown(tmp_path / "theirs", NOBODY, -1)
    assert find_exposure(tmp_path / "theirs/ours") == f"{tmp_path}/theirs belongs to somebody else"
