"""A second process that prepares files while much is indexed: threads take turns with the interpreter."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

import trio

from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index import preparing_child
from openclaw_memd.index.preparing import Draft, PreparedFile, Preparer

COMMAND: Final = (sys.executable, "-P", "-m", "openclaw_memd.index.preparing_child")
MUCH_BYTES: Final = 2 * 1024 * 1024
"""From so much text on a second process saves more than its start costs: some 200 ms of work."""

START_LIMIT_S: Final = 10.0
ANSWER_LIMIT_S: Final = 60.0  # a slice takes 50 ms, one with a file of the greatest size a second
_PIPE_BYTES: Final = 1024 * 1024
_READ_BYTES: Final = 1024 * 1024


class _GoneError(Exception):
    """The process ended, hung or said something else than an answer; it is of no use any more."""


_NO_ANSWER: Final = (_GoneError, ValueError, EOFError, TypeError)  # or none that can be understood


def is_worth_it(files: Iterable[ListedFile]) -> bool:
    """Whether ``files`` are so much work that a second process is a gain, and there is a processor for it."""
    return _count_processors() > 1 and _count_bytes(files) >= MUCH_BYTES


class PreparingProcess:
    """A process that prepares files as ``preparer`` does, as long as ``run`` runs; ``ready`` once it can.

    Whatever becomes of it costs time only: what it does not prepare, the caller has to.
    """

    def __init__(self, preparer: Preparer, command: Sequence[str] = COMMAND) -> None:
        self._preparer = preparer
        self._command = command
        self.ready = trio.Event()
        self._process: trio.Process | None = None
        self._sending = trio.Lock()
        self._receiving = trio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether it has something to do already."""
        return self._sending.locked() or self._receiving.locked()

    async def run(self) -> None:
        """Start the process and end it when this is cancelled; returns when it cannot be started."""
        try:
            process = await trio.lowlevel.open_process(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:  # a sandbox, or no memory
            return
        try:
            _widen(process)
            settings = preparing_child.pack_settings(self._preparer)
            answer = await self._ask(process, settings, START_LIMIT_S)
            if preparing_child.is_identity(self._preparer, answer):
                self._process = process
                self.ready.set()
                await trio.sleep_forever()
        except _NO_ANSWER:
            return
        finally:
            self._process = None
            await _end(process)

    async def prepare(self, drafts: Sequence[Draft]) -> tuple[PreparedFile, ...] | None:
        """What ``Preparer.prepare`` makes of ``drafts``; None when the process is not there, yet or any more.

        With two callers it always has work.
        """
        process = self._process
        if process is None:
            return None
        try:
            request = await trio.to_thread.run_sync(preparing_child.pack_drafts, drafts)
            answer = await self._ask(process, request, ANSWER_LIMIT_S)
            return await trio.to_thread.run_sync(preparing_child.unpack_answer, drafts, answer)
        except _NO_ANSWER:
            self._process = None
            process.kill()
            return None

    async def _ask(self, process: trio.Process, request: bytes, limit_s: float) -> bytes:
        """The answer to ``request``, which is sent while the one before is still at work."""
        assert process.stdin is not None
        try:
            async with self._sending:
                with trio.fail_after(limit_s):
                    await process.stdin.send_all(request)
                await self._receiving.acquire()
            try:
                with trio.fail_after(limit_s):
                    length = await _receive(process, preparing_child.LENGTH_BYTES)
                    return await _receive(process, int.from_bytes(length, "big"))
            finally:
                self._receiving.release()
        except (trio.TooSlowError, trio.BrokenResourceError, trio.ClosedResourceError):
            raise _GoneError from None


async def _receive(process: trio.Process, length: int) -> bytes:
    assert process.stdout is not None
    parts: list[bytes | bytearray] = []
    while length:
        part = await process.stdout.receive_some(min(length, _READ_BYTES))
        if not part:
            raise _GoneError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


async def _end(process: trio.Process) -> None:
    with trio.CancelScope(shield=True):
        process.kill()
        await process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            await pipe.aclose()


def _widen(process: trio.Process) -> None:
    """Let an answer pass in few pieces where the system can: for each the event loop has to have its turn."""
    for pipe in (process.stdin, process.stdout):
        assert isinstance(pipe, trio.lowlevel.FdStream)
        with suppress(OSError, AttributeError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _count_processors() -> int:
    """How many processors this process may use."""
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _count_bytes(files: Iterable[ListedFile]) -> int:
    return sum(file.stamp.size for file in files if file.stamp is not None)
