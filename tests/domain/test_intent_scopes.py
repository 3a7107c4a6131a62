"""For whose messages an intent holds: every cell."""

from dataclasses import replace

import pytest

from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.intent_scopes import creator_of, holds_for
from openclaw_memd.domain.intents import Intent, Scope, SenderScope
from openclaw_memd.domain.provenance import SessionKind
from tests.domain.test_intents import EVENT

HERE = Channel("telegram", "default", "c1")
OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=HERE,
    sender=Sender("u1", is_owner=True),
)
GUEST = replace(OWNER, sender=Sender("u2"))
GROUP = Channel("telegram", "default", "g1")
OWNER_IN_GROUP = replace(OWNER, chat_type=ChatType.GROUP, channel=GROUP)
GUEST_IN_GROUP = replace(GUEST, chat_type=ChatType.GROUP, channel=GROUP)


def made_by(
    caller: Caller, scope: Scope = Scope.CONVERSATION, sender: SenderScope = SenderScope.SENDER
) -> Intent:
    return replace(
        EVENT, scope=scope, sender_scope=sender, channel=caller.channel, creator=creator_of(caller.sender)
    )


def at(caller: Caller, **parts: str | None) -> Caller:
    return replace(caller, channel=replace(caller.channel, **parts))


@pytest.mark.parametrize(
    ("caller", "holds"),
    [
        (OWNER, True),
        (at(OWNER, provider="Telegram", account=None), True),
        (at(OWNER, conversation_id="c2"), False),
        (at(OWNER, conversation_id="C1"), False),
        (at(OWNER, account="work"), False),
        (at(OWNER, provider="slack"), False),
        (replace(OWNER, channel=Channel()), False),
        (GUEST, False),
        (replace(OWNER, sender=Sender("U1", is_owner=True)), False),
        (replace(OWNER, sender=Sender()), False),
        (replace(OWNER, agent="other"), False),
        (replace(OWNER, session_kind=SessionKind.CRON), False),
        (replace(OWNER, session_kind=SessionKind.HEARTBEAT), False),
        (replace(OWNER, session_kind=SessionKind.SUBAGENT), False),
        (replace(OWNER, session_kind=SessionKind.UNKNOWN), False),
        (None, False),
    ],
)
def test_by_default_it_holds_for_its_creator_where_it_was_made(caller: Caller | None, holds: bool) -> None:
    assert holds_for(made_by(OWNER), caller) is holds


@pytest.mark.parametrize(
    ("caller", "holds"),
    [
        (OWNER, True),
        (at(OWNER, conversation_id="c2"), True),
        (at(OWNER, account="work"), False),
        (at(OWNER, provider="slack"), False),
        (GUEST, False),
    ],
)
def test_in_a_channel_it_holds_in_all_of_its_conversations(caller: Caller, holds: bool) -> None:
    assert holds_for(made_by(OWNER, Scope.CHANNEL), caller) is holds


@pytest.mark.parametrize("sender", list(SenderScope))
def test_what_was_made_in_private_for_a_channel_stays_out_of_its_groups(sender: SenderScope) -> None:
    intent = made_by(OWNER, Scope.CHANNEL, sender)
    assert holds_for(intent, OWNER)
    assert not holds_for(intent, OWNER_IN_GROUP)
    assert not holds_for(intent, GUEST_IN_GROUP)
    assert not holds_for(intent, replace(OWNER, chat_type=ChatType.UNKNOWN, channel=GROUP))


def test_what_was_made_in_a_group_for_its_channel_holds_there_and_in_private() -> None:
    intent = made_by(OWNER_IN_GROUP, Scope.CHANNEL)
    assert holds_for(intent, OWNER_IN_GROUP)
    assert holds_for(intent, OWNER)
    assert not holds_for(intent, at(OWNER_IN_GROUP, conversation_id="g2"))
    assert not holds_for(intent, GUEST_IN_GROUP)
    assert holds_for(made_by(OWNER_IN_GROUP, Scope.CHANNEL, SenderScope.ANYONE), GUEST_IN_GROUP)


@pytest.mark.parametrize("channel", [Channel(), Channel("telegram", "default")])
def test_what_is_for_anyone_where_no_place_is_known_holds_nowhere(channel: Channel) -> None:
    intent = made_by(replace(OWNER, channel=channel), sender=SenderScope.ANYONE)
    assert not holds_for(intent, OWNER)
    assert not holds_for(intent, replace(GUEST, channel=Channel("whatsapp", "default", "999")))


def test_a_channel_that_nobody_named_is_none() -> None:
    nowhere = replace(OWNER, channel=Channel())
    assert not holds_for(made_by(nowhere, Scope.CHANNEL), nowhere)


@pytest.mark.parametrize(
    ("caller", "holds"),
    [
        (at(OWNER, provider="slack", conversation_id="D9"), True),
        (replace(OWNER, channel=Channel(), sender=Sender("ana", is_owner=True)), True),
        (replace(OWNER, channel=Channel(), sender=Sender("u1")), False),
        (GUEST, False),
        (at(GUEST, provider="slack"), False),
        (OWNER_IN_GROUP, False),
    ],
)
def test_anywhere_is_wherever_the_owner_is_alone(caller: Caller, holds: bool) -> None:
    assert holds_for(made_by(OWNER, Scope.ANYWHERE), caller) is holds


@pytest.mark.parametrize(
    ("scope", "caller", "holds"),
    [
        (Scope.CONVERSATION, GUEST, True),
        (Scope.CONVERSATION, at(GUEST, conversation_id="c2"), False),
        (Scope.CHANNEL, at(GUEST, conversation_id="c2"), True),
        (Scope.ANYWHERE, GUEST_IN_GROUP, True),
        (Scope.ANYWHERE, replace(GUEST, session_kind=SessionKind.CRON), False),
    ],
)
def test_anyone_has_to_be_said(scope: Scope, caller: Caller, holds: bool) -> None:
    assert holds_for(made_by(OWNER, scope, SenderScope.ANYONE), caller) is holds


def test_made_in_a_group_it_holds_there() -> None:
    intent = made_by(OWNER_IN_GROUP)
    assert holds_for(intent, OWNER_IN_GROUP)
    assert not holds_for(intent, GUEST_IN_GROUP)
    assert not holds_for(intent, OWNER)


def test_made_where_no_conversation_is_known_it_is_the_owners_in_private() -> None:
    """As from a terminal: no channel, and the name of a login."""
    intent = made_by(replace(OWNER, channel=Channel(), sender=Sender("root", is_owner=True)))
    assert holds_for(intent, OWNER)
    assert not holds_for(intent, GUEST)
    assert not holds_for(intent, OWNER_IN_GROUP)
    assert not holds_for(intent, replace(GUEST, channel=Channel()))


@pytest.mark.parametrize("sender_id", [None, "", "  ", "unknown", "Unknown"])
@pytest.mark.parametrize("sender", list(SenderScope))
def test_what_nobody_known_made_never_holds(sender_id: str | None, sender: SenderScope) -> None:
    intent = made_by(replace(OWNER, sender=Sender(sender_id)), Scope.ANYWHERE, sender)
    assert not holds_for(intent, OWNER)
    assert not holds_for(intent, replace(OWNER, sender=Sender(sender_id)))
