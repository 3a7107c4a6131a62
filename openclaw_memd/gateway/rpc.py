"""JSON-RPC 2.0: bytes in, calls, bytes out. Both protocols of the socket end here.

The library's own asynchronous entry point needs asyncio, so its pieces are put together here under trio.
"""

from typing import Any

import msgspec
import trio
from jsonrpcserver import Error
from jsonrpcserver.async_dispatcher import call
from jsonrpcserver.dispatcher import create_request, not_notification, to_response
from jsonrpcserver.request import Request
from jsonrpcserver.response import to_serializable_one

from openclaw_memd.config.schema import Limits
from openclaw_memd.errors import InvalidParamsError, TooLargeError
from openclaw_memd.gateway.calls import Caller, Calls, Exchange
from openclaw_memd.gateway.delivery import Delivery
from openclaw_memd.gateway.faults import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    encode_fault,
    make_fault,
)
from openclaw_memd.gateway.jsonguard import JsonError, parse
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.params import nearest

BATCH_PARALLEL = 8
"""Calls of one batch that run at once."""

_encode = msgspec.json.Encoder().encode


class Dispatcher:
    """Answers JSON-RPC messages."""

    def __init__(self, calls: Calls, limits: Limits, metrics: Metrics) -> None:
        self._calls = calls
        self._metrics = metrics
        self._limits = limits

    async def answer(self, raw: bytes, caller: Caller, delivery: Delivery | None = None) -> bytes:
        """The answer to one message, a call or a batch: nothing to notifications, to all else something.

        ``delivery`` gets what is to be done once it is known whether the answer was sent.
        """
        exchange = Exchange(caller, trio.current_time(), delivery or Delivery())
        try:
            message = parse(raw, depth=self._limits.depth)
        except JsonError as error:
            return self._refuse(_json_fault(error))
        if not isinstance(message, list):
            answer = await self._answer_one(message, exchange)
            return b"" if answer is None else _encode(answer)
        if not message:
            return self._refuse(_invalid_request("an empty batch"))
        if len(message) > self._limits.batch:
            return self._refuse(too_large(f"a batch has at most {self._limits.batch} calls", "batch"))
        answers = await self._answer_batch(message, exchange)
        return _encode(answers) if answers else b""

    def refuse(self, raw: bytes, fault: Fault) -> bytes:
        """The answer to a message that is not looked into: ``fault`` for each call in it."""
        try:
            message = parse(raw, depth=self._limits.depth)
        except JsonError as error:
            return encode_fault(_json_fault(error))
        calls = message[: self._limits.batch] if isinstance(message, list) else [message]
        answers = [
            {"jsonrpc": "2.0", "id": call["id"], "error": fault}
            for call in calls
            if isinstance(call, dict) and _is_request(call) and "id" in call
        ]
        return _encode(answers if isinstance(message, list) else answers[0]) if answers else b""

    async def _answer_batch(self, batch: list[Any], exchange: Exchange) -> list[Any]:
        """The answers to a batch: a call at a time, and more with places that its connection has to spare."""
        answers: list[Any] = [None] * len(batch)
        rest = iter(enumerate(batch))

        async def work() -> None:
            for index, element in rest:
                answers[index] = await self._answer_one(element, exchange)

        async def help_out() -> None:
            try:
                await work()
            finally:
                places.release()

        places = exchange.caller.places
        async with trio.open_nursery() as nursery:
            for _ in range(min(BATCH_PARALLEL, len(batch)) - 1):
                if not places.value:
                    break
                places.acquire_nowait()
                nursery.start_soon(help_out)
            await work()
        return [answer for answer in answers if answer is not None]

    async def _answer_one(self, element: object, exchange: Exchange) -> Any:
        if not _is_request(element):
            return msgspec.Raw(self._refuse(_invalid_request("not a JSON-RPC 2.0 request")))
        request = create_request(element)
        result = await self._call(request, exchange)
        if not not_notification((request, result)):
            return None
        return to_serializable_one(to_response(request, result))

    async def _call(self, request: Request, exchange: Exchange) -> Any:
        functions = self._calls.functions
        if request.method not in functions:
            hint = nearest(request.method, functions)
            return self._failed(make_fault(METHOD_NOT_FOUND, "method_not_found", f"no such method{hint}"))
        if isinstance(request.params, list) and request.params:
            return self._failed(
                make_fault(
                    InvalidParamsError.code,
                    InvalidParamsError.kind,
                    "params are taken by name only",
                    reason="positional",
                )
            )
        # The structs check params, so the library's own look at a function's signature is left out.
        return await call(request, exchange, functions[request.method])

    def _refuse(self, fault: Fault) -> bytes:
        """A message, or a part of a batch, that is no call of a method."""
        self._metrics.count("memd_requests_refused_total", fault.data["kind"])
        return encode_fault(fault)

    def _failed(self, fault: Fault) -> Any:
        self._metrics.count("memd_requests_refused_total", fault.data["kind"])
        return Error(fault.code, fault.message, fault.data)


def too_large(message: str, reason: str) -> Fault:
    """A message that is over the limit ``reason``."""
    return make_fault(TooLargeError.code, TooLargeError.kind, message, reason=reason)


def _is_request(element: object) -> bool:
    """Whether an element is a request by the specification. Members that it does not name are ignored."""
    return (
        isinstance(element, dict)
        and element.get("jsonrpc") == "2.0"
        and isinstance(element.get("method"), str)
        and isinstance(element.get("params", {}), dict | list)
        and isinstance(element.get("id"), str | int | float | None)
        and not isinstance(element.get("id"), bool)
    )


def _invalid_request(message: str) -> Fault:
    return make_fault(INVALID_REQUEST, "invalid_request", message)


def _json_fault(error: JsonError) -> Fault:
    if error.reason == "depth":
        return too_large("JSON is nested too deep", "depth")
    return make_fault(PARSE_ERROR, "parse", "not JSON as memd takes it", reason=error.reason)
