"""The doctor of a real daemon over its real socket."""

import json
import shutil
import sqlite3
import stat
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT, over_http
from tests.daemons import DaemonError, RunningDaemon, short_folder

LEGACY = "# Core\n\n- The gateway port is 8123.\n- The lamp is blue.\n"
GROUP = {
    "session_id": "g1",
    "session_kind": "interactive",
    "chat_type": "group",
    "sender": {"id": "eve", "is_owner": False},
}
OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "ana", "is_owner": True},
}


@pytest.fixture(scope="module")
def running() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as found:
        yield found


@pytest.fixture
def daemon(running: RunningDaemon) -> RunningDaemon:
    """One that runs already, with a workspace as new."""
    for path in running.workspace.iterdir():
        if path.name == "memory":
            for inside in path.iterdir():
                if inside.name != ".dreams":
                    inside.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
    running.settle()
    return running


def check(daemon: RunningDaemon, **params: Any) -> dict[str, Any]:
    return {one["id"]: one for one in daemon.call("doctor.check", **params)["findings"]}


@pytest.mark.slow
def test_a_workspace_of_another_persons_shape(daemon: RunningDaemon) -> None:
    daemon.write("memory.md", LEGACY)
    daemon.write("memory/2026-01-30.md", "- line of a long day\n" * 16_200)
    daemon.write("memory/2026-01-31-1530-topic.md", "- Ordered a lamp.\n")
    daemon.write("memory/日記.md", "- 鍵は受付\n")
    daemon.write("memory/заметки.md", "- ключ\n")
    (daemon.workspace / "memory" / "windows.md").write_bytes(b"- a\r\n- b\r\n")
    (daemon.workspace / "memory" / "linked.md").symlink_to(daemon.workspace / "MEMORY.md")
    (daemon.workspace / "USER.md").symlink_to(daemon.workspace / "MEMORY.md")
    daemon.write(unicodedata.normalize("NFD", "memory/größe.md"), "- a\n")
    daemon.write(unicodedata.normalize("NFC", "memory/größe.md"), "- b\n")
    daemon.settle()

    found = check(daemon)

    assert {
        "legacy-memory-file",
        "large-note:memory/2026-01-30.md",
        "notes-with-slugs",
        "names-in-other-scripts",
        "names-decomposed",
        "windows-line-ends",
        "skipped:memory/linked.md",
        "curated-unusable:USER.md",
        unicodedata.normalize("NFD", "unicode-twin:memory/größe.md"),
        "text-in-clear",
        "embedding-off",
        "chat-model-off",
    } <= found.keys()
    assert found["legacy-memory-file"]["fixable"]
    assert not {name.partition(":")[0] for name in found} & {
        "check-failed",
        "index-behind",
        "index-damaged",
        "word-index-damaged",
        "vectors-damaged",
        "ledger-damaged",
        "open-mode",
        "lock-lost",
        "leftover",
        "dangling-signals",
        "clock-behind",
    }
    assert over_http(daemon, "doctor.check")["findings"]


def test_an_old_memory_file_is_taken_in_found_and_never_again(daemon: RunningDaemon) -> None:
    daemon.write("memory.md", LEGACY)
    daemon.settle()
    before = {path: path.read_bytes() for path in daemon.workspace.rglob("*.md")}

    dry = daemon.call("doctor.fix", dry_run=True)
    assert [step["id"] for step in dry["plan"]] == ["legacy-memory-file"]
    assert (dry["fixed"], {path: path.read_bytes() for path in daemon.workspace.rglob("*.md")}) == (
        [],
        before,
    )

    done = daemon.call("doctor.fix", ids=["legacy-memory-file"])
    assert [one["id"] for one in done["fixed"]] == ["legacy-memory-file"]
    assert not (daemon.workspace / "memory.md").exists()
    (kept,) = (daemon.workspace / ".openclaw-repair").rglob("memory.md")
    assert kept.read_text(encoding="utf-8") == LEGACY
    daemon.settle()
    assert daemon.search_paths("lamp blue") == ["MEMORY.md"]
    given = daemon.call("inject.bootstrap", context=OWNER)
    assert "The lamp is blue." in given["context"]

    again = daemon.call("doctor.fix")
    assert (again["fixed"], again["plan"], again["left"]) == ([], [], [])
    named = daemon.call("doctor.fix", ids=["legacy-memory-file"])
    assert named["left"] == [{"id": "legacy-memory-file", "why": "it is not found now"}]


def test_people_who_write_while_it_is_taken_in_lose_nothing(daemon: RunningDaemon) -> None:
    daemon.write("memory.md", LEGACY + "".join(f"- Old fact {number}.\n" for number in range(300)))
    daemon.settle()
    path = daemon.workspace / "MEMORY.md"
    written: list[str] = []
    over = threading.Event()

    def write() -> None:
        while not over.is_set() or len(written) < 20:
            line = f"- By hand {len(written)}.\n"
            with path.open("a", encoding="utf-8") as file:
                file.write(line)
            written.append(line)
            over.wait(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        daemon.call("doctor.fix")
    finally:
        over.set()
        writer.join()

    def has_all() -> bool:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        return all(lines.count(line) == 1 for line in written)

    daemon.wait_until(has_all)
    if (daemon.workspace / "memory.md").exists():  # it gave way to who wrote all the time
        daemon.call("doctor.fix")
    text = path.read_text(encoding="utf-8")
    assert all(text.count(f"- Old fact {number}.\n") == 1 for number in range(300))
    assert has_all()


def test_what_is_open_to_others_is_closed(daemon: RunningDaemon) -> None:
    state = daemon.state_folder()
    state.chmod(0o755)
    (state / "state.db").chmod(0o644)
    daemon.socket.chmod(0o666)
    names = {f"open-mode:{state.name}", "open-mode:state.db", "open-mode:m.sock"}
    assert names <= check(daemon).keys()

    done = daemon.call("doctor.fix", ids=sorted(names))

    assert {one["id"] for one in done["fixed"]} == names
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (state, state / "state.db", daemon.socket)]
    assert modes == [0o700, 0o600, 0o600]
    daemon.call("note.append", text="- the locks of the database still hold")
    assert not any(name.startswith("open-mode") for name in check(daemon))


def spoil(state: Path) -> None:
    """Damage the databases of a daemon that does not run, in ways that no start looks for."""
    with closing(sqlite3.connect(state / "index-1.db", isolation_level=None)) as connection:
        connection.execute("UPDATE files SET hash = zeroblob(32), fresh = 0")  # as if of another file
        connection.execute("UPDATE chunks SET terms = 'nonsense'")
    vectors = state / "vectors.db"
    content = bytearray(vectors.read_bytes())
    content[8192 * 2 :] = b"\xa5" * (len(content) - 8192 * 2)
    vectors.write_bytes(bytes(content))


@pytest.mark.slow
def test_damaged_databases_are_found_and_mended() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        daemon.write("memory/2026-01-11.md", "- Repaired the bicycle.\n")
        daemon.settle()
        daemon.stop()
        spoil(daemon.state_folder())
        daemon.start()
        daemon.settle()
        broken = {"index-behind", "word-index-damaged", "vectors-damaged"}
        daemon.wait_until(lambda: broken <= check(daemon).keys())  # what is fresh is left to the indexer

        done = daemon.call("doctor.fix", ids=sorted(broken))

        assert {one["id"] for one in done["fixed"]} == broken
        found = check(daemon)
        assert not broken & found.keys()
        assert any(name.startswith("set-aside:vectors.db.damaged-") for name in found)
        assert daemon.search_paths("bicycle") == ["memory/2026-01-11.md"]


def test_who_is_not_the_owner_hears_no_names_and_mends_nothing(daemon: RunningDaemon) -> None:
    daemon.write("memory.md", LEGACY)
    daemon.write("memory/2026-01-31-divorce.md", "- a\n")
    (daemon.workspace / "memory" / "lawyer.md").symlink_to(daemon.workspace / "MEMORY.md")
    daemon.settle()
    assert "skipped:memory/lawyer.md" in check(daemon)
    assert "skipped:memory/lawyer.md" in check(daemon, context=OWNER)

    told = json.dumps(daemon.call("doctor.check", context=GROUP))

    assert "skipped" in told
    assert not any(word in told for word in ("lawyer", "divorce", str(daemon.folder)))
    with pytest.raises(DaemonError) as caught:
        daemon.call("doctor.fix", context=GROUP)
    assert caught.value.error["data"]["kind"] == "denied"
    assert (daemon.workspace / "memory.md").exists()


def test_unknown_ids_are_named_by_their_field(daemon: RunningDaemon) -> None:
    with pytest.raises(DaemonError) as caught:
        daemon.call("doctor.fix", ids=["legacy-memory-fil"])
    assert caught.value.error["code"] == -32602
    assert caught.value.error["data"]["field"] == "ids"


def test_what_a_person_has_to_do_is_left_with_the_words(daemon: RunningDaemon) -> None:
    done = daemon.call("doctor.fix", ids=["embedding-off", "skipped:memory/none.md"])
    assert (done["fixed"], done["plan"]) == ([], [])
    assert [one["id"] for one in done["left"]] == ["embedding-off", "skipped:memory/none.md"]


def test_candidates_of_a_note_that_is_gone_are_taken_out(daemon: RunningDaemon) -> None:
    note = daemon.write("memory/2026-01-11.md", "- The boiler is serviced by Ben every March.\n")
    daemon.settle()
    daemon.call("recall.search", query="who has the boiler serviced in March")
    daemon.wait_until(lambda: bool(daemon.call("dream.status")["short_term"]))
    assert "dangling-signals" not in check(daemon)
    note.unlink()
    daemon.settle()
    assert check(daemon)["dangling-signals"]["detail"].startswith("1 candidate has no source any more")

    done = daemon.call("doctor.fix", ids=["dangling-signals"])

    assert done["fixed"] == [{"id": "dangling-signals", "detail": "1 candidate is taken out"}]
    assert "dangling-signals" not in check(daemon)


def test_a_fix_can_be_left_to_itself(daemon: RunningDaemon) -> None:
    daemon.write("memory.md", LEGACY)
    daemon.settle()
    job = daemon.call("doctor.fix", wait=False)["job_id"]

    def is_done() -> bool:
        (found,) = (one for one in daemon.call("job.list")["jobs"] if one["id"] == job)
        return bool(found["state"] == "done")

    daemon.wait_until(is_done)
    assert not (daemon.workspace / "memory.md").exists()


def test_a_lost_lock_is_told(daemon: RunningDaemon) -> None:  # the last, since the lock stays lost
    (daemon.workspace / "memory" / ".dreams" / "lock").unlink()
    assert check(daemon)["lock-lost:.dreams"]["severity"] == "warning"
