"""Files and folders that only this user may read, whatever the umask is."""

import contextlib
import os
import secrets

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_folder(parent: int, name: str, *, create: bool) -> int:
    """A descriptor of the folder ``name`` in the open folder ``parent``, made with mode 0700 if missing.

    The mode of a folder that exists is left alone.

    Raises:
        OSError: it cannot be made or opened, or is a link or no folder.
    """
    made = False
    if create:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, FOLDER_MODE, dir_fd=parent)
            made = True
    if made:
        os.chmod(name, FOLDER_MODE, dir_fd=parent)
    return os.open(name, _FOLDER_FLAGS, dir_fd=parent)


def open_file(folder: int, name: str, flags: int) -> int:
    """A descriptor of the file ``name`` in ``folder``, made if missing; its mode is set to 0600."""
    flags |= os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
    try:
        os.fchmod(descriptor, FILE_MODE)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def replace_file(folder: int, name: str, data: bytes) -> None:
    """Put ``data`` in the place of the file ``name`` at once, mode 0600."""
    temporary = f".{name}.{secrets.token_hex(4)}"
    descriptor = open_file(folder, temporary, os.O_WRONLY | os.O_EXCL)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
