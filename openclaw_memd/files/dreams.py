"""What dreaming shows to people: DREAMS.md and the reports below memory/dreaming. All of it blocks.

A file is replaced as curated ones are (``exchange``): what somebody else writes meanwhile is kept.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from secrets import token_hex
from typing import Final

from openclaw_memd.domain.dream_pages import PHASES, Phase
from openclaw_memd.domain.late_lines import find_late
from openclaw_memd.errors import ConflictError, DeniedError, TooLargeError, UnavailableError
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import FILE_MODE, is_let_go, new_name, read_aside, sweep
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.exchange import Displaced, RevertedError, create_content, replace_content
from openclaw_memd.files.folder import EntryKind, read_entries
from openclaw_memd.files.names import NOTES, REVIEW, WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

LEGACY: Final = "dreams.md"
REPORTS: Final = "dreaming"
MOST_BYTES: Final = 64 * 1024 * 1024
_TRIES: Final = 5
_TOKEN: Final = "d4ea3500"
_PREFIX: Final = new_name(_TOKEN).removesuffix(".new")
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Plan = Callable[[str], str]
"""Makes the new text from the present one, which is empty when there is no file. Odd bytes are surrogates."""


@dataclass(frozen=True, slots=True)
class _Aside:
    """A version that an editor may still have open."""

    name: str
    base: bytes


class DreamPages:
    """DREAMS.md and the reports of one workspace. One thread at a time."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._asides: list[_Aside] = []
        self._made_at_ns = time.time_ns()  # what lies beside a page before that is an earlier process's

    @property
    def has_asides(self) -> bool:
        """Whether ``settle`` has something to do."""
        return bool(self._asides)

    def read(self) -> str:
        """DREAMS.md; empty when there is none, or something else than a file has its place."""
        with suppress(DeniedError, TooLargeError), self._roots.anchored(WORKSPACE) as root:
            found = _read(root, _name(root))
            return "" if found is None else _decode(found)
        return ""

    def edit(self, plan: Plan) -> bool:
        """Rewrite DREAMS.md by ``plan``; whether that changed it.

        Raises:
            DeniedError: a link, a folder or the like has its place.
            TooLargeError: it has more than 64 MiB.
            ConflictError: somebody else writes to it all the time.
            UnavailableError: it cannot be read.
            OSError: the disk is full or cannot be written.
        """
        with self._roots.anchored(WORKSPACE) as root:
            for _ in range(_TRIES):
                name = _name(root)
                before = _read(root, name)
                after = plan("" if before is None else _decode(before)).encode("utf-8", "surrogateescape")
                if after == (before or b""):
                    return False
                with suppress(ConflictError):
                    self._put(root, name, before, after)
                    return True
        raise ConflictError("the file was changed meanwhile", reason="changed")

    def edit_report(self, phase: Phase, day: date, plan: Plan) -> None:
        """Rewrite a phase's report for ``day`` by ``plan``. Errors as in ``edit``."""
        name = f"{day.isoformat()}.md"
        with self._roots.anchored(WORKSPACE) as root, _made(root, (NOTES, REPORTS, phase)) as folder:
            before = _read(folder, name)
            after = plan("" if before is None else _decode(before)).encode("utf-8", "surrogateescape")
            if before is None:
                create_content(folder, name, after)
            elif before != after:
                try:
                    displaced = replace_content(folder, name, after, before)
                except RevertedError as error:
                    error.displaced.settle()
                    raise
                displaced.settle()

    def rewrite_reports(self, plan: Plan) -> int:
        """Rewrite every report by ``plan``; how many it changed. Errors as in ``edit``."""
        count = 0
        for phase in PHASES:
            for name in self._report_names(phase):
                with (
                    self._roots.anchored(WORKSPACE) as root,
                    _made(root, (NOTES, REPORTS, phase)) as folder,
                ):
                    before = _read(folder, name)
                    if before is None:
                        continue
                    after = plan(_decode(before)).encode("utf-8", "surrogateescape")
                    if after != before:
                        replace_content(folder, name, after, before).settle()
                        count += 1
        return count

    def _report_names(self, phase: Phase) -> list[str]:
        try:
            with self._roots.anchored(WORKSPACE) as root:
                folder = open_beneath(root, f"{NOTES}/{REPORTS}/{phase}", os.O_RDONLY | os.O_DIRECTORY)
                try:
                    entries = read_entries(folder)
                finally:
                    os.close(folder)
        except OSError:
            return []
        return [one.name for one in entries if one.kind is EntryKind.FILE and one.name.endswith(".md")]

    def settle(self) -> None:
        """Add to DREAMS.md what was still written to earlier versions; then they are gone.

        Raises:
            OSError: the disk is full or cannot be written.
        """
        with self._roots.anchored(WORKSPACE) as root:
            while self._asides:
                self._settle(root, self._asides[0])

    def let_go(self) -> None:
        """The same at once, for those that nobody has open any more. Errors as in ``settle``."""
        with self._roots.anchored(WORKSPACE) as root:
            for aside in list(self._asides):
                if is_let_go(root, aside.name):
                    self._settle(root, aside)

    def _settle(self, root: int, aside: _Aside) -> None:
        with suppress(FileNotFoundError):
            late = find_late(aside.base, read_aside(root, aside.name)).data
            if late.strip():
                _append(root, _name(root), late)
            os.unlink(aside.name, dir_fd=root)
        self._asides.remove(aside)

    def clean(self) -> None:
        """Take away versions of DREAMS.md and of reports that a process left when it was killed.

        Raises:
            OSError: the workspace cannot be reached.
        """
        with self._roots.anchored(WORKSPACE) as root:
            others = [name for name in os.listdir(root) if not name.startswith(_PREFIX)]  # noqa: PTH208
            sweep(root, before_ns=self._made_at_ns, kept=others)
            for phase in PHASES:
                with suppress(OSError):
                    folder = open_beneath(root, f"{NOTES}/{REPORTS}/{phase}", os.O_RDONLY | os.O_DIRECTORY)
                    try:
                        sweep(folder, before_ns=self._made_at_ns)
                    finally:
                        os.close(folder)

    def _put(self, root: int, name: str, before: bytes | None, after: bytes) -> None:
        token = f"{_TOKEN}{token_hex(4)}"
        if before is None:
            create_content(root, name, after, token=token)
            return
        try:
            self._keep(replace_content(root, name, after, before, token=token))
        except RevertedError as error:
            self._keep(error.displaced)
            raise

    def _keep(self, displaced: Displaced) -> None:
        self._asides.append(_Aside(displaced.aside, displaced.base))


def _name(root: int) -> str:
    """The name that the file has; an old lower-case one is kept."""
    names = set(os.listdir(root))
    return LEGACY if LEGACY in names and REVIEW not in names else REVIEW


def _read(folder: int, name: str) -> bytes | None:
    match read_bytes(folder, name, MOST_BYTES):
        case SkipReason.VANISHED:
            return None
        case SkipReason.SYMLINK | SkipReason.NOT_REGULAR as reason:
            raise DeniedError("something else than a file has its place", reason=reason.value)
        case SkipReason.TOO_LARGE:
            raise TooLargeError("the file is too large", reason="file_bytes")
        case SkipReason.CHANGING:
            raise ConflictError("the file was changed meanwhile", reason="changed")
        case SkipReason() as reason:
            raise UnavailableError("the file cannot be read", reason=reason.value)
        case (data, _):
            return data


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _append(root: int, name: str, data: bytes) -> None:
    descriptor = os.open(name, _APPEND_FLAGS | os.O_CREAT, FILE_MODE, dir_fd=root)
    try:
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _made(root: int, names: tuple[str, ...]) -> Iterator[int]:
    """A descriptor of a folder below ``root``, made where it is missing; links are refused."""
    held = os.dup(root)
    try:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=held)
            deeper = _open_folder(held, name)
            os.close(held)
            held = deeper
        yield held
    finally:
        os.close(held)


def _open_folder(parent: int, name: str) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise DeniedError("something else than a folder has its place", reason="symlink") from None
        raise
