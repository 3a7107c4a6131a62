"""Standing intents as rows of the ledger."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from openclaw_memd.domain.callers import Channel
from openclaw_memd.domain.intents import Creator, Intent, Kind, Scope, SenderScope, Status
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp

COLUMNS: Final = (
    "id",
    "agent",
    "kind",
    "description",
    "keywords",
    "semantic",
    "scope",
    "sender_scope",
    "provider",
    "account",
    "conversation_id",
    "creator_id",
    "creator_is_owner",
    "session_id",
    "status",
    "created_at",
    "expires_at",
    "max_fires",
    "fire_count",
    "cooldown_s",
    "last_fired_at",
    "at",
    "cron",
    "zone",
    "due_at",
)


@dataclass(frozen=True, slots=True)
class IntentRow:
    """An intent and its number, which grows with each new one."""

    number: int
    intent: Intent


def intent_values(intent: Intent) -> dict[str, Any]:
    """The columns of ``intent``, by name."""
    return {
        "id": intent.id,
        "agent": intent.agent,
        "kind": intent.kind.value,
        "description": intent.description,
        "keywords": json.dumps(intent.keywords, ensure_ascii=False),
        "semantic": int(intent.semantic),
        "scope": intent.scope.value,
        "sender_scope": intent.sender_scope.value,
        "provider": intent.channel.provider,
        "account": intent.channel.account,
        "conversation_id": intent.channel.conversation_id,
        "creator_id": intent.creator.id,
        "creator_is_owner": int(intent.creator.is_owner),
        "session_id": intent.session_id,
        "status": intent.status.value,
        "created_at": to_stamp(intent.created_at),
        "expires_at": _stamp(intent.expires_at),
        "max_fires": intent.max_fires,
        "fire_count": intent.fire_count,
        "cooldown_s": intent.cooldown_s,
        "last_fired_at": _stamp(intent.last_fired_at),
        "at": _stamp(intent.at),
        "cron": intent.cron,
        "zone": intent.zone,
        "due_at": _stamp(intent.due_at),
        "rests_until": _rests_until(intent),
    }


def read_row(values: Sequence[Any]) -> IntentRow:
    """The row of a number and ``COLUMNS``."""
    number, *others = values
    row = dict(zip(COLUMNS, others, strict=True))
    instants = {
        name: None if row[name] is None else from_stamp(row[name])
        for name in ("expires_at", "last_fired_at", "at", "due_at")
    }
    intent = Intent(
        id=row["id"],
        agent=row["agent"],
        kind=Kind(row["kind"]),
        description=row["description"],
        keywords=tuple(json.loads(row["keywords"])),
        semantic=bool(row["semantic"]),
        scope=Scope(row["scope"]),
        sender_scope=SenderScope(row["sender_scope"]),
        channel=Channel(row["provider"], row["account"], row["conversation_id"]),
        creator=Creator(row["creator_id"], bool(row["creator_is_owner"])),
        session_id=row["session_id"],
        status=Status(row["status"]),
        created_at=from_stamp(row["created_at"]),
        expires_at=instants["expires_at"],
        max_fires=row["max_fires"],
        fire_count=row["fire_count"],
        cooldown_s=row["cooldown_s"],
        last_fired_at=instants["last_fired_at"],
        at=instants["at"],
        cron=row["cron"],
        zone=row["zone"],
        due_at=instants["due_at"],
    )
    return IntentRow(int(number), intent)


def read_one(values: Sequence[Any] | None) -> IntentRow | None:
    """The row, if there is one."""
    return None if values is None else read_row(values)


def _rests_until(intent: Intent) -> str | None:
    if intent.last_fired_at is None:
        return None
    return to_stamp(intent.last_fired_at + timedelta(seconds=intent.cooldown_s))


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else to_stamp(at)
