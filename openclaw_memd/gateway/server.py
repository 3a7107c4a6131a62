"""The server: one socket, two protocols, every connection bounded."""

import os
import socket
from collections.abc import Iterable
from functools import partial
from typing import Literal

import structlog
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway.accepting import accept
from openclaw_memd.gateway.calls import Caller, Calls
from openclaw_memd.gateway.faults import PARSE_ERROR, encode_fault, make_fault, too_many_connections
from openclaw_memd.gateway.http import HttpFace
from openclaw_memd.gateway.hyper import HttpServer, RequestStream
from openclaw_memd.gateway.idling import IdleConnections
from openclaw_memd.gateway.lines import LineConnection
from openclaw_memd.gateway.listener import Listener
from openclaw_memd.gateway.measures import measure
from openclaw_memd.gateway.methods import METHODS
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.peers import Peer, identify
from openclaw_memd.gateway.process_measures import measure_process
from openclaw_memd.gateway.refusals import Refusals
from openclaw_memd.gateway.rpc import Dispatcher
from openclaw_memd.gateway.services import Services
from openclaw_memd.gateway.stream import BoundedStream

log = structlog.get_logger("memd.gateway")

GRACE_S = 3.0
"""How long calls in flight may take once the daemon stops."""

LOOK_S = 2.0
"""How long ``/metrics`` waits for what ``status`` tells: a disk that hangs must not hide the rest."""

REFUSAL_S = 0.5
"""How long a connection over the limit has to show which protocol it speaks, and what it asks for."""


class Gateway:
    """Serves ``services`` on a listener."""

    def __init__(self, services: Services, limits: Limits) -> None:
        self._services = services
        self._limits = limits
        self._metrics = Metrics()
        self._calls = Calls(METHODS, services, limits, self._metrics)
        self._dispatcher = Dispatcher(self._calls, limits, self._metrics)
        self._face = HttpFace(self._dispatcher, limits, services.healthy, self._render_metrics)
        self._http = HttpServer(limits)
        self._open: set[trio.SocketStream] = set()
        self._idle = IdleConnections()
        self._refusing = 0
        self._refusals = Refusals()

    async def serve(
        self,
        listener: Listener,
        *,
        stopping: trio.Event,
        grace_s: float = GRACE_S,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until ``stopping``, then finish what is in flight for at most ``grace_s``.

        The listener's sockets are closed; its file and lock are left to its owner.
        """
        handle = partial(self._handle, stopping=stopping)
        async with trio.open_nursery() as nursery:
            await nursery.start(self._calls.run)
            await nursery.start(self._refusals.run)
            async with trio.open_nursery() as connections:
                try:
                    async with trio.open_nursery() as accepting:
                        note = partial(self._refusals.note, "descriptors")
                        accept_all = partial(accept, listener, handle, connections, on_exhausted=note)
                        await accepting.start(accept_all)
                        task_status.started()
                        await stopping.wait()
                        accepting.cancel_scope.cancel()
                    await self._http.stop()
                except trio.Cancelled:
                    self._close_all()
                    raise
                nursery.start_soon(self._close_all_after, grace_s)
            nursery.cancel_scope.cancel()

    async def _close_all_after(self, grace_s: float) -> None:
        try:
            await trio.sleep(grace_s)
        finally:
            self._close_all()

    def _close_all(self) -> None:
        """Closing the sockets also frees those who wait for a peer under a shield."""
        for stream in self._open:
            stream.socket.close()

    async def _handle(self, stream: trio.SocketStream, *, stopping: trio.Event) -> None:
        is_over_limit = len(self._open) - self._refusing >= self._limits.connections
        if is_over_limit and self._refusing >= self._limits.connections:
            self._refusals.note("connections", limit=self._limits.connections)
            await trio.aclose_forcefully(stream)
            return
        self._open.add(stream)
        self._refusing += is_over_limit
        try:
            peer = identify(stream.socket)
            if self._admit(peer):
                if is_over_limit and self._make_room():
                    is_over_limit = False
                    self._refusing -= 1
                await (self._refuse(stream, peer) if is_over_limit else self._serve(stream, peer, stopping))
        except* (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
            pass  # the peer went away
        except* Exception as errors:
            log.exception("connection failed", exc_info=errors)
        finally:
            self._refusing -= is_over_limit
            self._open.discard(stream)
            await trio.aclose_forcefully(stream)

    async def _serve(self, stream: trio.SocketStream, peer: Peer, stopping: trio.Event) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_when_set, stopping, nursery.cancel_scope)
            protocol = await _sniff(stream, self._limits.read_s)
            nursery.cancel_scope.cancel()
        if nursery.cancel_scope.cancelled_caught and stopping.is_set():
            return
        # Half of what may run, so that one connection alone never keeps the others out.
        places = trio.Semaphore(max(1, self._limits.in_flight // 2))
        match protocol:
            case "line":
                line_stream = BoundedStream(stream)
                connection = LineConnection(line_stream, self._dispatcher, peer, places, self._limits)
                most = places.value
                with self._idle.watched(line_stream, lambda: places.value < most or connection.is_kept):
                    await connection.serve(stopping)
            case "http":
                request_stream = RequestStream(stream, read_s=self._limits.read_s)
                with self._idle.watched(request_stream, lambda: request_stream.is_busy):
                    await self._serve_http(request_stream, Caller("http", peer, places))
            case "unknown":
                self._refusals.note("protocol")
                fault = make_fault(PARSE_ERROR, "parse", "neither a JSON text nor an HTTP request")
                await BoundedStream(stream).send_last(encode_fault(fault) + b"\n")
            case None:
                pass

    async def _serve_http(
        self, stream: RequestStream, caller: Caller, *, is_over_limit: bool = False
    ) -> None:
        async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            await self._face.serve(scope, receive, send, stream, caller, is_over_limit=is_over_limit)

        await self._http.serve(stream, app)
        if stream.was_refused:
            self._refusals.note("protocol")

    async def _refuse(self, stream: trio.SocketStream, peer: Peer) -> None:
        """Take no calls, but show how the daemon is: that it has many callers is no reason to restart it."""
        protocol = await _sniff(stream, REFUSAL_S)
        self._refusals.note("connections", limit=self._limits.connections)
        if protocol == "http":
            caller = Caller("http", peer, trio.Semaphore(0))
            await self._serve_http(RequestStream(stream, read_s=REFUSAL_S), caller, is_over_limit=True)
        else:
            await BoundedStream(stream).send_last(encode_fault(too_many_connections()) + b"\n")

    def _make_room(self) -> bool:
        """Close a connection that nobody uses, if there is one."""
        closed = self._idle.close_longest()
        if closed is None:
            return False
        self._open = {stream for stream in self._open if stream.socket is not closed}
        log.info("an idle connection was closed for another")
        return True

    def _admit(self, peer: Peer) -> bool:
        """Whether ``peer`` may talk to us; whoever is not our own user is logged."""
        if not peer.is_allowed:
            self._refusals.note("peer", uid=peer.uid, pid=peer.pid)
        elif peer.uid != os.geteuid():
            log.info("root connected", uid=peer.uid, pid=peer.pid)
        return peer.is_allowed

    async def _render_metrics(self) -> str:
        """The page, without what ``status`` tells when that cannot be looked at in time."""
        began = trio.current_time()
        samples = [*self._measure(), *measure_process(), *self._services.measure()]
        with trio.move_on_after(LOOK_S):
            samples += measure(await self._services.status(False))
            samples.append(Sample("memd_status_seconds", trio.current_time() - began))
        return self._metrics.render(samples)

    def _measure(self) -> Iterable[Sample]:
        yield Sample("memd_healthy", self._services.healthy())
        yield Sample("memd_connections", len(self._open))
        for kind, count in self._refusals.counts.items():
            yield Sample("memd_connections_refused_total", count, (kind,))
        for pace, admission in self._calls.admissions.items():
            yield Sample("memd_calls_running", admission.running, (pace,))
            yield Sample("memd_calls_waiting", admission.waiting, (pace,))


async def _sniff(stream: trio.SocketStream, read_s: float) -> Literal["line", "http", "unknown"] | None:
    """The protocol by its first byte, which stays unread; None when none comes in time."""
    first = b""
    with trio.move_on_after(read_s):
        first = await stream.socket.recv(1, socket.MSG_PEEK)
    if not first:
        return None
    if first in b"{[" or first.isspace():
        return "line"
    return "http" if first.isalpha() else "unknown"


async def _cancel_when_set(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
