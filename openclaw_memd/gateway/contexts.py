"""From the context that a host sent to the facts that the core works with."""

from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.gateway import schemas


def caller_of(context: schemas.Context | None) -> Caller | None:
    """The caller; None without a context. What the context leaves out stays unknown."""
    if context is None:
        return None
    return Caller(
        agent=context.agent,
        session_id=context.session_id,
        parent_session_id=context.parent_session_id,
        session_kind=SessionKind(context.session_kind),
        chat_type=ChatType(context.chat_type),
        channel=_channel_of(context.channel),
        sender=sender_of(context.sender),
        tainted=context.tainted,
        project_root=context.project_root,
        project_key=context.project_key,
    )


def sender_of(sender: schemas.Sender | None) -> Sender:
    """Who wrote a message; only a literal ``true`` makes an owner."""
    return Sender() if sender is None else Sender(sender.id, is_owner=sender.is_owner is True)


def _channel_of(channel: schemas.Channel | None) -> Channel:
    return (
        Channel() if channel is None else Channel(channel.provider, channel.account, channel.conversation_id)
    )
