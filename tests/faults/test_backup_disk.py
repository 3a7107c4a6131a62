"""A full disk under the archives: told plainly, nothing half-made stays, memory itself works on."""

import json

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import MEMD, DaemonError, RunningDaemon, short_folder
from tests.faults.disks import fill, small_disk

pytestmark = pytest.mark.fault


@pytest.mark.slow
def test_an_archive_without_room_is_not_made() -> None:
    env = {**PATIENT, "MEMD_BACKUP__SCHEDULE": "0 3 1 1 *"}
    with short_folder() as folder, small_disk(folder / "data") as disk:
        daemon = RunningDaemon(folder, env=env, command=(*disk.inside, *MEMD))
        with daemon:
            daemon.write("MEMORY.md", "- The office is in Graz.\n")
            daemon.write("film.bin", "x" * 4_000_000)
            made = daemon.call("backup.create")
            names = sorted(path.name for path in (disk.seen / "backups").iterdir())
            ballast = fill(disk.seen)

            with pytest.raises(DaemonError) as failed:
                daemon.call("backup.create")

            data = failed.value.error["data"]
            assert (data["kind"], data["reason"]) == ("unavailable", "disk_full")
            assert sorted(path.name for path in (disk.seen / "backups").iterdir()) == names
            assert daemon.call("note.append", text="- Memory works on.")["appended"]
            ballast.unlink()
            (record,) = (disk.seen / "backups").glob(".memd-*.json")
            value = json.loads(record.read_text())
            record.write_text(json.dumps(value | {"since": "2020-06-01T00:00:00+00:00"}))
            ballast = fill(disk.seen)
        with daemon:  # a due time has passed since then
            daemon.wait_until(
                lambda: any("scheduled backup" in one for one in daemon.call("status")["warnings"])
            )
            assert daemon.call("status")["backup"]["last_outcome"] == "failed"
            assert daemon.call("status")["backup"]["reason"] == "disk_full"
            ballast.unlink()
            assert daemon.call("backup.create")["bytes"] >= made["bytes"]
            assert daemon.call("status")["warnings"] == []


@pytest.mark.slow
def test_a_data_folder_that_cannot_be_is_told() -> None:
    env = {**PATIENT, "MEMD_BACKUP__SCHEDULE": "0 3 1 1 *"}
    with short_folder() as folder:
        (folder / "data").write_text("no folder")
        with RunningDaemon(folder, env=env) as daemon:
            daemon.wait_until(
                lambda: any("no backup can be scheduled" in one for one in daemon.call("status")["warnings"])
            )
            with pytest.raises(DaemonError) as failed:
                daemon.call("backup.create")
            assert failed.value.error["data"]["kind"] == "unavailable"
            (folder / "data").unlink()
            assert daemon.call("backup.create")["files"] == 1
            daemon.wait_until(lambda: daemon.call("status")["warnings"] == [])
