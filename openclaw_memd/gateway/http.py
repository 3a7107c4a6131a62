"""The HTTP face of the socket: ``POST /rpc``, ``GET /health``, ``GET /metrics`` and nothing else."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal

import msgspec
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope, WebsocketCloseEvent

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway import metrics
from openclaw_memd.gateway.asgi import JSON, Answer, RefusedError, Request
from openclaw_memd.gateway.calls import Caller
from openclaw_memd.gateway.delivery import Delivery
from openclaw_memd.gateway.faults import encode_fault, too_many_connections
from openclaw_memd.gateway.hyper import RequestStream
from openclaw_memd.gateway.rpc import Dispatcher, too_large

HOSTS = frozenset(["localhost", "memd"])

Route = Literal["rpc", "health", "metrics"]


class HttpFace:
    """Answers requests. ``healthy`` and ``render_metrics`` make the two pages beside ``/rpc``."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        limits: Limits,
        healthy: Callable[[], bool],
        render_metrics: Callable[[], Awaitable[str]],
    ) -> None:
        self._dispatcher = dispatcher
        self._limits = limits
        self._healthy = healthy
        self._render_metrics = render_metrics

    async def serve(
        self,
        scope: Scope,
        receive: ASGIReceiveCallable,
        send: ASGISendCallable,
        stream: RequestStream,
        caller: Caller,
        *,
        is_over_limit: bool = False,
    ) -> None:
        """One request on ``stream``, as an ASGI application.

        A connection that is over the limit gets one page and the end; calls are refused on it.
        """
        stream.begin_request()
        try:
            if scope["type"] == "http":
                await self._answer(scope, Request(receive, send, stream), caller, is_over_limit)
            else:
                await send(WebsocketCloseEvent(type="websocket.close", code=1000, reason=None))
        finally:
            stream.end_request()

    async def _answer(self, scope: HTTPScope, request: Request, caller: Caller, is_over_limit: bool) -> None:
        try:
            match self._route(scope):
                case "rpc":
                    if is_over_limit:
                        raise _too_many_connections()
                    await self._call(request, caller)
                case "health":
                    await request.respond(self._show_health(), close=is_over_limit)
                case "metrics":
                    page = (await self._render_metrics()).encode()
                    await request.respond(Answer(200, page, metrics.CONTENT_TYPE), close=is_over_limit)
        except RefusedError as refusal:
            await request.refuse(refusal.answer)

    def _route(self, scope: HTTPScope) -> Route:
        if scope["http_version"] not in {"1.0", "1.1"}:
            raise RefusedError(505, "HTTP/1.1 only")
        headers = _Headers(scope["headers"])
        if len(scope["raw_path"]) + len(scope["query_string"]) + headers.size > self._limits.header_bytes:
            raise RefusedError(431, "the header is too large")
        if headers.has(b"origin") or headers.has(b"referer"):
            raise RefusedError(403, "not for browsers")
        if headers.get(b"host").partition(":")[0].lower() not in HOSTS:
            raise RefusedError(403, "the host is localhost")
        match scope["method"], scope["path"]:
            case "POST", "/rpc":
                if headers.get(b"content-type").partition(";")[0].strip().lower() != "application/json":
                    raise RefusedError(415, "the content type is application/json")
                if int(headers.get(b"content-length") or 0) > self._limits.body_bytes:
                    raise _body_too_large()
                return "rpc"
            case "GET" | "HEAD", "/health":  # hypercorn leaves out the page of an answer to HEAD
                return "health"
            case "GET" | "HEAD", "/metrics":
                return "metrics"
            case _:
                raise RefusedError(404, "there are POST /rpc, GET /health and GET /metrics")

    def _show_health(self) -> Answer:
        healthy = self._healthy()
        page = msgspec.json.encode({"status": "ok" if healthy else "unavailable"})
        return Answer(200 if healthy else 503, page, JSON)

    async def _call(self, request: Request, caller: Caller) -> None:
        body = await request.read_body(self._limits.body_bytes, self._limits.read_s)
        if body is None:
            raise _body_too_large()
        delivery = Delivery()
        is_sent = False
        try:
            answer: bytes | None = None
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_cancel_when_vanished, request, nursery.cancel_scope)
                answer = await self._dispatcher.answer(body, caller, delivery)
                nursery.cancel_scope.cancel()
            if answer:
                await request.respond(Answer(200, answer, JSON))
                is_sent = True
            elif answer is not None:
                await request.respond(Answer(204))
        finally:
            delivery.end(sent=is_sent)


class _Headers:
    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = list(raw)
        self._values = dict(pairs)
        self.size = sum(len(name) + len(value) + 4 for name, value in pairs)  # ": " and a line end each

    def has(self, name: bytes) -> bool:
        return name in self._values

    def get(self, name: bytes) -> str:
        return self._values.get(name, b"").decode("latin-1")


def _too_many_connections() -> RefusedError:
    page = encode_fault(too_many_connections())
    return RefusedError(503, "too many connections", Answer(503, page, JSON, retry_after_s=1))


def _body_too_large() -> RefusedError:
    page = encode_fault(too_large("the body is too large", "body_bytes"))
    return RefusedError(413, "the body is too large", Answer(413, page, JSON))


async def _cancel_when_vanished(request: Request, scope: trio.CancelScope) -> None:
    await request.wait_vanished()
    scope.cancel()
