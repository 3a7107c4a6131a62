"""The instruction files of the workspace: prompts that people write for their agent, read only here."""

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from time import time_ns
from typing import Final

from openclaw_memd.files.beneath import FRESH_NS, read_bytes, stamp_of
from openclaw_memd.files.catalog import SkipReason, Stamp
from openclaw_memd.files.names import INSTRUCTIONS, WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

MAX_BYTES: Final = 2 * 1024 * 1024
"""Far above any budget; what is larger is no prompt."""

_STAT_FLAGS = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class InstructionText:
    """One file as it was read: ``text`` with ``\\n`` line ends and no byte order mark.

    ``hash`` is SHA-256 of the file's bytes in lower-case hex.
    """

    file: str
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class _Read:
    """What was found under a stamp. A ``fresh`` file may have changed again without another stamp."""

    stamp: Stamp
    found: InstructionText | SkipReason
    fresh: bool


class Instructions:
    """Reads the instruction files at the top of the workspace, by their exact names, links not followed.

    A file is read again when its stamp says that it changed; to ask costs a ``stat`` a file. Everything here
    blocks: use a thread, or several.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._known: dict[str, _Read] = {}
        self._lock = threading.Lock()

    def read(self, names: Iterable[str]) -> dict[str, InstructionText | SkipReason]:
        """Those of ``names`` that are there, in this order; the reason for one that cannot be read.

        Raises:
            ValueError: a name is not one of an instruction file.
        """
        found = {}
        for name in names:
            if name not in INSTRUCTIONS:
                raise ValueError("not an instruction file")
            one = self._read(name)
            if one is not None:
                found[name] = one
        return found

    def _read(self, name: str) -> InstructionText | SkipReason | None:
        try:
            with self._roots.anchored(WORKSPACE) as root:
                stamp = _stamp(root, name)
                known = self._known.get(name)
                if known is not None and known.stamp == stamp and not known.fresh:
                    return known.found
                found = _read_text(root, name) if _has_entry(root, name) else None
        except FileNotFoundError:
            return None
        except OSError:
            return SkipReason.UNREADABLE
        with self._lock:
            if found is None or stamp is None:
                self._known.pop(name, None)
            else:
                changed_at_ns = max(stamp.mtime_ns, stamp.ctime_ns)
                self._known[name] = _Read(stamp, found, fresh=time_ns() - changed_at_ns < FRESH_NS)
        return found


def _stamp(root: int, name: str) -> Stamp | None:
    """The present stamp of the file; None when something else has its place, such as a link.

    Raises:
        FileNotFoundError: nothing is there.
    """
    try:
        descriptor = open_beneath(root, name, _STAT_FLAGS)
    except FileNotFoundError:
        raise
    except OSError:
        return None
    try:
        return stamp_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _has_entry(root: int, name: str) -> bool:
    """Whether the name is exactly so: some file systems open it by another one, in other letters."""
    with os.scandir(root) as entries:
        return any(entry.name == name for entry in entries)


def _read_text(root: int, name: str) -> InstructionText | SkipReason | None:
    match read_bytes(root, name, MAX_BYTES):
        case SkipReason.VANISHED:
            return None
        case SkipReason() as reason:
            return reason
        case (data, _):
            pass
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return SkipReason.NOT_UTF8
    text = text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")
    return InstructionText(name, text, sha256(data).hexdigest())
