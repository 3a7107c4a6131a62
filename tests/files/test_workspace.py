import errno
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.errors import ConflictError
from openclaw_memd.files import workspace
from openclaw_memd.files.arrival import Clone, FirstRun, Known, LostState, Moved
from openclaw_memd.files.workspace import (
    READ_ONLY_WARNING,
    UNMARKED_WARNING,
    Workspace,
    WorkspaceError,
    WorkspaceProblem,
    open_workspace,
)
from tests.files.unprivileged import as_nobody, open_path

__all__ = ["open_path"]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    path = tmp_path / "ws"
    path.mkdir()
    return path


def _open(path: Path, host: str = "here") -> Workspace:
    return open_workspace(path, state_dir=path.parent / "state", host=host)


def test_a_first_run_marks_the_workspace_and_the_next_one_knows_it(ws: Path) -> None:
    with _open(ws) as first:
        assert first.arrival == FirstRun()
        assert first.path == ws
        assert first.state == ws.parent / "state" / first.id
        assert first.warnings == ()
        assert not first.origins_lost
        assert json.loads((ws / "memory/.dreams/memd.json").read_text()) == {"id": first.id, "host": "here"}
        assert (ws / "memory/.dreams/.gitignore").read_text() == "*\n"
    with _open(ws) as second:
        assert second.arrival == Known(first.id)
        assert second.id == first.id


def test_git_sees_nothing_of_it(ws: Path) -> None:
    subprocess.run(["git", "init", "-q", str(ws)], check=True)
    with _open(ws):
        status = subprocess.run(["git", "-C", ws, "status", "--porcelain"], check=True, capture_output=True)
    assert status.stdout == b""


def test_a_link_to_a_workspace_is_the_workspace(ws: Path) -> None:
    (ws.parent / "link").symlink_to("ws")
    with _open(ws) as direct:
        id_ = direct.id
    with _open(ws.parent / "link") as linked:
        assert (linked.id, linked.path) == (id_, ws)


def test_a_workspace_that_cannot_be_marked_is_opened_with_a_warning(ws: Path) -> None:
    (ws / "memory/.dreams/memd.json/taken").mkdir(parents=True)
    with _open(ws) as found:
        assert found.warnings == (UNMARKED_WARNING,)


class TestArrival:
    def test_a_lost_state_is_told_once_and_is_not_a_first_run(self, ws: Path) -> None:
        _open(ws).close()
        shutil.rmtree(ws.parent / "state")
        with _open(ws) as found:
            assert found.arrival == LostState()
            assert found.origins_lost
        with _open(ws) as found:
            assert found.arrival == Known(found.id)
            assert found.origins_lost  # a ledger may begin in that state only now

    def test_a_clone_from_another_host_starts_anew(self, ws: Path) -> None:
        _open(ws, host="there").close()
        shutil.rmtree(ws.parent / "state")
        with _open(ws, host="here") as found:
            assert found.arrival == Clone()
        assert json.loads((ws / "memory/.dreams/memd.json").read_text())["host"] == "here"

    def test_a_move_is_noticed_until_it_is_settled(self, ws: Path) -> None:
        with _open(ws) as before:
            id_ = before.id
        ws.rename(ws.parent / "new")
        for _ in range(2):
            with _open(ws.parent / "new") as found:
                assert found.arrival == Moved(id_)
                assert found.id != id_
                assert found.origins_lost

    def test_a_copy_beside_the_original_has_a_state_of_its_own(self, ws: Path) -> None:
        with _open(ws) as original:
            shutil.copytree(ws, ws.parent / "copy")
            with _open(ws.parent / "copy") as copy:
                assert copy.arrival == Clone()
                assert copy.id != original.id

    def test_a_folder_restored_in_its_place_keeps_its_state(self, ws: Path) -> None:
        with _open(ws) as before:
            id_ = before.id
        shutil.copytree(ws, ws.parent / "backup")
        shutil.rmtree(ws)
        ws.mkdir()  # so that the copy has another inode
        shutil.copytree(ws.parent / "backup", ws, dirs_exist_ok=True)
        with _open(ws) as found:
            assert found.arrival == Known(id_)

    @pytest.mark.parametrize(
        "damage", ["", "[]", "{", '{"id": 5}', "[" * 4000, '{"id": "../../etc", "host": "here"}']
    )
    def test_a_damaged_marker_is_no_first_run(self, ws: Path, damage: str) -> None:
        _open(ws).close()
        shutil.rmtree(ws.parent / "state")
        (ws / "memory/.dreams/memd.json").write_text(damage)
        with _open(ws) as found:
            assert found.arrival == LostState()


class TestProblems:
    def test_the_default_workspace_is_made(self, tmp_path: Path) -> None:
        path = tmp_path / ".openclaw/workspace"
        with open_workspace(path, state_dir=tmp_path / "state", create=True) as found:
            assert found.arrival == FirstRun()
        assert stat.S_IMODE(path.stat().st_mode) == 0o700

    def test_a_named_one_that_is_missing_is_refused_and_not_made(self, ws: Path) -> None:
        with pytest.raises(WorkspaceError) as caught:
            _open(ws / "gone")
        assert caught.value.problem is WorkspaceProblem.MISSING
        assert not (ws / "gone").exists()

    @pytest.mark.parametrize("create", [False, True])
    def test_a_file_is_refused(self, ws: Path, create: bool) -> None:
        (ws / "file").write_text("x")
        for path in (ws / "file", ws / "file/below"):
            with pytest.raises(WorkspaceError) as caught:
                open_workspace(path, state_dir=ws.parent / "state", create=create)
            assert caught.value.problem is WorkspaceProblem.NOT_A_FOLDER

    def test_the_whole_file_system_is_refused(self, ws: Path) -> None:
        (ws / "link").symlink_to("/")
        for path in (Path("/"), Path("//"), ws / "link", ws / "link/.."):
            with pytest.raises(WorkspaceError) as caught:
                open_workspace(path, state_dir=ws.parent / "state", create=True)
            assert caught.value.problem is WorkspaceProblem.EVERYTHING

    def test_links_in_a_circle_are_refused(self, ws: Path) -> None:
        (ws / "a").symlink_to("b")
        (ws / "b").symlink_to("a")
        with pytest.raises(WorkspaceError) as caught:
            _open(ws / "a")
        assert caught.value.problem is WorkspaceProblem.UNREADABLE

    def test_an_unreadable_one_is_refused(self, open_path: Path) -> None:
        (open_path / "ws").mkdir(0)

        def problem() -> str:
            with pytest.raises(WorkspaceError) as caught:
                _open(open_path / "ws")
            return caught.value.problem

        assert as_nobody(problem) == WorkspaceProblem.UNREADABLE

    def test_a_state_folder_that_cannot_be_made_is_told_apart(self, ws: Path) -> None:
        (ws.parent / "state").write_text("a file")
        with pytest.raises(WorkspaceError) as caught:
            _open(ws)
        assert caught.value.problem is WorkspaceProblem.STATE_FOLDER

    def test_a_read_only_one_is_locked_in_its_state_folder_with_a_warning(self, open_path: Path) -> None:
        (open_path / "ws").mkdir()
        (open_path / "ws").chmod(0o555)

        def work() -> tuple[tuple[str, ...], str | None]:
            with _open(open_path / "ws") as found:
                try:
                    _open(open_path / "ws").close()
                except ConflictError as error:
                    return found.warnings, error.reason
            return found.warnings, None

        assert as_nobody(work) == ((READ_ONLY_WARNING,), "lock_held")
        assert list((open_path / "ws").iterdir()) == []

    @pytest.mark.parametrize("linked", ["memory", "memory/.dreams"])
    def test_machine_files_are_never_written_through_a_link(self, ws: Path, linked: str) -> None:
        (ws.parent / "elsewhere").mkdir()
        (ws / linked).parent.mkdir(exist_ok=True)
        (ws / linked).symlink_to(ws.parent / "elsewhere")
        with _open(ws) as found:
            assert found.warnings == (READ_ONLY_WARNING,)
        assert list((ws.parent / "elsewhere").iterdir()) == []


class TestLock:
    def test_a_second_daemon_is_refused_whatever_its_state_folder(self, ws: Path) -> None:
        with _open(ws):
            for state in ("state", "another"):
                with pytest.raises(ConflictError) as caught:
                    open_workspace(ws, state_dir=ws.parent / state, host="here")
                assert caught.value.reason == "lock_held"
        _open(ws).close()

    def test_the_lock_holds_when_the_machine_folder_is_removed(self, ws: Path) -> None:
        with _open(ws):
            shutil.rmtree(ws / "memory/.dreams")
            with pytest.raises(ConflictError):
                _open(ws)

    @pytest.mark.parametrize("text", ["", "1", pytest.param(str(os.getpid()), id="own pid"), "garbage"])
    def test_what_the_lock_file_says_means_nothing(self, ws: Path, text: str) -> None:
        _open(ws).close()
        (ws / "memory/.dreams/lock").write_text(text)
        _open(ws).close()

    @pytest.mark.crash
    def test_a_killed_daemon_holds_nothing(self, ws: Path) -> None:
        code = (
            "import sys, time; from pathlib import Path\n"
            "from openclaw_memd.files.workspace import open_workspace\n"
            "path = Path(sys.argv[1])\n"
            "held = open_workspace(path, state_dir=path.parent / 'state', host='here')\n"
            "print('locked', flush=True); time.sleep(600)"
        )
        with subprocess.Popen([sys.executable, "-c", code, str(ws)], stdout=subprocess.PIPE) as daemon:
            assert daemon.stdout is not None
            assert daemon.stdout.readline() == b"locked\n"
            with pytest.raises(ConflictError):
                _open(ws)
            daemon.kill()
            daemon.wait()
        with _open(ws) as found:
            assert isinstance(found.arrival, Known)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_nothing_of_ours_is_readable_by_others_whatever_the_umask(ws: Path, umask: int) -> None:
    with _open(ws) as found:
        ours = [found.state, ws / "memory", *(ws / "memory").rglob("*"), *found.state.rglob("*")]
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in ours}
    assert modes == {
        found.id: 0o700,
        "memory": 0o700,
        ".dreams": 0o700,
        "memd.json": 0o600,
        ".gitignore": 0o600,
        "lock": 0o600,
        "workspace.json": 0o600,
    }


def test_a_folder_of_the_owner_keeps_its_mode(ws: Path) -> None:
    (ws / "memory").mkdir(0o755)
    (ws / "memory").chmod(0o755)
    with _open(ws):
        assert stat.S_IMODE((ws / "memory").stat().st_mode) == 0o755


def test_closing_lets_go_of_every_descriptor(ws: Path) -> None:
    before = sorted(path.name for path in Path("/dev/fd").iterdir())
    _open(ws).close()
    assert sorted(path.name for path in Path("/dev/fd").iterdir()) == before


class TestRenewing:
    def test_a_folder_made_anew_in_the_place_is_locked_and_known_again(
        self, ws: Path, tmp_path: Path
    ) -> None:
        state_dir = tmp_path / "states"
        with open_workspace(ws, state_dir=state_dir) as opened:
            ws.rename(tmp_path / "old")
            opened.renew()  # nothing is there to be locked
            ws.mkdir()
            opened.renew()
            assert list(ws.iterdir()) == []  # somebody may be about to fill it

            (ws / "memory").mkdir()
            opened.renew()
            with pytest.raises(ConflictError):
                open_workspace(ws, state_dir=tmp_path / "others")
            opened.renew()
            state = opened.id
        with open_workspace(ws, state_dir=state_dir) as again:
            assert again.id == state
        open_workspace(tmp_path / "old", state_dir=tmp_path / "others").close()

    def test_what_a_full_disk_refuses_is_done_later(
        self, ws: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_args: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with open_workspace(ws, state_dir=tmp_path / "states") as opened:
            ws.rename(tmp_path / "old")
            (ws / "memory").mkdir(parents=True)
            with monkeypatch.context() as full:
                full.setattr(workspace, "write_record", refuse)
                opened.renew()
            opened.renew()
            state = opened.id
        with open_workspace(ws, state_dir=tmp_path / "states") as again:
            assert again.id == state

    def test_a_folder_that_another_daemon_took_is_a_conflict(self, ws: Path, tmp_path: Path) -> None:
        with open_workspace(ws, state_dir=tmp_path / "states") as opened:
            ws.rename(tmp_path / "old")
            (ws / "memory").mkdir(parents=True)
            with open_workspace(ws, state_dir=tmp_path / "others"), pytest.raises(ConflictError):
                opened.renew()

    def test_the_mark_of_another_workspace_is_left_alone(self, ws: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        (other / "memory").mkdir(parents=True)
        open_workspace(other, state_dir=tmp_path / "states").close()
        mark = (other / "memory/.dreams/memd.json").read_bytes()
        with open_workspace(ws, state_dir=tmp_path / "states") as opened:
            ws.rename(tmp_path / "old")
            other.rename(ws)
            opened.renew()

        assert (ws / "memory/.dreams/memd.json").read_bytes() == mark

    @pytest.mark.parametrize("again", [False, True])
    def test_a_state_folder_that_was_removed_is_missed(self, ws: Path, tmp_path: Path, again: bool) -> None:
        with open_workspace(ws, state_dir=tmp_path / "states") as opened:
            assert opened.has_state
            shutil.rmtree(opened.state)
            if again:
                opened.state.mkdir()
            assert not opened.has_state


def test_a_second_start_writes_nothing_of_what_is_there(ws: Path, tmp_path: Path) -> None:
    with open_workspace(ws, state_dir=tmp_path / "states") as opened:
        records = (ws / "memory/.dreams/memd.json", opened.state / "workspace.json")
    before = [record.stat().st_ino for record in records]
    open_workspace(ws, state_dir=tmp_path / "states").close()

    assert [record.stat().st_ino for record in records] == before
