"""One HTTP request as hypercorn hands it over: its body in, its answer out."""

from dataclasses import dataclass

import trio
from hypercorn.typing import (
    ASGIReceiveCallable,
    ASGISendCallable,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
)

from openclaw_memd.gateway.hyper import RequestStream

JSON = b"application/json"
TEXT = b"text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and, unless ``kind`` (the content type) is None, a page."""

    status: int
    page: bytes = b""
    kind: bytes | None = None
    retry_after_s: int | None = None


class RefusedError(Exception):
    """A request that is refused before its body counts."""

    def __init__(self, status: int, text: str, answer: Answer | None = None) -> None:
        super().__init__(text)
        self.answer = answer or Answer(status, f"{text}\n".encode(), TEXT)


@dataclass(frozen=True, slots=True)
class Request:
    """One request on ``stream``."""

    receive: ASGIReceiveCallable
    send: ASGISendCallable
    stream: RequestStream

    async def read_body(self, max_bytes: int, read_s: float) -> bytes | None:
        """The body; None as soon as it is longer than ``max_bytes``.

        Raises:
            RefusedError: it did not come within ``read_s``, or not to its end.
        """
        body = bytearray()
        with trio.move_on_after(read_s):
            while True:
                event = await self.receive()
                if event["type"] != "http.request":
                    raise RefusedError(400, "the body is incomplete")
                body += event["body"]
                if len(body) > max_bytes:
                    return None
                if not event["more_body"]:
                    return bytes(body)
        raise RefusedError(408, "the body took too long")

    async def wait_vanished(self) -> None:
        """Wait until the peer is gone; one that only ended its sending still waits for its answer."""
        await self._discard()
        await self.stream.wait_vanished()

    async def respond(self, answer: Answer, *, close: bool = False) -> None:
        """Send the answer, and with ``close`` no other one on this connection."""
        self.stream.begin_answer()
        headers = []
        if answer.kind is not None:
            headers = [(b"content-type", answer.kind), (b"content-length", b"%d" % len(answer.page))]
        if answer.retry_after_s is not None:
            headers.append((b"retry-after", b"%d" % answer.retry_after_s))
        if close:
            headers.append((b"connection", b"close"))
        await self.send(
            HTTPResponseStartEvent(type="http.response.start", status=answer.status, headers=headers)
        )
        await self.send(HTTPResponseBodyEvent(type="http.response.body", body=answer.page, more_body=False))

    async def refuse(self, answer: Answer) -> None:
        """Answer and close, and throw the body away meanwhile.

        hypercorn queues a few pieces of a body. It could not finish an answer while that queue is full.
        """
        self.stream.linger()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._discard)
            await self.respond(answer, close=True)
            nursery.cancel_scope.cancel()

    async def _discard(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
