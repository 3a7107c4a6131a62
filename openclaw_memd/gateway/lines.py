"""The line protocol: one JSON text a line, both ways."""

import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.errors import DeadlineError
from openclaw_memd.gateway.calls import Caller
from openclaw_memd.gateway.delivery import Delivery
from openclaw_memd.gateway.duplex import Duplex
from openclaw_memd.gateway.faults import Fault, encode_fault, make_fault, queue_full
from openclaw_memd.gateway.frames import FrameReader, FrameTooLongError
from openclaw_memd.gateway.peers import Peer
from openclaw_memd.gateway.rpc import Dispatcher, too_large
from openclaw_memd.gateway.stream import BoundedStream, take


class LineConnection:
    """One connection. Calls run at once, as many as it has ``places``, and are answered as they finish.

    After the end of the peer's sending, or once the daemon stops, what still runs is answered; when the peer
    is gone it is cancelled.
    """

    def __init__(
        self,
        stream: BoundedStream,
        dispatcher: Dispatcher,
        peer: Peer,
        places: trio.Semaphore,
        limits: Limits,
    ) -> None:
        self._stream = stream
        self._dispatcher = dispatcher
        self._limits = limits
        self._frames = FrameReader(stream, max_bytes=limits.body_bytes, read_s=limits.read_s)
        self._sending = trio.Lock()
        self._duplex = Duplex(peer, self.send, wait_room=stream.wait_room, depth=limits.depth)
        self._caller = Caller("line", peer, places, self._duplex)
        self._waiting = 0

    @property
    def is_kept(self) -> bool:
        """Whether it has a use while it is silent: the daemon may send something."""
        return self._duplex.is_kept

    async def send(self, message: bytes) -> None:
        """Send one JSON text. Once begun it is sent whole, or the connection breaks: half a line spoils all.

        Raises:
            trio.BrokenResourceError: the peer is gone or does not read.
            trio.ClosedResourceError: the connection was closed by us.
        """
        await take(self._sending)
        try:
            with trio.CancelScope(shield=True):
                await self._stream.send_all(message + b"\n")
        finally:
            self._sending.release()

    async def serve(self, stopping: trio.Event) -> None:
        """Answer until the peer has no more, until it is gone, or until ``stopping``."""
        async with trio.open_nursery() as nursery:
            self._duplex.open(nursery)
            try:
                async with trio.open_nursery() as calls:
                    reading = trio.CancelScope()
                    nursery.start_soon(_cancel_when_set, stopping, reading)
                    with reading:
                        await self._read(calls)
                    self._duplex.close()  # calls that wait for an answer of the peer end now
                    nursery.start_soon(self._cancel_when_vanished, calls.cancel_scope)
            finally:
                self._duplex.close()
            nursery.cancel_scope.cancel()

    async def _read(self, calls: trio.Nursery) -> None:
        try:
            while (frame := await self._next_frame()) is not None:
                if not self._duplex.take(frame):
                    await self._admit(frame, calls)
        except FrameTooLongError:
            await self._refuse(too_large("a line is too long", "body_bytes"))
        except trio.TooSlowError:
            await self._refuse(make_fault(DeadlineError.code, DeadlineError.kind, "a line took too long"))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            calls.cancel_scope.cancel()

    async def _next_frame(self) -> bytes | None:
        """The next line. Where answers come in, one that is too long costs only itself.

        Raises:
            FrameTooLongError: a line is too long, and nothing that was asked is lost with the connection.
        """
        while True:
            try:
                return await self._frames.next()
            except FrameTooLongError as error:
                if not self.is_kept:
                    raise
                tail = await self._frames.skip()
                self._duplex.give_up(error.head + b"\n" + tail, "too_large")
                await self.send(encode_fault(too_large("a line is too long", "body_bytes")))

    async def _admit(self, frame: bytes, calls: trio.Nursery) -> None:
        """Start a call, once there is a place for it.

        Where answers come in, they are not to wait behind calls that have no place: the calls that run may
        wait for these very answers. So calls wait beside, as many as may wait at all.
        """
        if self._caller.places.value or not self.is_kept:
            await take(self._caller.places)
            calls.start_soon(self._answer, frame, calls.cancel_scope)
        elif self._waiting < self._limits.queue:
            self._waiting += 1
            calls.start_soon(self._answer_later, frame, calls.cancel_scope)
        else:
            refusal = self._dispatcher.refuse(frame, queue_full())
            if refusal:
                await self.send(refusal)

    async def _answer_later(self, frame: bytes, calls: trio.CancelScope) -> None:
        try:
            await self._caller.places.acquire()
        finally:
            self._waiting -= 1
        await self._answer(frame, calls)

    async def _answer(self, frame: bytes, calls: trio.CancelScope) -> None:
        delivery = Delivery()
        is_sent = False
        try:
            answer = await self._dispatcher.answer(frame, self._caller, delivery)
            if answer:
                await self.send(answer)
                is_sent = True
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            calls.cancel()
        finally:
            delivery.end(sent=is_sent)
            self._caller.places.release()

    async def _refuse(self, fault: Fault) -> None:
        async with self._sending:
            await self._stream.send_last(encode_fault(fault) + b"\n")

    async def _cancel_when_vanished(self, calls: trio.CancelScope) -> None:
        await self._stream.wait_vanished()
        calls.cancel()


async def _cancel_when_set(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
