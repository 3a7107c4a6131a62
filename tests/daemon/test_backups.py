"""Archives of a real daemon: made under load, restored, and used by another daemon."""

import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import FAILED, LOCKED, USAGE
from openclaw_memd.ops.backup.reading import verify_archive
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

pytestmark = pytest.mark.slow

OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "t", "account": "a", "conversation_id": "c1"},
    "sender": {"id": "ana", "is_owner": True},
}
GUEST = OWNER | {"session_id": "g1", "chat_type": "group", "sender": {"id": "eve", "is_owner": False}}
GIVEN = "- Visitors told us that the vault word is numbat."


def restore(daemon: RunningDaemon, archive: str, to: Path) -> dict[str, Any]:
    done = daemon.memd("restore", archive, "--to", str(to), "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def origins(daemon: RunningDaemon) -> dict[str, str]:
    """Who is behind what is found."""
    queries = ("spare key", "vault word numbat", "gateway port", "office Graz")
    found = [hit for query in queries for hit in daemon.call("recall.search", query=query)["hits"]]
    return {hit["text"].splitlines()[-1]: hit["origin"] for hit in found}


def second(folder: Path, restored: dict[str, Any]) -> RunningDaemon:
    """A daemon of what was restored, by the lines that the command prints."""
    config = folder / "second.toml"
    config.write_text(restored["config"], encoding="utf-8")
    env = {**PATIENT, "MEMD_SOCKET": str(folder / "2.sock")}
    daemon = RunningDaemon(folder, env=env, arguments=("--config", str(config)))
    del daemon.env["MEMD_STATE_DIR"]
    daemon.workspace = Path(restored["workspaces"][0]["workspace"])
    daemon.socket = folder / "2.sock"
    return daemon


@pytest.fixture(scope="module")
def lived() -> Iterator[tuple[RunningDaemon, dict[str, Any], Path]]:
    """A daemon with some memory, an archive of it, and what came after."""
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        daemon.write("MEMORY.md", "# Core\n\n- The gateway is on port 9400.\n")
        daemon.settle()
        daemon.call("note.append", context=OWNER, text="- Ben has the spare key.")
        daemon.call("note.append", context=GUEST, text=GIVEN)
        daemon.call("memory.remember", context=OWNER, text="The office is in Graz.")
        daemon.call("intent.create", context=OWNER, description="mention Ben", keywords=["plumber"])
        fired = daemon.call("inject.turn", context=OWNER, text="the plumber called", turn_id="1")
        assert len(fired["intents"]) == 1
        daemon.settle()
        known = origins(daemon)
        assert known[GIVEN] == "untrusted"
        made = daemon.call("backup.create") | {"origins": known}
        daemon.call("note.append", context=GUEST, text="- After it a visitor said quoll.")
        daemon.call("memory.remember", context=OWNER, text="The kettle is new.")
        yield daemon, made, folder


def test_all_of_it_is_there_after_a_restore(lived: tuple[RunningDaemon, dict[str, Any], Path]) -> None:
    daemon, made, folder = lived
    restored = restore(daemon, made["path"], folder / "back")
    assert restored["kept_aside"] is None
    with second(folder, restored) as other:
        other.settle()
        assert origins(other) == made["origins"]
        assert not other.search_paths("quoll")
        versions = other.call("memory.history", file="MEMORY.md")["preimages"]
        assert [one["cause"] for one in versions] == ["remember"]
        (intent,) = other.call("intent.list", context=OWNER)["intents"]
        assert intent["fire_count"] == 1
        again = other.call("inject.turn", context=OWNER, text="the plumber called", turn_id="2")
        assert again["intents"] == []
        other.call("memory.undo", context=OWNER, id=versions[0]["id"])
        assert (other.workspace / "MEMORY.md").read_text() == "# Core\n\n- The gateway is on port 9400.\n"
        done = other.memd("restore", made["path"], "--to", str(folder / "back"))
        assert done.returncode == LOCKED
        assert "nothing was changed" in done.stderr


def test_a_line_that_came_after_it_is_no_owners(lived: tuple[RunningDaemon, dict[str, Any], Path]) -> None:
    """Outside text of an archive stays what it is also when the same file goes on elsewhere."""
    daemon, made, folder = lived
    restored = restore(daemon, made["path"], folder / "again")
    with second(folder, restored) as other:
        other.settle()
        note = next((other.workspace / "memory").glob("*-untrusted.md"))
        note.write_bytes((daemon.workspace / "memory" / note.name).read_bytes())
        other.settle()
        hits = [
            hit for query in ("quoll", "numbat") for hit in other.call("recall.search", query=query)["hits"]
        ]
        assert len(hits) >= 2
        assert {hit["origin"] for hit in hits} == {"untrusted"}


def test_what_it_answers_and_where_it_lies(lived: tuple[RunningDaemon, dict[str, Any], Path]) -> None:
    daemon, made, folder = lived
    archive = Path(made["path"])
    assert archive.parent == folder / "data/backups"
    assert made["bytes"] == archive.stat().st_size
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert stat.S_IMODE(archive.parent.stat().st_mode) == 0o700
    status = daemon.call("status")
    assert status["backup"]["last_outcome"] == "ok"
    assert status["backup"]["path"] == f"backups/{archive.name}"
    assert status["backup"]["next_at"] is None
    job = daemon.call("backup.create", wait=False)
    daemon.wait_until(
        lambda: any(
            one["id"] == job["job_id"] and one["state"] == "done" for one in daemon.call("job.list")["jobs"]
        )
    )
    kept = daemon.call("forget", query="spare key")["kept"]
    assert "backups" in [one["where"] for one in kept]


@pytest.mark.parametrize(
    ("path", "kind", "reason"),
    [
        ("relative.tar.gz", "invalid_params", "value"),
        ("{folder}/nowhere/a.tar.gz", "invalid_params", "missing"),
        ("{folder}/ws/a.tar.gz", "denied", "in_workspace"),
        ("{folder}/ws", "denied", "in_workspace"),
        ("{folder}/state/a.tar.gz", "denied", "in_workspace"),
        ("{archive}", "conflict", "exists"),
    ],
)
def test_places_that_cannot_be(
    lived: tuple[RunningDaemon, dict[str, Any], Path], path: str, kind: str, reason: str
) -> None:
    daemon, made, folder = lived
    with pytest.raises(DaemonError) as refused:
        daemon.call("backup.create", path=path.format(folder=folder, archive=made["path"]))
    data = refused.value.error["data"]
    assert (data["kind"], data["reason"], data["field"]) == (kind, reason, "path")
    assert str(folder) not in json.dumps(refused.value.error)


def test_the_commands(lived: tuple[RunningDaemon, dict[str, Any], Path]) -> None:
    daemon, _, folder = lived
    (folder / "usb").mkdir()
    done = daemon.memd("backup", str(folder / "usb"))
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "usb").iterdir()
    assert done.stdout.startswith(f"{archive}  ")
    shown = daemon.memd("restore", str(archive), "--to", str(folder / "shown"))
    assert f"  export MEMD_STATE_DIR={folder}/shown/state\n" in shown.stdout
    assert f"  memd run --workspace {folder}/shown/workspace/main\n" in shown.stdout
    assert f'state_dir = "{folder}/shown/state"' in shown.stdout
    shown = daemon.memd("restore", str(archive), "--to", str(folder / "shown"))
    assert f"what was there is kept in {folder}/shown.before-" in shown.stdout
    assert daemon.memd("restore", str(archive)).returncode == USAGE
    damaged = folder / "damaged"
    damaged.write_bytes(archive.read_bytes()[:-1])
    for given in (damaged, folder / "none"):
        done = daemon.memd("restore", str(given), "--to", str(folder / "no"), "--json")
        assert done.returncode == FAILED
        assert "nothing was changed" in json.loads(done.stdout)["error"]["message"]
    assert not (folder / "no").exists()
    assert daemon.memd("backup", str(archive)).returncode == FAILED


def test_what_was_accepted_before_it_began_is_in_it_while_others_write() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        accepted: list[str] = []
        over = threading.Event()

        def write(name: str) -> None:
            with LineClient(daemon.socket) as client:
                number = 0
                while not over.is_set():
                    line = f"- writer {name} notes fact {number}"
                    client.call("note.append", context=OWNER | {"session_id": name}, text=line)
                    accepted.append(line)
                    number += 1

        writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
        for writer in writers:
            writer.start()
        try:
            for number in range(3):
                daemon.wait_until(lambda: len(accepted) > 20)
                before = list(accepted)
                made = daemon.call("backup.create")
                restored = restore(daemon, made["path"], folder / f"back{number}")
                notes = Path(restored["workspaces"][0]["workspace"]) / "memory"
                lines = [line for note in notes.glob("*.md") for line in note.read_text().splitlines()]
                assert set(before) <= set(lines)
                assert len(set(lines)) == len(lines) - lines.count("") + 1  # none twice, none torn
                assert {line for line in lines if "writer" in line} <= set(accepted) | set(lines[-2:])
        finally:
            over.set()
            for writer in writers:
                writer.join(timeout=10)


def test_it_is_made_by_the_schedule() -> None:
    env = {**PATIENT, "MEMD_BACKUP__SCHEDULE": "0 3 1 1 *"}
    with short_folder() as folder:
        backups = folder / "data/backups"
        daemon = RunningDaemon(folder, env=env)
        with daemon:
            daemon.wait_until(lambda: any(backups.glob(".memd-*.json")))
            (record,) = backups.glob(".memd-*.json")
            status = daemon.call("status")["backup"]
            assert (status["last_outcome"], status["last_at"]) == (None, None)
            assert status["next_at"] is not None
            daemon.call("backup.create")
        value = json.loads(record.read_text())
        record.write_text(json.dumps(value | {"since": "2020-06-01T00:00:00+00:00"}))
        with daemon:  # a due time has passed since then
            assert daemon.call("status")["backup"]["last_outcome"] == "ok"
            daemon.wait_until(lambda: json.loads(record.read_text())["done"] is not None)
            (archive,) = backups.glob("memd-????????-*.tar.gz")
            with archive.open("rb") as file:
                assert verify_archive(file).workspaces[0].agents == ("main",)
            assert daemon.call("status")["backup"]["path"] == f"backups/{archive.name}"
