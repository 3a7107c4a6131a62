"""Two names of a folder changed in one step, as the kernel can and the standard library cannot."""

import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import Final

_NOREPLACE: Final = 1  # linux/fs.h: RENAME_NOREPLACE; macOS: RENAME_EXCL is 4
_EXCHANGE: Final = 2  # RENAME_EXCHANGE; macOS: RENAME_SWAP
_EXCL: Final = 4
CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM})
"""What a kernel or file system answers that has no such step."""


def exchange_names(folder: int, first: str, second: str) -> None:
    """What the one name led to is what the other one leads to, and the reverse.

    Raises:
        OSError: nothing was changed; one of ``CANNOT`` when it is not to be had here.
    """
    _rename(folder, first, second, _EXCHANGE)


def rename_new(folder: int, name: str, target: str) -> None:
    """Rename, but never over something else.

    Raises:
        FileExistsError: the target is there.
        OSError: as ``exchange_names``.
    """
    _rename(folder, name, target, _EXCL if sys.platform == "darwin" else _NOREPLACE)


def _rename(folder: int, first: str, second: str, flags: int) -> None:
    renameat2 = find_renameat2()
    if renameat2 is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if renameat2(folder, os.fsencode(first), folder, os.fsencode(second), flags) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@functools.cache
def find_renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The C library's function; macOS has its own of the same meaning under another name."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(libc, name, None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]
