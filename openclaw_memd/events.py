"""What happens in the daemon, told to whoever subscribed; nobody who publishes ever waits."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

import trio

from openclaw_memd.ports import Clock

Topic = Literal["intent.due", "dream.finished", "index.synced", "memory.changed", "status.changed"]

QUEUED_EVENTS: Final = 256
"""What one subscriber may leave unread; older events are lost to it."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, to these agents; to the whole daemon when there are none.

    ``facts`` are for everybody, ``private`` for those who may see all memory. Neither holds a text of a note.
    """

    topic: Topic
    at: datetime
    agents: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    private: Mapping[str, object] = field(default_factory=dict)


class Subscription:
    """The events of some topics, for one reader. The oldest are dropped when it does not keep up.

    ``agent`` leaves out what happened to other agents only.
    """

    def __init__(self, topics: Iterable[Topic], *, agent: str | None = None) -> None:
        self.topics = frozenset(topics)
        self._agent = agent
        self._events: deque[Event] = deque()
        self._lost = 0
        self._arrived = trio.Event()

    def put(self, event: Event) -> None:
        """Keep ``event`` for the reader, if it is one of those that it wants."""
        is_others = event.agents and self._agent is not None and self._agent not in event.agents
        if event.topic not in self.topics or is_others:
            return
        if len(self._events) == QUEUED_EVENTS:
            self._events.popleft()
            self._lost += 1
        self._events.append(event)
        self._arrived.set()

    async def next(self) -> tuple[Event, int]:
        """The next event, and how many before it were lost since the last one. One reader at a time."""
        while not self._events:
            self._arrived = trio.Event()
            await self._arrived.wait()
        await trio.lowlevel.checkpoint()
        lost, self._lost = self._lost, 0
        return self._events.popleft(), lost


class Events:
    """All subscriptions. ``on_event`` hears of everything, at once, in the event loop."""

    def __init__(self, clock: Clock, on_event: Callable[[Event], None] | None = None) -> None:
        self._clock = clock
        self._on_event = on_event
        self._subscriptions: set[Subscription] = set()

    def publish(
        self,
        topic: Topic,
        facts: Mapping[str, object],
        *,
        agents: Iterable[str] = (),
        private: Mapping[str, object] | None = None,
    ) -> None:
        """Tell of something that happened now; see ``Event``. To be called in the event loop's thread."""
        if self._on_event is not None or self.has_readers(topic):
            event = Event(topic, self._clock.now(), tuple(agents), facts, private or {})
            if self._on_event is not None:
                self._on_event(event)
            for subscription in self._subscriptions:
                subscription.put(event)

    def subscribe(self, topics: Iterable[Topic], *, agent: str | None = None) -> Subscription:
        """A new subscription, to be given back."""
        subscription = Subscription(topics, agent=agent)
        self._subscriptions.add(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Put nothing more into ``subscription``; harmless when that was said before."""
        self._subscriptions.discard(subscription)

    def has_readers(self, topic: Topic) -> bool:
        """Whether anybody would be told."""
        return any(topic in subscription.topics for subscription in self._subscriptions)
