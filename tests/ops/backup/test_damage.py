"""What is not as it was made is refused, and nothing is touched."""

import gzip
import hashlib
import io
import itertools
import json
import os
import random
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.index.snapshots import newest_schema
from openclaw_memd.ops.backup import sealing
from openclaw_memd.ops.backup.manifest import ArchiveError
from openclaw_memd.ops.backup.reading import verify_archive
from openclaw_memd.ops.backup.restoring import restore_archive
from tests.ops.backup.archives import ID, NOW, open_shop

FLIPS = int(os.environ.get("MEMD_BACKUP_FLIPS", "400"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    import trio

    async def make() -> bytes:
        async with open_shop(tmp_path_factory.mktemp("shop")) as shop:
            shop.write("MEMORY.md", b"- The office is in Graz.\n")
            shop.write("memory/2026-01-11.md", os.urandom(3000))
            return (await shop.make()).path.read_bytes()

    return trio.run(make)


def refuse(data: bytes, folder: Path) -> str:
    """The message with which an archive is refused; nothing comes of it."""
    path = folder / "given.tar.gz"
    path.write_bytes(data)
    before = sorted(folder.rglob("*"))
    with pytest.raises(ArchiveError) as refused:
        restore_archive(path, folder / "to", now=NOW)
    assert sorted(folder.rglob("*")) == before
    return str(refused.value)


def test_it_is_good_as_it_is(archive: bytes) -> None:
    manifest = verify_archive(io.BytesIO(archive))
    assert [one.agents for one in manifest.workspaces] == [("main",)]


def test_a_flipped_bit_anywhere_is_found(archive: bytes) -> None:
    rng = random.Random(7)
    ends = [*range(64), *range(len(archive) - 80, len(archive))]
    for place in [*ends, *(rng.randrange(len(archive)) for _ in range(FLIPS))]:
        damaged = bytearray(archive)
        damaged[place] ^= 1 << rng.randrange(8)
        with pytest.raises(ArchiveError):
            verify_archive(io.BytesIO(bytes(damaged)))


def test_what_is_cut_off_or_longer_is_refused(archive: bytes, tmp_path: Path) -> None:
    for size in (0, 1, 65, 66, 67, len(archive) // 2, len(archive) - 66, len(archive) - 1):
        assert "memd" in (told := refuse(archive[:size], tmp_path)) or "damaged" in told
    for more in (b"\0", archive, archive[-66:]):
        refuse(archive + more, tmp_path)


def seal(tar: bytes) -> bytes:
    """A sealed archive of any tar file, as somebody could make it who knows the format."""
    out = io.BytesIO()
    sealed = sealing.SealedWriter(out)
    sealed.write(tar)
    sealed.close()
    return out.getvalue()


def forge(
    edit: Callable[[dict[str, Any]], None], members: list[tuple[tarfile.TarInfo, bytes]] | None = None
) -> bytes:
    """An archive whose manifest was edited, with the members that it names or with others."""
    content = b"- a line\n"

    def entry(path: str, kind: str, data: bytes = b"", target: str = "") -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest() if kind == "file" else ""
        return {
            "path": path,
            "kind": kind,
            "mode": 0o600,
            "mtime_ns": 0,
            "size": len(data),
            "sha256": digest,
            "target": target,
        }

    manifest: dict[str, Any] = {
        "made_at": "2026-01-11T12:00:00+00:00",
        "memd": "0.1.0",
        "schemas": {"state": 1},
        "workspaces": [{"name": "main", "id": ID, "agents": ["main"]}],
        "members": [
            entry("workspace", "folder"),
            entry("state", "folder"),
            entry("workspace/main", "folder"),
            entry("workspace/main/a.md", "file", content),
            entry(f"state/{ID}", "folder"),
            entry(f"state/{ID}/state.db", "file", content),
        ],
        "left_out": [],
        "format": 1,
    }
    manifest["entry"] = entry
    edit(manifest)
    manifest.pop("entry")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        if members is None:
            members = []
            for one in manifest["members"]:
                info = tarfile.TarInfo(one["path"])
                info.type = {"folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}.get(
                    one["kind"], tarfile.REGTYPE
                )
                info.size, info.linkname = one["size"], one["target"]
                members.append((info, content))
        for info, data in members:
            tar.addfile(info, io.BytesIO(data[: info.size]))
        data = json.dumps(manifest).encode()
        info = tarfile.TarInfo("manifest.json")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    raw = out.getvalue()
    return seal(raw[: len(raw.rstrip(b"\0")) + (-len(raw.rstrip(b"\0")) % 512)] + bytes(1024))


def add(
    path: str, kind: str = "file", data: bytes = b"", target: str = ""
) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest["members"].append(manifest["entry"](path, kind, data, target))


def put(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest.update(fields)


def test_the_forger_makes_good_ones_too(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(forge(lambda _manifest: None))
    restored = restore_archive(path, tmp_path / "to", now=NOW)
    assert (restored.folder / "workspace/main/a.md").read_bytes() == b"- a line\n"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (add("/etc/cron.d/x"), "no name"),
        (add("workspace/main/../../../x"), "no name"),
        (add("workspace/main/./x"), "no name"),
        (add("workspace/main/a.md"), "twice"),
        (add("workspace", "link", target="x"), "twice"),
        (add("workspace/other/x"), "no folder"),
        (add("x"), "no workspace"),
        (add("workspace/x"), "no workspace"),
        (add("workspace/main/a.md/x"), "no folder"),
        (add("workspace/main/l", "link", target="/etc"), "leads out"),
        (add("workspace/main/l", "link", target="../../state"), "leads out"),
        (add("workspace/main/l", "link", target="a/../../.."), "leads out"),
        (add(f"state/{ID}/l", "link", target="x"), "no ledger"),
        (add(f"state/{ID}/index-1.db"), "no ledger"),
        (put(format=2, memd="9.9"), "newer memd (9.9)"),
        (put(schemas={"state": newest_schema("state") + 1}), "newer memd"),
        (put(schemas={"wiki": 1}), "newer memd"),
        (put(made_at="\x1b[31m"), "does not say when"),
        (put(memd="\x1b[31m"), "does not say when"),
        (put(workspaces=[]), "no workspace"),
        (put(workspaces=[{"name": "..", "id": ID, "agents": ["main"]}]), "no proper name"),
        (put(workspaces=[{"name": "main", "id": "../x", "agents": ["main"]}]), "no proper name"),
        (put(workspaces=[{"name": "main", "id": "other", "agents": ["main"]}]), "no workspace and no state"),
        (put(left_out="x"), "not one of memd"),
        (put(memd=["x"]), "not one of memd"),
        (lambda manifest: manifest["members"][3].update(mode=0o4755), "no proper mode"),
        (lambda manifest: manifest["members"][3].update(kind="device"), "not one of memd"),
        (lambda manifest: manifest["members"][3].update(sha256="0" * 64), "not those of its manifest"),
        (lambda manifest: manifest["members"].pop(), "missing"),
    ],
    ids=itertools.count(),
)
def test_what_must_not_be_written_is_refused(
    tmp_path: Path, edit: Callable[[dict[str, Any]], None], told: str
) -> None:
    assert told in refuse(forge(edit), tmp_path)


def member(path: str, kind: bytes, **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(path)
    info.type = kind
    for name, value in fields.items():
        setattr(info, name, value)
    return info, b""


@pytest.mark.parametrize(
    "kind", [tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE], ids=str
)
def test_devices_and_the_like_are_refused(tmp_path: Path, kind: bytes) -> None:
    odd = member("workspace/main/x", kind, linkname="/etc/passwd")
    assert "neither file, folder nor link" in refuse(forge(lambda _manifest: None, [odd]), tmp_path)


def test_a_bomb_takes_neither_memory_nor_disk(tmp_path: Path) -> None:
    name = tarfile.TarInfo("x")
    name.type = tarfile.GNUTYPE_LONGNAME
    name.size = 1 << 33
    told = refuse(seal(name.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)), tmp_path)
    assert "name of it is too long" in told
    large = tarfile.TarInfo("manifest.json")
    large.size = 1 << 33
    assert "manifest is too large" in refuse(seal(large.tobuf(tarfile.GNU_FORMAT)), tmp_path)


def test_more_than_the_disk_has_room_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from openclaw_memd.ops.backup import restoring

    monkeypatch.setattr(restoring, "ROOM_BYTES", 1 << 60)
    path = tmp_path / "a"
    path.write_bytes(forge(lambda _manifest: None))
    with pytest.raises(restoring.RestoreError, match="the disk has no room"):
        restore_archive(path, tmp_path / "to", now=NOW)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    for data in (b"", b"# Core\n", gzip.compress(b"x" * 5000), os.urandom(4096)):
        assert "no archive of memd" in refuse(data, tmp_path)
    body = gzip.compress(b"x")
    fake = sealing._HEAD + hashlib.sha256(body).digest() + struct.pack("<Q", len(body)) + sealing._TAIL
    assert refuse(body + fake, tmp_path)
