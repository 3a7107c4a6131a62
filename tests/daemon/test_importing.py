"""Imports through a real daemon: over its socket, by its command line, and when it is killed."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

pytestmark = pytest.mark.slow

GUEST = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct", "sender": {"id": "u"}}
OWNER = GUEST | {"sender": {"id": "u", "is_owner": True}}
FACT = "- The staging gateway listens on port 9412.\n"


def offer(folder: Path, path: str, text: str) -> Path:
    target = folder / "home" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target


def has_files(folder: Path, count: int) -> bool:
    return len(list(folder.glob("n*.md"))) >= count


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        offer(folder, ".codex/memories/MEMORY.md", FACT)
        home = {"HOME": str(folder / "home"), "XDG_DATA_HOME": str(folder / "data")}
        with RunningDaemon(folder, env=PATIENT | home) as running:
            yield running


def test_an_import_is_found_as_untrusted_text_and_only_there(daemon: RunningDaemon) -> None:
    preview = daemon.call("import.preview", source="codex")
    assert [one["state"] for one in preview["files"]] == ["new"]
    assert preview["from"].endswith("/.codex")
    assert daemon.search_paths("gateway port", corpus="imports") == []
    done = daemon.call("import.apply", source="codex")
    assert (done["copied"], done["backup"], done["report"]["new"]) == (1, None, 1)
    (hit,) = daemon.call("recall.search", query="gateway port", corpus="imports")["hits"]
    assert (hit["path"], hit["origin"]) == ("memory/imports/codex/MEMORY.md", "untrusted")
    assert (hit["tier"], hit["source"]) == ("import", "imports")
    assert daemon.search_paths("gateway port") == []
    listed = daemon.call("import.preview", source="codex")["imports"]
    assert [(one["id"], one["state"]) for one in listed] == [(done["id"], "done")]
    undone = daemon.call("import.undo", id=done["id"])
    assert (undone["restored"], undone["kept"]) == (1, [])
    assert daemon.search_paths("gateway port", corpus="imports") == []


def test_the_owner_can_vouch_for_what_was_imported(daemon: RunningDaemon) -> None:
    daemon.call("import.apply", source="codex")
    path = "memory/imports/codex/MEMORY.md"
    assert daemon.call("memory.trust", context=OWNER, path=path, origin="agent")["changed"] == 1
    (hit,) = daemon.call("recall.search", query="gateway port", corpus="imports")["hits"]
    assert hit["origin"] == "agent"


def test_what_was_imported_can_be_forgotten_and_what_stays_is_named(daemon: RunningDaemon) -> None:
    path = "memory/imports/codex/MEMORY.md"
    done = daemon.call("import.apply", source="codex")
    forgotten = daemon.call("forget", paths=[path], dry_run=False)
    assert not (daemon.workspace / path).exists()
    assert path in [one["where"] for one in forgotten["kept"]]
    assert daemon.search_paths("gateway port", corpus="imports") == []
    assert daemon.call("import.undo", id=done["id"])["kept"] == []
    assert not (daemon.workspace / path).exists()


def test_a_guest_may_not_import(daemon: RunningDaemon) -> None:
    for method in ("import.preview", "import.apply", "import.undo"):
        params = {"id": "x"} if method == "import.undo" else {"source": "codex"}
        with pytest.raises(DaemonError) as caught:
            daemon.call(method, context=GUEST, **params)
        assert caught.value.error["data"]["kind"] == "denied"
    assert not (daemon.workspace / "memory/imports").exists()


def test_a_job_can_be_followed_and_the_same_wish_is_the_same_job(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as client:
        first = client.call("import.apply", source="codex", wait=False)["job_id"]
        daemon.wait_until(
            lambda: any(
                job["id"] == first and job["state"] == "done" for job in client.call("job.list")["jobs"]
            )
        )
        (job,) = (job for job in client.call("job.list")["jobs"] if job["id"] == first)
        assert job["result"]["copied"] == 1


def test_a_status_does_not_tell_a_guest_what_was_imported(daemon: RunningDaemon) -> None:
    daemon.call("import.apply", source="codex")
    assert "import" in [one["kind"] for one in daemon.call("status")["jobs"]]
    assert daemon.call("status", context=GUEST)["jobs"] == []


def test_a_request_key_gives_the_first_answer_again(daemon: RunningDaemon) -> None:
    first = daemon.call("import.apply", source="codex", request_key="k")
    again = daemon.call("import.apply", source="codex", request_key="k")
    assert again["repeated"]
    assert again["id"] == first["id"]


def test_the_command_line_shows_imports_and_takes_back(daemon: RunningDaemon) -> None:
    shown = daemon.memd("import").stdout
    assert "codex        1 file (1 new), 44 B" in shown
    assert "openclaw     nothing in " in shown
    applied = daemon.memd("import", "apply", "codex").stdout
    assert "imported 1 file" in applied
    import_id = json.loads(daemon.memd("import", "--json").stdout)["previews"][0]["imports"][0]["id"]
    assert f"memd import undo {import_id}" in applied
    assert "1 file removed, 0 put back" in daemon.memd("import", "undo", import_id).stdout
    notes = offer(daemon.folder, "notes/x.md", "- x\n")
    done = json.loads(daemon.memd("import", "apply", "path", "--from", str(notes), "--json").stdout)
    assert done["copied"] == 1


def test_an_import_that_kill_9_cut_off_is_finished_by_the_same_call(daemon: RunningDaemon) -> None:
    notes = {f"n{number:03}.md": f"- note {number} of the harbour\n" for number in range(300)}
    for name, text in notes.items():
        offer(daemon.folder, f"notes/{name}", text)
    place = daemon.workspace / "memory/imports/path/notes"
    before = {"n007.md": "- mine\n", "n250.md": "- mine too\n"}
    for name, text in before.items():
        daemon.write(f"memory/imports/path/notes/{name}", text)
    source = str(daemon.folder / "home/notes")
    for count in (1, 40, 100):
        with LineClient(daemon.socket) as client:
            client.send("import.apply", source="path", replace=True, **{"from": source})
            daemon.wait_until(partial(has_files, place, count + len(before)))
            daemon.kill()
        assert not has_files(place, len(notes)), "it was not killed before the end"
        daemon.start()
        assert not list(place.glob(".memd-*"))
    done = daemon.call("import.apply", source="path", replace=True, **{"from": source})
    assert {path.name: path.read_text() for path in place.iterdir()} == notes
    listed = daemon.call("import.preview", source="codex")["imports"]
    assert [one["state"] for one in listed] == ["done"]
    assert (done["copied"], done["replaced"]) == (300, 2)
    daemon.call("import.undo", id=done["id"])
    assert {path.name: path.read_text() for path in place.iterdir()} == before
