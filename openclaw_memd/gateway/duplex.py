"""What the daemon sends by itself on a line connection: questions to the peer, and notifications."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec
import trio

from openclaw_memd.gateway.jsonguard import JsonError, parse
from openclaw_memd.gateway.peers import Peer

_ID_PREFIX: Final = "memd-"

PeerFailure = Literal["gone", "refused", "invalid", "too_large"]
Send = Callable[[bytes], Awaitable[None]]
"""Sends one message, or raises what the stream does when the peer is gone."""

_encode = msgspec.json.Encoder().encode


class PeerError(Exception):
    """The peer did not give a result, and will not for this question. The message holds nothing it said."""

    def __init__(self, failure: PeerFailure) -> None:
        super().__init__(failure)
        self.failure: PeerFailure = failure


@dataclass(slots=True)
class _Question:
    """A question that waits for its answer; the first outcome counts."""

    answered: trio.Event = field(default_factory=trio.Event)
    outcome: object = None

    def settle(self, outcome: object) -> None:
        if not self.answered.is_set():
            self.outcome = outcome
            self.answered.set()


class Duplex:
    """The daemon's own side of one line connection.

    What is kept here, such as a subscription, lasts until it is dropped or the peer sends no more; the
    connection is then not closed for being silent.
    """

    def __init__(
        self, peer: Peer, send: Send, *, wait_room: Callable[[], Awaitable[None]], depth: int
    ) -> None:
        self.peer = peer
        self.wait_room = wait_room
        """Waits, however long, until a short message can be sent at once."""
        self._send = send
        self._depth = depth
        self._nursery: trio.Nursery | None = None
        self._questions: dict[str, _Question] = {}
        self._asked = 0
        self._kept: dict[Hashable, Callable[[], object]] = {}

    @property
    def is_kept(self) -> bool:
        """Whether the daemon may send something by itself."""
        return bool(self._kept)

    def open(self, nursery: trio.Nursery) -> None:
        """Send from tasks in ``nursery`` from now on."""
        self._nursery = nursery

    def close(self) -> None:
        """Nothing can be answered any more: questions fail, and what is kept is released."""
        self._nursery = None
        for key in list(self._kept):
            self.drop(key)
        for question in self._questions.values():
            question.settle(PeerError("gone"))

    def keep(self, key: Hashable, release: Callable[[], object]) -> None:
        """Keep something, in the place of what has the same key; ``release`` is called when that is over."""
        self.drop(key)
        if self._nursery is None:
            release()
        else:
            self._kept[key] = release

    def drop(self, key: Hashable) -> bool:
        """Release what has this key; False when there is nothing."""
        release = self._kept.pop(key, None)
        if release is not None:
            release()
        return release is not None

    def start(self, task: Callable[[Send], Awaitable[None]], scope: trio.CancelScope | None = None) -> None:
        """Run ``task`` until the connection ends or ``scope``, its own, is cancelled."""

        async def run() -> None:
            with scope or trio.CancelScope():
                await self._while_peer_is_there(task)

        if self._nursery is not None:
            self._nursery.start_soon(run)

    async def ask(self, method: str, params: Mapping[str, Any]) -> object:
        """The result that the peer gives, unchecked. Cancelling gives the answer up, if it still comes.

        Raises:
            PeerError: the peer is gone, refused, or answered with something that is no answer.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._nursery is None:
            raise PeerError("gone")
        self._asked += 1
        number = f"{_ID_PREFIX}{self._asked}"
        request = _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        question = self._questions[number] = _Question()
        try:
            # In a task of its own: a caller whose time is over must not leave half a line behind.
            self.start(lambda send: send(request))
            await question.answered.wait()
        finally:
            del self._questions[number]
        if isinstance(question.outcome, PeerError):
            raise question.outcome
        return question.outcome

    def take(self, frame: bytes) -> bool:
        """Whether ``frame`` is for us: an answer, be it to nothing that was asked. A request is not."""
        if not self._asked:
            return False
        try:
            message = parse(frame, depth=self._depth)
        except JsonError:
            self.give_up(frame, "invalid")
            return False
        if not isinstance(message, dict) or "method" in message:
            return False
        if not ("result" in message or "error" in message):
            return False
        number = message.get("id")
        question = self._questions.get(number) if isinstance(number, str) else None
        if question is not None:
            question.settle(_outcome(message))
        return True

    def give_up(self, part: bytes, failure: PeerFailure) -> None:
        """Let the questions fail that ``part`` of an unreadable line names: their answer is lost in it."""
        for number, question in self._questions.items():
            if _encode(number) in part:
                question.settle(PeerError(failure))

    async def _while_peer_is_there(self, task: Callable[[Send], Awaitable[None]]) -> None:
        try:
            await task(self._send)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.close()  # whoever reads finds out by itself


def _outcome(message: Mapping[str, object]) -> object:
    if "error" in message:
        return PeerError("invalid" if "result" in message else "refused")
    return message["result"]
