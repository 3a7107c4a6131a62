"""Files that memd writes for a service manager, and how it knows them again.

Each holds a line with the hash of all its other lines. A file whose hash is right was changed by nobody and
may be replaced or removed; every other one is somebody's work.
"""

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FileState = Literal["absent", "current", "outdated", "edited", "foreign"]
"""Not there; as it would be written now; of an earlier install; ours but edited; never ours."""

_SEAL = re.compile(rb"^(?:# |<!-- )memd-service-install sha256:([0-9a-f]{64})(?: -->)?\n", re.MULTILINE)
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """A file as it is to be; ``text`` is sealed."""

    path: Path
    text: str

    def find_state(self) -> FileState:
        """What is at its place now."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return "absent" if not self.path.is_symlink() else "foreign"
        except OSError:
            return "foreign"
        if content == self.text.encode():
            return "current"
        found = _SEAL.search(content)
        if found is None:
            return "foreign"
        rest = content[: found.start()] + content[found.end() :]
        return "outdated" if hashlib.sha256(rest).hexdigest().encode() == found[1] else "edited"

    @property
    def drop_ins(self) -> tuple[Path, ...]:
        """What people add to a unit in files of their own."""
        return tuple(sorted(self.path.with_name(self.path.name + ".d").glob("*.conf")))

    def write(self) -> None:
        """Put it in its place in one step.

        Raises:
            OSError: the folder takes no file.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                os.fchmod(file.fileno(), _MODE)
                file.write(self.text.encode())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()


def seal(text: str, *, before: str, after: str = "", place: int = 0) -> str:
    """``text`` with its seal as a comment, between ``before`` and ``after``, as its line number ``place``."""
    lines = text.splitlines(keepends=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    lines.insert(place, f"{before}memd-service-install sha256:{digest}{after}\n")
    return "".join(lines)
