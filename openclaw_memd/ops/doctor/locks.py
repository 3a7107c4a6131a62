"""Who holds memd's locks. They are the kernel's: one whose holder ended is free, whatever its file says."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.ops.doctor.findings import Finding

_PID_CHARS: Final = 20


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: ``pid`` is what its file says, None when that is nothing."""

    pid: int | None


def find_holder(path: Path) -> Holder | None:
    """Who holds the lock file at ``path``; None when nobody does. It is not changed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        written = os.read(descriptor, _PID_CHARS).strip()
        return Holder(int(written) if written.isdigit() else None)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None


def judge_own_locks(paths: Iterable[Path]) -> Iterator[Finding]:
    """Locks that this process took and that nobody holds under their names any more."""
    for path in paths:
        if path.parent.is_dir() and find_holder(path) is None:
            told = f"{path} was removed or replaced while memd ran, so another daemon could start."
            yield Finding.of("lock-lost", told, subject=path.parent.name)
