"""What is remembered of backups, in a file beside the archives: the ledger is what they are to bring back."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.private import replace_file
from openclaw_memd.ops.backup.types import Last

_MOST_BYTES: Final = 1 << 20
_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Record:
    """``since`` is when the schedule was first seen, ``done`` the last due time that has its archive.

    ``made`` has the archives of the schedule that are there, by name, with device, inode and size of each:
    only these are ever taken away. ``failed_at`` is when the last try failed, None after one that did not.
    """

    since: datetime | None = None
    done: datetime | None = None
    failed_at: datetime | None = None
    made: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    last: Last | None = None


class RecordFile:
    """The record of one group of workspaces, in the folder of archives."""

    def __init__(self, folder: Path, group: str) -> None:
        self._folder = folder
        self._name = f".memd-{group}.json"

    def read(self) -> Record:
        """What is remembered; nothing where there is no file, or one that cannot be understood."""
        try:
            folder = os.open(self._folder, _FLAGS)
        except OSError:
            return Record()
        try:
            found = read_bytes(folder, self._name, _MOST_BYTES)
        finally:
            os.close(folder)
        if isinstance(found, SkipReason):
            return Record()
        try:
            return _convert(json.loads(found[0]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return Record()

    def write(self, record: Record) -> None:
        """Remember ``record``.

        Raises:
            OSError: it cannot be written; what was remembered stays.
        """
        value = asdict(record)
        for name in ("since", "done", "failed_at"):
            instant = value[name]
            value[name] = None if instant is None else instant.isoformat()
        folder = os.open(self._folder, _FLAGS)
        try:
            replace_file(folder, self._name, json.dumps(value, indent=1).encode() + b"\n")
            os.fsync(folder)
        finally:
            os.close(folder)


def _convert(raw: dict[str, Any]) -> Record:
    instants = {
        name: None if raw[name] is None else datetime.fromisoformat(raw[name])
        for name in ("since", "done", "failed_at")
    }
    if any(instant is not None and instant.tzinfo is None for instant in instants.values()):
        raise ValueError("an instant has no offset")
    made = {str(name): (int(one[0]), int(one[1]), int(one[2])) for name, one in raw["made"].items()}
    return Record(**instants, made=made, last=None if raw["last"] is None else Last(**raw["last"]))
