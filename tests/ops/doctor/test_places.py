"""Who can get at what: by real modes of real files."""

import os
import socket
import stat
from pathlib import Path

import pytest

from openclaw_memd.ops.doctor.places import (
    Mode,
    Place,
    close_place,
    judge_exposure,
    judge_key_files,
    judge_modes,
    judge_readers,
    judge_writable,
    list_places,
    look_at_modes,
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    for name in ("state.db", "lock"):
        (folder / name).touch(mode=0o600)
        (folder / name).chmod(0o600)
    return folder


def found_of(state: Path, socket_path: Path | None = None) -> dict[str, str]:
    modes = look_at_modes(list_places(state, socket_path))
    return {one.id: one.place for one in judge_modes(modes, os.geteuid())}


def test_what_is_closed_is_not_mentioned(state: Path) -> None:
    assert found_of(state) == {}


def test_an_open_state_is_found_and_closed(state: Path) -> None:
    state.chmod(0o755)
    (state / "state.db").chmod(0o644)
    found = found_of(state)
    assert found.keys() == {"open-mode:state", "open-mode:state.db"}
    assert all(close_place(Path(place)) for place in found.values())
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert stat.S_IMODE((state / "state.db").stat().st_mode) == 0o600
    assert found_of(state) == {}
    assert not close_place(state)


def test_a_socket_that_others_can_connect_to(state: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        assert found_of(state, path).keys() == {"open-mode:s"}
        close_place(path)
        assert found_of(state, path) == {}


def test_rights_that_the_user_has_not_are_not_given(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    path.chmod(0o444)
    close_place(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_a_link_is_never_followed(state: Path, tmp_path: Path) -> None:
    other = tmp_path / "others.txt"
    other.touch()
    other.chmod(0o644)
    (state / "link").symlink_to(other)
    assert found_of(state) == {}
    assert not close_place(state / "link")
    assert stat.S_IMODE(other.stat().st_mode) == 0o644


def test_what_is_somebody_elses_is_an_error() -> None:
    mode = Mode(Place("state.db in the state folder", Path("/s/state.db")), stat.S_IFREG | 0o600, 1234)
    (found,) = judge_modes([mode], 1000)
    assert (found.id, found.severity) == ("foreign-owner:state.db", "error")
    assert "1234" in found.detail


def test_a_folder_that_others_can_replace(tmp_path: Path) -> None:
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    (found,) = judge_exposure([("state", open_folder / "state")])
    assert found.id == "exposed-place:state"


def test_only_what_others_can_reach_is_readable_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "MEMORY.md").touch()
    (tmp_path / "MEMORY.md").chmod(0o644)
    tmp_path.chmod(0o700)
    assert list(judge_readers(tmp_path, ["MEMORY.md"])) == []

    real = os.stat

    def open_all(path: Path) -> os.stat_result:
        found = real(path)
        more = 0o001 if stat.S_ISDIR(found.st_mode) else 0
        return os.stat_result((found.st_mode | more, *found[1:]))

    monkeypatch.setattr("openclaw_memd.ops.doctor.places.os.stat", open_all)
    (found,) = judge_readers(tmp_path, ["MEMORY.md"])
    assert found.detail.endswith("can read MEMORY.md.")


def test_a_file_that_memd_cannot_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORY.md", "USER.md"):
        (tmp_path / name).touch()
    assert list(judge_writable(tmp_path, ["MEMORY.md", "USER.md"])) == []

    def access(path: Path, _mode: int, **_more: bool) -> bool:
        return path.name != "USER.md"

    monkeypatch.setattr("openclaw_memd.ops.doctor.places.os.access", access)
    (found,) = judge_writable(tmp_path, ["MEMORY.md", "USER.md"])
    assert found.detail == "memd cannot write to USER.md."


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        (("ws",), ["memd cannot make files in the workspace."]),
        (("ws", "memory"), ["memd cannot make files in the workspace and memory."]),
        (("ws", "memory", ".dreams", "MEMORY.md"), []),  # read-only-workspace says it
    ],
)
def test_folders_that_take_no_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: tuple[str, ...], told: list[str]
) -> None:
    (tmp_path / "ws/memory/.dreams").mkdir(parents=True)
    (tmp_path / "ws/MEMORY.md").touch()

    def access(path: Path, _mode: int, **_more: bool) -> bool:
        return path.name not in closed

    monkeypatch.setattr("openclaw_memd.ops.doctor.places.os.access", access)
    assert [found.detail for found in judge_writable(tmp_path / "ws", ["MEMORY.md"])] == told


def test_what_cannot_be_asked_is_not_said_to_refuse(tmp_path: Path) -> None:
    """A file that went after the look, and one whose path is longer than one call takes."""
    assert list(judge_writable(tmp_path, ["memory/gone.md", f"memory/{'d' * 200 + '/'}" * 25 + "x.md"])) == []


def test_a_key_that_others_can_read(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch()
    key.chmod(0o640)
    (found,) = judge_key_files([("embedding.api_key_file", key), ("model.api_key_file", tmp_path / "none")])
    assert found.id == "key-file-open:embedding.api_key_file"
