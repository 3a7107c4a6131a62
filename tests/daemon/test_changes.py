"""Whatever happens to the files, search follows by itself."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        extra = folder / "ws/notes"
        extra.mkdir(parents=True)
        (extra / "plan.md").write_text("extraword stays\n", encoding="utf-8")
        before = folder / "ws/memory/before.md"
        before.parent.mkdir()
        before.write_text("earlierword was here before the start\n", encoding="utf-8")
        env = PATIENT | {"MEMD_FILES__EXTRA": '[{name = "notes", path = "notes"}]'}
        with RunningDaemon(folder, env=env) as running:
            running.wait_until(lambda: running.agent()["watch"]["mode"] == "events")
            yield running


def await_found(daemon: RunningDaemon, word: str, *paths: str) -> None:
    """Wait until ``word`` is found in ``paths`` and nowhere else."""
    daemon.wait_until(lambda: sorted(daemon.search_paths(word)) == sorted(paths))


def test_what_was_there_before_the_start_is_found(daemon: RunningDaemon) -> None:
    await_found(daemon, "earlierword", "memory/before.md")


def test_an_edited_note_is_found_by_its_new_words_only(daemon: RunningDaemon) -> None:
    note = daemon.write("memory/edited.md", "oldword\n")
    await_found(daemon, "oldword", "memory/edited.md")

    note.write_text("padding\n\nnewword\n", encoding="utf-8")

    await_found(daemon, "newword", "memory/edited.md")
    assert daemon.search_paths("oldword") == []


def test_a_note_that_is_replaced_again_and_again_is_followed(daemon: RunningDaemon) -> None:
    for round_ in ("first", "second", "third"):
        daemon.write("MEMORY.md", f"- curated{round_} entry\n")

        await_found(daemon, f"curated{round_}", "MEMORY.md")


def test_a_renamed_note_is_found_under_its_new_name(daemon: RunningDaemon) -> None:
    note = daemon.write("memory/from.md", "renamedword\n")
    await_found(daemon, "renamedword", "memory/from.md")

    note.rename(note.with_name("to.md"))

    await_found(daemon, "renamedword", "memory/to.md")


def test_a_deleted_note_is_gone(daemon: RunningDaemon) -> None:
    note = daemon.write("memory/deleted.md", "deletedword\n")
    await_found(daemon, "deletedword", "memory/deleted.md")
    files = daemon.settle()["files"]

    note.unlink()

    assert daemon.search_paths("deletedword") == []
    assert daemon.call("recall.get", path="memory/deleted.md")["status"] == "not_found"
    daemon.wait_until(lambda: daemon.agent()["files"] == files - 1)


def test_a_file_put_at_once_into_new_nested_folders_is_found(daemon: RunningDaemon) -> None:
    daemon.write("memory/2026/09/05/deep.md", "nestedword\n")

    await_found(daemon, "nestedword", "memory/2026/09/05/deep.md")


def test_a_folder_that_is_moved_in_is_found_and_gone_when_it_is_moved_out(daemon: RunningDaemon) -> None:
    outside = daemon.folder / "outside"
    (outside / "sub").mkdir(parents=True)
    (outside / "sub/note.md").write_text("movedword\n", encoding="utf-8")
    inside = daemon.workspace / "memory/moved"

    outside.rename(inside)
    await_found(daemon, "movedword", "memory/moved/sub/note.md")

    inside.rename(outside)
    await_found(daemon, "movedword")


def test_an_extra_path_stays_through_a_pass_of_the_watcher(daemon: RunningDaemon) -> None:
    await_found(daemon, "extraword", "extra/notes/plan.md")

    daemon.write("memory/touch.md", "touchword\n")

    await_found(daemon, "touchword", "memory/touch.md")
    assert daemon.search_paths("extraword") == ["extra/notes/plan.md"]


def test_an_ignore_file_takes_notes_out_and_gives_them_back(daemon: RunningDaemon) -> None:
    daemon.write("memory/private/diary.md", "ignoredword\n")
    await_found(daemon, "ignoredword", "memory/private/diary.md")

    ignore = daemon.write(".memdignore", "memory/private/\n")
    daemon.settle()
    await_found(daemon, "ignoredword")

    ignore.unlink()
    daemon.settle()
    await_found(daemon, "ignoredword", "memory/private/diary.md")


@pytest.mark.parametrize(
    "path",
    [
        "memory/.dreams/session-corpus/2026-01-11.md",
        "memory/dreaming/light/2026-01-11.md",
        "memory/.openclaw-repair/left.md",
        ".openclaw-repair/memory/left.md",
        "memory/tool/.venv/lib/readme.md",
        "memory/tool/node_modules/pack/README.md",
        "DREAMS.md",
        "AGENTS.md",
    ],
)
def test_working_files_of_machines_are_never_indexed(daemon: RunningDaemon, path: str) -> None:
    daemon.write(path, "machineword\n")

    daemon.settle()

    assert daemon.search_paths("machineword", corpus="all", min_score=0) == []


def test_a_workspace_that_is_taken_away_and_made_again_is_followed(daemon: RunningDaemon) -> None:
    daemon.write("memory/lasting.md", "lastingword\n")
    await_found(daemon, "lastingword", "memory/lasting.md")
    kept = daemon.folder / "kept"

    daemon.workspace.rename(kept)
    daemon.wait_until(lambda: daemon.agent()["watch"]["mode"] == "parked")
    assert daemon.search_paths("lastingword") == []
    _make_again(daemon.workspace, kept)

    await_found(daemon, "lastingword", "memory/lasting.md")
    daemon.write("memory/again.md", "againword\n")
    await_found(daemon, "againword", "memory/again.md")


def _make_again(workspace: Path, kept: Path) -> None:
    workspace.mkdir()
    shutil.copytree(kept, workspace, dirs_exist_ok=True)
