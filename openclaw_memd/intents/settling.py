"""The steps that time alone takes, and what becomes of times that a wrong clock made."""

from dataclasses import replace
from datetime import datetime

from openclaw_memd.domain.intents import Intent, settle, was_ahead
from openclaw_memd.intents.wishes import first_due_at
from openclaw_memd.zones import Zone


def settle_by_clock(intent: Intent, now: datetime, zone: Zone) -> Intent:
    """``intent`` as it is ``now``.

    Where the clock ran ahead before, a recurring reminder comes no later than its next time from now on.
    """
    if was_ahead(intent, now):
        intent = replace(intent, created_at=min(intent.created_at, now), due_at=_due_at(intent, now, zone))
    return settle(intent, now)


def _due_at(intent: Intent, now: datetime, zone: Zone) -> datetime | None:
    next_at = first_due_at(intent.cron, intent.zone, now, zone)
    if intent.due_at is None or next_at is None:
        return intent.due_at
    return min(intent.due_at, next_at)
