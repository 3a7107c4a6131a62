"""Posting JSON to a provider: bounded answers, no redirects, and no proxy for this machine's own servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio

if TYPE_CHECKING:
    import httpx

_CONNECT_S = 5.0


class TransportError(Exception):
    """There was no whole answer; the message says why in a few words."""


class LateAnswerError(TransportError):
    """It did not come in time."""


class LongAnswerError(TransportError):
    """It was longer than it may be."""


def is_loopback(host: str | None) -> bool:
    """Whether ``host`` is this machine: such a server is not reached through a proxy."""
    if host is None:
        return False
    if host.rstrip(".") == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class JsonPoster:
    """Posts to one URL over kept connections. The client is made with the first call."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: httpx.AsyncClient | None = None
        self._starting = trio.Lock()

    async def post(
        self, body: bytes, headers: Mapping[str, str], *, timeout_s: float, max_bytes: int
    ) -> Answer:
        """The answer to ``body``.

        Raises:
            TransportError: no connection, a timeout, a broken or an oversized answer.
        """
        import httpx

        client = await self._opened()
        sent = {"content-type": "application/json", "accept": "application/json", **headers}
        try:
            with trio.fail_after(timeout_s):
                async with client.stream("POST", self._url, content=body, headers=sent) as answer:
                    received = await _read(answer, max_bytes)
                    return Answer(answer.status_code, dict(answer.headers), received)
        except (trio.TooSlowError, httpx.TimeoutException):
            raise LateAnswerError("no answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TransportError(_describe(error)) from None

    async def _opened(self) -> "httpx.AsyncClient":
        import httpx

        async with self._starting:
            if self._client is None:
                parts = urlsplit(self._url)
                # Reading the certificates takes tens of milliseconds.
                verify = (
                    await trio.to_thread.run_sync(httpx.create_ssl_context)
                    if parts.scheme == "https"
                    else False
                )
                self._client = httpx.AsyncClient(
                    verify=verify,
                    trust_env=not is_loopback(parts.hostname),
                    timeout=httpx.Timeout(None, connect=_CONNECT_S),
                )
            return self._client

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            with trio.CancelScope(shield=True):
                await client.aclose()


async def _read(answer: "httpx.Response", max_bytes: int) -> bytes:
    received = bytearray()
    with trio.CancelScope() as scope:
        async for block in answer.aiter_bytes():
            received += block
            if len(received) > max_bytes:
                scope.cancel()  # leaving the loop would leave httpx's generators behind, half done
    if scope.cancelled_caught:
        raise LongAnswerError("the answer is too long")
    return bytes(received)


def _describe(error: Exception) -> str:
    import httpx

    match error:
        case httpx.ConnectError():
            return "it cannot be reached"
        case httpx.RemoteProtocolError() | httpx.DecodingError():
            return "its answer is broken"
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return "its address is not valid"
    return "the connection broke"
