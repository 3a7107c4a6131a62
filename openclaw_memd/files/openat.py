"""Opening paths beneath a folder's descriptor without ever following a symbolic link."""

import ctypes
import errno
import functools
import os
import platform
import re
import sys
from collections.abc import Callable

_SYS_OPENAT2 = 437  # the same on x86-64 and aarch64
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_AT_FDCWD = -100
_STEP_BYTES = 4000  # one call takes a path of at most PATH_MAX (4096) bytes
_NOT_PLAIN = re.compile(rb"(?:^|/)\.{0,2}(?:/|\Z)|\0")
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(folder: int, relative: str, flags: int) -> int:
    """Open ``relative`` below the descriptor ``folder`` and return a descriptor; '' is the folder itself.

    Every component is checked: a symbolic link anywhere is refused, so the result lies in the tree whatever
    others rename meanwhile. ``flags`` are those of ``os.open``, close-on-exec is added.

    Raises:
        ValueError: a component is empty, '.' or '..', or the path holds a NUL.
        OSError: as ``os.open``; a link gives ELOOP or ENOTDIR.
    """
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW
    if not relative:
        return os.open(b".", flags, dir_fd=folder)
    path = relative.encode("utf-8", "surrogateescape")
    if _NOT_PLAIN.search(path):
        raise ValueError("not a plain relative path")
    step = _open_resolved if _has_openat2() else _open_walked
    held = folder
    try:
        while len(path) > _STEP_BYTES:
            cut = path.rfind(b"/", 0, _STEP_BYTES)
            if cut < 0:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
            held = _descend(step, folder, held, path[:cut])
            path = path[cut + 1 :]
        return step(held, path, flags)
    finally:
        if held != folder:
            os.close(held)


def _descend(step: Callable[[int, bytes, int], int], folder: int, held: int, path: bytes) -> int:
    """Open a folder below ``held`` and let go of ``held``, unless that is the caller's own ``folder``."""
    deeper = step(held, path, _FOLDER_FLAGS)
    if held != folder:
        os.close(held)
    return deeper


def _open_resolved(folder: int, path: bytes, flags: int) -> int:
    """Let the kernel check the whole path in one call."""
    while True:
        try:
            return _openat2(folder, path, flags)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR):  # EAGAIN: a rename raced with the resolution
                raise


def _open_walked(folder: int, path: bytes, flags: int) -> int:
    """Check the path one component at a time."""
    *parents, name = path.split(b"/")
    held = folder
    try:
        for parent in parents:
            held = _descend(_open_one, folder, held, parent)
        return _open_one(held, name, flags)
    finally:
        if held != folder:
            os.close(held)


def _open_one(folder: int, name: bytes, flags: int) -> int:
    return os.open(name, flags, dir_fd=folder)


def _openat2(folder: int, path: bytes, flags: int) -> int:
    how = _OpenHow(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    descriptor: int = _libc().syscall(_SYS_OPENAT2, folder, path, ctypes.byref(how), ctypes.sizeof(how))
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(_OpenHow),
        ctypes.c_size_t,
    )
    libc.syscall.restype = ctypes.c_long
    return libc


@functools.cache
def _has_openat2() -> bool:
    """Whether this kernel, and the sandbox around this process, allow openat2."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return False
    try:
        os.close(_openat2(_AT_FDCWD, b".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
