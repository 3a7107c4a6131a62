"""Who a workspace is: the folder behind a path on this machine, and the machine itself."""

import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path

_ID_CHARS = 20  # 80 bits: far from any collision among one person's workspaces
_MACHINE_ID = Path("/etc/machine-id")


@dataclass(frozen=True, slots=True)
class Identity:
    """A folder by its real path, device and inode."""

    path: str
    device: int
    inode: int

    @property
    def id(self) -> str:
        """A short name for it, safe as a file name; it tells nothing of the path."""
        return _digest(self.path, str(self.device), str(self.inode))


def is_in_place(workspace: Identity) -> bool:
    """Whether the folder is still where it was."""
    try:
        status = Path(workspace.path).stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == (workspace.device, workspace.inode)


def host_id() -> str:
    """A stable name for this machine that gives away neither its host name nor its machine id."""
    try:
        machine = _MACHINE_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        machine = ""
    return _digest("openclaw-memd host", machine or platform.node())


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(joined).hexdigest()[:_ID_CHARS]
