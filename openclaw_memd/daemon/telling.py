"""What a workspace tells of itself to those who subscribed."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import trio

from openclaw_memd.domain.intents import Intent
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.events import Events
from openclaw_memd.gateway.status_results import StatusReport
from openclaw_memd.index.indexer import SyncReport
from openclaw_memd.index.publishing import Published

SHOWN_PATHS: Final = 100
SHOWN_CHARS: Final = 16_384
"""Longer lists of paths are cut, so that an event is sent in one piece; ``files`` counts all."""

LOOK_S: Final = 2.0
"""How often the status is compared with the one before, while anybody wants to know."""

_SESSIONS = "sessions/"


class Telling:
    """Publishes what happens to the index of one workspace, which belongs to ``agents``."""

    def __init__(self, events: Events, agents: Sequence[str]) -> None:
        self._events = events
        self._agents = tuple(agents)

    def hear_published(self, published: Published) -> None:
        """Tell that memory files changed; that a session went on is nobody else's business."""
        paths = [path for path in published.paths if not path.startswith(_SESSIONS)]
        if paths:
            self._events.publish(
                "memory.changed",
                {"generation": published.generation},
                agents=self._agents,
                private={"paths": _shown(paths), "files": len(paths)},
            )

    def hear_due(self, intent: Intent) -> None:
        """Tell that a reminder or follow-up came due; what it says is asked for with ``intent.due``."""
        due_at = None if intent.due_at is None else intent.due_at.isoformat(timespec="seconds")
        facts = {"id": intent.id, "kind": intent.kind.value, "due_at": due_at}
        # A group's connection is not told what the owner waits for.
        self._events.publish("intent.due", {}, agents=(intent.agent,), private=facts)

    def hear_dream(self, report: NightReport) -> None:
        """Tell that a night is over; what it did is asked for with ``dream.report``."""
        day = report.local_date.isoformat()
        facts = {
            "run_id": report.run_id,
            "local_date": day,
            "phases": report.phases,
            "outcome": report.outcome,
        }
        deep = report.deep
        private = {} if deep is None else {"promoted": deep.promoted, "proposed": deep.proposed}
        self._events.publish("dream.finished", facts, agents=self._agents, private=private)

    def hear_synced(self, report: SyncReport) -> None:
        """Tell of a sync that changed anything."""
        if report.added + report.changed + report.removed:
            self._events.publish(
                "index.synced",
                {"generation": report.generation, "took_ms": round(report.took_ms, 1)},
                agents=self._agents,
                private={"added": report.added, "changed": report.changed, "removed": report.removed},
            )


async def follow_status(events: Events, read: Callable[[], Awaitable[StatusReport]]) -> None:
    """Tell when the state of the daemon changes, or of an agent's models or watcher; until cancelled."""
    before: dict[str, object] | None = None
    while True:
        if events.has_readers("status.changed"):
            now = _summary(await read())
            if before not in (None, now):
                events.publish("status.changed", now)
            before = now
        else:
            before = None
        await trio.sleep(LOOK_S)


def _summary(report: StatusReport) -> dict[str, object]:
    """What of a status changes seldom, and is worth to be told of."""
    return {
        "state": report.state,
        "parts": [
            {
                "agent": one.agent,
                "embedding": one.embedding.state,
                "model": None if one.model is None else one.model.state,
                "watch": one.watch.mode,
            }
            for one in report.agents
        ],
    }


def _shown(paths: Sequence[str]) -> list[str]:
    shown: list[str] = []
    room = SHOWN_CHARS
    for path in paths[:SHOWN_PATHS]:
        masked = mask_secrets(path)
        room -= len(masked)
        if room < 0:
            break
        shown.append(masked)
    return shown
