"""Disks are tried for real; what cannot be had here is judged from what a trial would say."""

from pathlib import Path

import pytest

from openclaw_memd.ops.doctor import disk
from openclaw_memd.ops.doctor.disk import (
    Abilities,
    Room,
    judge_abilities,
    judge_mount,
    judge_room,
    mount_type,
    try_disk,
)

WHOLE = Abilities(exchanges=True, tells_case=True, locks=True, grain_ns=0)

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/ana/net rw - nfs4 server:/x rw
41 22 0:36 / /home/ana/my\\040notes rw - fuse.sshfs server:/y rw
42 22 0:37 / /home/ana/net/local rw - ext4 /dev/sdb1 rw
"""


def test_a_trial_leaves_nothing_behind(tmp_path: Path) -> None:
    found = try_disk(tmp_path)
    assert found is not None
    assert list(tmp_path.iterdir()) == []
    assert found.locks


def test_a_trial_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_folder: int) -> bool:
        raise OSError(28, "no space left")

    monkeypatch.setattr(disk, "_locks", fail)
    assert try_disk(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_nothing_is_known(tmp_path: Path) -> None:
    assert try_disk(tmp_path / "gone") is None
    assert [one.id for one in judge_abilities("the workspace", None, is_workspace=True)] == [
        "read-only-workspace"
    ]
    assert list(judge_abilities("the state folder", None, is_workspace=False)) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (WHOLE, []),
        (Abilities(exchanges=False, tells_case=True, locks=True, grain_ns=0), ["no-exchange"]),
        (Abilities(exchanges=True, tells_case=False, locks=True, grain_ns=0), ["case-insensitive"]),
        (Abilities(exchanges=True, tells_case=True, locks=False, grain_ns=0), ["no-locks:workspace"]),
        (Abilities(exchanges=True, tells_case=True, locks=True, grain_ns=2 * 10**9), ["coarse-times"]),
    ],
    ids=["whole", "exchange", "case", "locks", "times"],
)
def test_what_a_disk_lacks_is_said(found: Abilities, expected: list[str]) -> None:
    assert [one.id for one in judge_abilities("the workspace", found, is_workspace=True)] == expected


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (Room(10**10, 10**6), []),
        (Room(10**10, None), []),
        (Room(4 * 10**8, 10**6), [("disk-low:state", "warning")]),
        (Room(10**7, 10**6), [("disk-low:state", "error")]),
        (Room(10**10, 3), [("disk-low:state", "warning")]),
        (None, []),
    ],
)
def test_a_full_disk_is_told_before_it_is_full(room: Room | None, expected: list[tuple[str, str]]) -> None:
    assert [(one.id, one.severity) for one in judge_room("the state folder", room)] == expected


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/ana", "ext4"),
        ("/home/ana/net/ws", "nfs4"),
        ("/home/ana/net/local/ws", "ext4"),
        ("/home/ana/my notes/ws", "fuse.sshfs"),
        ("/home/ana/network", "ext4"),
    ],
)
def test_the_mount_nearest_above_counts(folder: str, kind: str) -> None:
    assert mount_type(Path(folder), MOUNTS) == kind


def test_places_that_others_write_to_unseen_are_named() -> None:
    (network,) = judge_mount("the workspace", Path("/home/ana/net/ws"), MOUNTS, is_workspace=True)
    assert (network.id, network.severity) == ("network-disk:workspace", "warning")
    (synced,) = judge_mount("the workspace", Path("/home/ana/Dropbox/ws"), MOUNTS, is_workspace=True)
    assert synced.severity == "info"
    (state,) = judge_mount("the state folder", Path("/home/ana/Dropbox/s"), MOUNTS, is_workspace=False)
    assert state.severity == "warning"
    assert list(judge_mount("the workspace", Path("/home/ana/ws"), MOUNTS, is_workspace=True)) == []
