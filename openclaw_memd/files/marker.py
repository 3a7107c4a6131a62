"""The small JSON records that tie a workspace and its state together."""

import json
import os
from pathlib import Path

from openclaw_memd.files.arrival import Marker
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.identity import Identity
from openclaw_memd.files.private import open_file, replace_file

MARKER_NAME = "memd.json"  # in the workspace's memory/.dreams
RECORD_NAME = "workspace.json"  # in the state folder
_GIT_IGNORE = ".gitignore"
_MOST_BYTES = 4096


def read_marker(folder: int, host: str) -> Marker | None:
    """The marker in the open folder; None when there is none.

    A damaged one still tells that this workspace was marked: it counts as this ``host``'s, with no id.
    """
    found = _read(folder, MARKER_NAME)
    if found is None:
        return None
    match found:
        case {"id": str(marker_id), "host": str(marker_host)}:
            return Marker(marker_id, marker_host)
        case _:
            return Marker("", host)


def write_marker(folder: int, marker: Marker) -> None:
    """Store the marker and keep git off the folder, by an ignore file of its own.

    What is stored already is not written again: a start needs no room on the disk for it.
    """
    if read_marker(folder, "") != marker:
        _write(folder, MARKER_NAME, {"id": marker.id, "host": marker.host})
    descriptor = open_file(folder, _GIT_IGNORE, os.O_RDWR)
    try:
        if os.fstat(descriptor).st_size == 0:
            os.write(descriptor, b"*\n")
    finally:
        os.close(descriptor)


def read_record(folder: int) -> Identity | None:
    """The workspace that the state in the open folder was made for."""
    match _read(folder, RECORD_NAME):
        case {"path": str(path), "device": int(device), "inode": int(inode)}:
            return Identity(path, device, inode)
        case _:
            return None


def open_recorded(state_dir: Path, id_: str) -> int | None:
    """The folder below ``state_dir`` of the state ``id_``, open; None without such a folder."""
    if not id_.isalnum():  # it comes from a file in the workspace and becomes a file name here
        return None
    try:
        return os.open(state_dir / id_, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None


def find_record(state_dir: Path, id_: str) -> Identity | None:
    """The workspace that the state ``id_`` below ``state_dir`` was made for; None without such a state."""
    folder = open_recorded(state_dir, id_)
    if folder is None:
        return None
    try:
        return read_record(folder)
    finally:
        os.close(folder)


def lost_origins(folder: int) -> bool | None:
    """Whether the state in the open folder began anew where there was one; None when it has no record yet."""
    match _read(folder, RECORD_NAME):
        case None:
            return None
        case {"origins_lost": True}:
            return True
        case _:
            return False


def write_record(folder: int, own: Identity, *, origins_lost: bool = False) -> None:
    """Store which workspace the state belongs to, unless that is stored already; ``origins_lost`` stays."""
    if read_record(folder) != own:
        record: dict[str, str | int] = {"path": own.path, "device": own.device, "inode": own.inode}
        if origins_lost or lost_origins(folder):
            record["origins_lost"] = True
        _write(folder, RECORD_NAME, record)


def _read(folder: int, name: str) -> object:
    """The JSON value in a file; None when it is not there, ``{}`` when it cannot be understood."""
    match read_bytes(folder, name, _MOST_BYTES):
        case SkipReason.VANISHED:
            return None
        case SkipReason():
            return {}
        case (data, _):
            try:
                return json.loads(data)
            except (ValueError, RecursionError):
                return {}


def _write(folder: int, name: str, value: dict[str, str | int]) -> None:
    replace_file(folder, name, json.dumps(value, indent=1).encode() + b"\n")
