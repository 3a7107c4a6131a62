"""What the disk says, in words for a caller."""

import errno
from typing import Final

from openclaw_memd.errors import UnavailableError

_REASONS: Final = {
    errno.ENOSPC: ("disk_full", "the disk is full"),
    errno.EDQUOT: ("disk_full", "the disk is full"),
    errno.EROFS: ("read_only", "the folder cannot be written"),
    errno.EACCES: ("denied", "the system denies access"),
    errno.EPERM: ("denied", "the system denies access"),
    errno.ENOENT: ("missing", "the workspace's folder is not there"),
}


def unavailable(error: OSError) -> UnavailableError:
    """The failure of a disk that left the file as it was."""
    if error.errno in (errno.EXDEV, errno.EBUSY):
        return UnavailableError("the file is a mount of its own", reason="mounted")
    reason, message = _REASONS.get(error.errno or 0, ("disk_error", "the disk cannot be read or written"))
    return UnavailableError(message, reason=reason)
