"""``events.subscribe``: what happens in the daemon, as notifications on the caller's connection."""

from typing import Annotated, Any

import msgspec
import trio
from msgspec import Meta

from openclaw_memd.events import Event, Topic
from openclaw_memd.gateway.duplex import Send
from openclaw_memd.gateway.results import Result
from openclaw_memd.gateway.schemas import CallParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method

_KEY = "events"

_encode = msgspec.json.Encoder().encode


class SubscribeParams(CallParams, frozen=True, kw_only=True):
    """Params of ``events.subscribe``; subscribing again replaces the topics of the connection."""

    topics: Annotated[
        tuple[Topic, ...], Meta(max_length=32, description="what to be told of; none: nothing any more")
    ]


class Subscribed(Result, frozen=True, kw_only=True):
    """The topics that are told of from now on; the first event comes after this answer."""

    subscribed: tuple[Topic, ...]


async def subscribe(call: Call, params: SubscribeParams) -> Subscribed:
    """``events.subscribe``: in a context, of its agent alone, and with paths only for who sees all memory."""
    duplex = call.duplex
    assert duplex is not None  # as the method's row in the table asks
    agent = call.services.agent(params.agent_id)
    events = call.services.events
    topics = tuple(dict.fromkeys(params.topics))
    is_private = call.caller is None or agent.view(call.caller).sees_all_memory
    only_agent = None if call.caller is None and params.agent is None else params.agent_id

    duplex.drop(_KEY)
    if not topics:
        return Subscribed(subscribed=())
    subscription, scope = events.subscribe(topics, agent=only_agent), trio.CancelScope()

    async def pump(send: Send) -> None:
        while True:
            event, lost = await subscription.next()
            await duplex.wait_room()  # a reader that rests is no reason to close the connection
            await send(encode_event(event, lost, is_private=is_private))

    def end() -> None:
        scope.cancel()
        events.unsubscribe(subscription)

    duplex.keep(_KEY, end)
    call.delivery.afterwards.append(lambda: duplex.start(pump, scope))
    return Subscribed(subscribed=topics)


def encode_event(event: Event, lost: int, *, is_private: bool) -> bytes:
    """One notification. ``lost`` counts events before it that the reader was too slow for."""
    params: dict[str, Any] = {"topic": event.topic, "at": event.at.isoformat(timespec="milliseconds")}
    if event.agents:
        params["agents"] = event.agents
    params |= event.facts
    if is_private:
        params |= event.private
    if lost:
        params["lost"] = lost
    return _encode({"jsonrpc": "2.0", "method": "event", "params": params})


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="events.subscribe",
        right="R",
        pace="read",
        params=SubscribeParams,
        results=(Subscribed,),
        handler=subscribe,
        summary="Get `event` notifications on this connection from now on (line protocol only).",
        example={"topics": ["index.synced", "memory.changed"]},
        needs_line=True,
    ),
)
