"""The daemon's end of a model's process: starting it, asking it, and getting rid of it."""

import select
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

import trio

from openclaw_memd.models import wire

_READ_BYTES = 262_144
_SEND_S = 1.0
_STOP_S = 1.0
_IDLE_GRACE_S = 30.0
"""A process that should have ended for want of work so long ago does not run."""


class ProcessGoneError(Exception):
    """The process ended, or had to be ended. ``unused``: it ended by itself since nobody asked anything."""

    def __init__(self, reason: str, *, unused: bool = False) -> None:
        super().__init__(reason)
        self.unused = unused


class NotLoadedError(Exception):
    """The process runs but cannot load the model."""

    def __init__(self, problem: wire.LoadProblem) -> None:
        super().__init__(problem)
        self.problem = problem


R = TypeVar("R", wire.Ready, wire.ChatReady)


class ModelProcess(Generic[R]):
    """A running process. One caller at a time; a cancelled caller leaves it usable for the next.

    ``ready_type`` is what it says once its model is loaded; ``load_limit_s`` is how long loading may take
    before the process counts as hung; ``idle_s`` is when it ends by itself.
    """

    def __init__(
        self, process: trio.Process, ready_type: type[R], *, load_limit_s: float, idle_s: float
    ) -> None:
        self._process = process
        self._ready_type: type[R] = ready_type
        self._idle_s = idle_s
        self._buffer = wire.FrameBuffer()
        self._replies: deque[wire.Reply] = deque()
        self._sent_id = 0
        self._answered_id = 0
        self._answer_due_at = trio.current_time() + load_limit_s
        self.started_at = trio.current_time()
        self.hung = False
        self.ready: R | None = None

    @classmethod
    async def start(
        cls,
        load: wire.Load | wire.LoadChat,
        ready_type: type[R],
        *,
        command: Sequence[str],
        load_limit_s: float,
    ) -> "ModelProcess[R]":
        """Start ``command`` and tell it what to load, without waiting for it.

        Raises:
            OSError: it cannot be started.
            ProcessGoneError: it ended at once.
        """
        process = await trio.lowlevel.open_process(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self = cls(process, ready_type, load_limit_s=load_limit_s, idle_s=load.idle_s)
        try:
            with trio.CancelScope(shield=True):  # nobody else knows the process yet
                await self._send(load)
        except ProcessGoneError:
            await self.aclose()
            raise
        return self

    async def wait_ready(self) -> R:
        """Wait until the model is loaded.

        Raises:
            NotLoadedError: it cannot be loaded.
            ProcessGoneError: the process died, or hung and was killed.
        """
        if self.ready is None:
            reply = await self._receive()
            if isinstance(reply, wire.NotLoaded):
                self.kill()
                raise NotLoadedError(reply.problem)
            if not isinstance(reply, self._ready_type):
                self.kill()
                raise ProcessGoneError("it answered before it was asked")
            self.ready = reply
            self._answer_due_at = trio.current_time()
        return self.ready

    async def ask(self, number: Callable[[int], wire.Request], *, limit_s: float) -> wire.Answer:
        """The answer to the request that ``number`` makes of an id; the model must be loaded.

        ``limit_s`` is how long the answer may take before the process counts as hung.

        Raises:
            ProcessGoneError: the process died, or hung and was killed.
        """
        await self.drain()
        self._sent_id += 1
        self._answer_due_at = trio.current_time() + limit_s
        await self._send(number(self._sent_id))
        return await self._answer()

    async def give_up(self) -> None:
        """Tell the process that nobody waits for the last answer; it comes soon then, to be drained."""
        if self._answered_id < self._sent_id and self.running:
            with suppress(ProcessGoneError):
                await self._send(wire.GiveUp(self._sent_id))

    async def drain(self) -> None:
        """Read and forget answers that cancelled callers left behind; errors as in ``ask``."""
        while self._answered_id < self._sent_id:
            await self._answer()

    async def _answer(self) -> wire.Answer:
        reply = await self._receive()
        if isinstance(reply, wire.Ready | wire.ChatReady | wire.NotLoaded):
            self.kill()
            raise ProcessGoneError("it loaded twice")
        self._answered_id = reply.id
        self._answer_due_at = trio.current_time()
        return reply

    async def _send(self, request: wire.Request) -> None:
        """Write ``request`` whole: a part of one would spoil everything after it.

        There is never more than one request in the pipe, so this waits only for a process that is stuck.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        stdin = self._process.stdin
        assert stdin is not None
        try:
            with trio.CancelScope(shield=True), trio.fail_after(_SEND_S):
                await stdin.send_all(wire.encode_frame(request))
        except trio.TooSlowError:
            self._kill_hung()
            raise ProcessGoneError("it hung") from None
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise await self._gone() from None

    async def _receive(self) -> wire.Reply:
        stdout = self._process.stdout
        assert stdout is not None
        due_at = self._answer_due_at
        if not self._is_silent:  # an answer that came in time and waited for somebody to fetch it
            due_at = max(due_at, trio.current_time() + _SEND_S)
        try:
            with trio.fail_at(due_at):
                while not self._replies:
                    data = await stdout.receive_some(_READ_BYTES)
                    if not data:
                        raise await self._gone()
                    self._buffer.feed(data)
                    self._replies.extend(self._buffer.replies())
        except trio.TooSlowError:
            self._kill_hung()
            raise ProcessGoneError("it hung") from None
        except wire.FrameError:
            self.kill()
            raise ProcessGoneError("it sent garbage") from None
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise await self._gone() from None
        return self._replies.popleft()

    async def _gone(self) -> ProcessGoneError:
        with trio.move_on_after(_STOP_S):
            await self._process.wait()
        code = self._process.poll()
        self.kill()
        if self.hung:
            return ProcessGoneError("it hung")
        if code is None:
            return ProcessGoneError("it closed its pipe")
        if code < 0:
            return ProcessGoneError(f"it died of signal {-code}")
        # A process that was never ready did not end for want of work.
        return ProcessGoneError(f"it ended with code {code}", unused=code == 0 and self.ready is not None)

    @property
    def running(self) -> bool:
        """Whether the process lives; an ended one is reaped."""
        return not self.hung and self._process.poll() is None

    @property
    def ended_unused(self) -> bool:
        """Whether it ended by itself since nobody asked anything."""
        return self._process.poll() == 0

    @property
    def loading(self) -> bool:
        """Whether nothing has come back yet."""
        return self.ready is None and self._is_silent

    @property
    def _is_silent(self) -> bool:
        """Whether there is no reply that nobody has read yet."""
        if self._replies:
            return False
        stdout = self._process.stdout
        assert isinstance(stdout, trio.lowlevel.FdStream)
        poll = select.poll()
        poll.register(stdout.fileno(), select.POLLIN)
        return not poll.poll(0)

    def end_if_hung(self) -> None:
        """Kill the process if it should have answered, or ended for want of work, before now.

        Callers that wait find out by themselves; this is for when the last one has left.
        """
        due_at = self._answer_due_at
        if self.ready is not None and self._answered_id == self._sent_id:
            due_at += self._idle_s + _IDLE_GRACE_S
        if self.running and trio.current_time() > due_at and self._is_silent:
            self._kill_hung()

    def _kill_hung(self) -> None:
        self.hung = True
        self.kill()

    def kill(self) -> None:
        """End the process now; safe to call again."""
        if self._process.poll() is None:
            self._process.kill()

    async def aclose(self) -> None:
        """End the process, gently for a second, and wait for it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with trio.CancelScope(shield=True):
            await stdin.aclose()  # the process ends when its input does
            with trio.move_on_after(_STOP_S):
                await self._process.wait()
            self.kill()
            await self._process.wait()
            await stdout.aclose()
