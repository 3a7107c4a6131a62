"""The folders that memories lie in, each held open so that everything below is reached through it."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from openclaw_memd.files.names import EXTRA, WORKSPACE

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ExtraRoot:
    """A folder outside the workspace's own places that is indexed as ``extra/<name>/...``.

    ``path`` may be relative to the workspace and may begin with ``~``; ``pattern``, in gitignore syntax,
    chooses files below it. When ``path`` is a file, it alone is indexed.
    """

    name: str
    path: Path
    pattern: str = "**/*.md"

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name or self.name in (".", "..") or not self.name.isprintable():
            raise ValueError("the name of an extra path is one printable word without '/'")

    @property
    def key(self) -> str:
        """The root's key and the prefix of its virtual paths, without the final '/'."""
        return f"{EXTRA}{self.name}"


class Roots:
    """The workspace and the extra roots as open folders.

    A root given by a symbolic link is resolved once, when it is first seen; from then on its real path
    counts. `refresh` opens a root again that was removed and made anew. Safe for use from several threads.
    """

    def __init__(self, workspace: Path, extra: Sequence[ExtraRoot] = ()) -> None:
        self.extra = tuple(extra)
        self._workspace = Path(os.path.realpath(workspace))
        self._lock = threading.Lock()
        self._anchors = {WORKSPACE: _Anchor(self._workspace)}
        for root in self.extra:
            if root.key in self._anchors:
                raise ValueError(f"two extra paths are named {root.name!r}")
            self._anchors[root.key] = _Anchor(self._workspace / root.path.expanduser())
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all folders."""
        with self._lock:
            for anchor in self._anchors.values():
                anchor.release()

    def refresh(self) -> frozenset[str]:
        """Open every root by its path again; the keys of those that are another folder now, or none."""
        with self._lock:
            return frozenset(key for key, anchor in self._anchors.items() if anchor.refresh())

    @property
    def keys(self) -> tuple[str, ...]:
        """All root keys, the workspace first."""
        return tuple(self._anchors)

    def place(self, key: str) -> Path:
        """The real path of a root (of the folder, if it is there)."""
        return self._anchors[key].path

    def sole_file(self, key: str) -> str | None:
        """The name of the one file in the root's folder that counts, if the root is a file."""
        return self._anchors[key].sole_file

    @contextmanager
    def anchored(self, key: str) -> Iterator[int]:
        """A descriptor of the root's folder, valid inside the ``with`` block.

        Raises:
            OSError: the root was not there, or not readable, at the last `refresh`.
            KeyError: there is no such root.
        """
        with self._lock:
            descriptor = os.dup(self._anchors[key].descriptor())
        try:
            yield descriptor
        finally:
            os.close(descriptor)


class _Anchor:
    """One root: its path, and its descriptor or the reason why there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sole_file: str | None = None
        self._resolved = False
        self._descriptor: int | None = None
        self._identity: tuple[int, int] | None = None
        self._error = OSError("not opened yet")

    def descriptor(self) -> int:
        if self._descriptor is None:
            raise self._error
        return self._descriptor

    def refresh(self) -> bool:
        """Whether the path leads to another folder than before."""
        before = self._identity
        try:
            if not self._resolved:
                self._resolve()
            descriptor = os.open(self.path, _FLAGS)
        except OSError as error:
            self.release()
            self._error = error
            return before is not None
        status = os.fstat(descriptor)
        identity = (status.st_dev, status.st_ino)
        if identity == before:
            os.close(descriptor)
            return False
        self.release()
        self._descriptor, self._identity = descriptor, identity
        return True

    def _resolve(self) -> None:
        real = self.path.resolve(strict=True)
        if real.is_file():
            self.path, self.sole_file = real.parent, real.name
        else:
            self.path = real
        self._resolved = True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = self._identity = None
