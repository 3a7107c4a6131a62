"""Intents as callers see them, with the contract's names."""

from collections.abc import Mapping
from typing import Any

from openclaw_memd.domain.intents import Intent, Scope, SenderScope
from openclaw_memd.intents.reminders import Due


def show_intent(intent: Intent) -> Mapping[str, Any]:
    """The intent; ``channel`` is where it holds and ``sender`` whose messages, each None for any."""
    creator = {"id": intent.creator.id, "is_owner": intent.creator.is_owner}
    return {
        "id": intent.id,
        "kind": intent.kind,
        "description": intent.description,
        "keywords": intent.keywords,
        "semantic": intent.semantic,
        "scope": intent.scope,
        "sender_scope": intent.sender_scope,
        "channel": None if intent.scope is Scope.ANYWHERE else intent.channel,
        "sender": None if intent.sender_scope is SenderScope.ANYONE else creator,
        "creator": creator,
        "status": intent.status,
        "created_at": intent.created_at,
        "expires_at": intent.expires_at,
        "max_fires": intent.max_fires,
        "fire_count": intent.fire_count,
        "cooldown_s": intent.cooldown_s,
        "last_fired_at": intent.last_fired_at,
        "at": intent.at,
        "cron": intent.cron,
        "zone": intent.zone,
        "due_at": intent.due_at,
    }


def show_due(due: Due) -> Mapping[str, Any]:
    """What is due, with the token that confirms it."""
    return {"intent": show_intent(due.intent), "due_at": due.due_at, "token": due.token}
