"""For whose messages, and where, an intent holds. What is missing never means everybody. Pure."""

from typing import assert_never

from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.intents import Creator, Intent, Scope, SenderScope
from openclaw_memd.domain.provenance import SessionKind

_UNKNOWN = frozenset({"", "unknown"})  # what hosts write where they know nobody


def creator_of(sender: Sender) -> Creator:
    """Who makes an intent in a message of ``sender``."""
    return Creator(_known(sender.id), sender.is_owner)


def holds_for(intent: Intent, caller: Caller | None) -> bool:
    """Whether a message of ``caller`` may fire ``intent``, or bring it when it is due.

    A message in a group fires only what was made for that very place, or for anyone anywhere: what the owner
    wishes in private is nobody else's business.
    """
    if caller is None or caller.agent != intent.agent or caller.session_kind is not SessionKind.INTERACTIVE:
        return False
    return _is_meant(intent, caller) and _is_there(intent, caller)


def _is_meant(intent: Intent, caller: Caller) -> bool:
    creator = intent.creator
    if creator.id is None and not creator.is_owner:
        return False
    match intent.sender_scope:
        case SenderScope.ANYONE:
            return True
        case SenderScope.SENDER:
            return _is_creator(intent, caller)
        case _:
            assert_never(intent.sender_scope)


def _is_creator(intent: Intent, caller: Caller) -> bool:
    """Ids are those of one account of one provider; between such, and where a provider or an id is missing,
    the host's word that it is the owner counts."""
    known = _known(caller.sender.id)
    is_comparable = intent.channel.provider is not None and _is_same_account(intent.channel, caller.channel)
    if intent.creator.id is not None and known is not None and is_comparable:
        return known == intent.creator.id
    return intent.creator.is_owner and caller.sender.is_owner


def _is_there(intent: Intent, caller: Caller) -> bool:
    is_private = caller.chat_type is ChatType.DIRECT
    match intent.scope:
        case Scope.CONVERSATION:
            if intent.channel.is_whole:
                return _is_same_conversation(intent.channel, caller.channel)
            is_creators = intent.sender_scope is SenderScope.SENDER
            return is_creators and is_private and _agrees(intent.channel, caller.channel)
        case Scope.CHANNEL:
            if is_private:
                return intent.channel.provider is not None and _is_same_account(
                    intent.channel, caller.channel
                )
            return intent.channel.is_whole and _is_same_conversation(intent.channel, caller.channel)
        case Scope.ANYWHERE:
            return is_private or intent.sender_scope is SenderScope.ANYONE
        case _:
            assert_never(intent.scope)


def _is_same_conversation(one: Channel, other: Channel) -> bool:
    return _is_same_account(one, other) and one.conversation_id == other.conversation_id


def _is_same_account(one: Channel, other: Channel) -> bool:
    return _account(one) == _account(other)


def _agrees(one: Channel, other: Channel) -> bool:
    """Whether the two differ in nothing that ``one`` says."""
    return one.provider is None or _is_same_account(one, other)


def _account(channel: Channel) -> tuple[str | None, str]:
    provider = None if channel.provider is None else channel.provider.lower()
    return provider, channel.account or "default"


def _known(sender_id: str | None) -> str | None:
    return None if sender_id is None or sender_id.strip().lower() in _UNKNOWN else sender_id
