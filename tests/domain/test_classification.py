"""The origin of writes and messages, cell by cell; unknown never becomes the owner's."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.authority import missing_authority
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.classification import origin_of_answer, origin_of_question, origin_of_write
from openclaw_memd.domain.provenance import Origin, SessionKind, join

OWNER = Sender("u1", is_owner=True)
GUEST = Sender("u2")
OWNER_CHAT = Caller(
    session_id="s1", session_kind=SessionKind.INTERACTIVE, chat_type=ChatType.DIRECT, sender=OWNER
)

WRITES = {
    "no context": (None, Origin.UNTRUSTED),
    "an empty context": (Caller(), Origin.UNTRUSTED),
    "the owner's turn": (OWNER_CHAT, Origin.AGENT),
    "the owner's turn in a group": (replace(OWNER_CHAT, chat_type=ChatType.GROUP), Origin.UNTRUSTED),
    "the owner's turn in a channel": (replace(OWNER_CHAT, chat_type=ChatType.CHANNEL), Origin.UNTRUSTED),
    "the owner's turn anywhere": (replace(OWNER_CHAT, chat_type=ChatType.UNKNOWN), Origin.UNTRUSTED),
    "the owner's turn of unknown kind": (
        replace(OWNER_CHAT, session_kind=SessionKind.UNKNOWN),
        Origin.AGENT,
    ),
    "a tainted turn": (replace(OWNER_CHAT, tainted=True), Origin.UNTRUSTED),
    "a guest's turn": (replace(OWNER_CHAT, sender=GUEST), Origin.UNTRUSTED),
    "nobody's turn": (replace(OWNER_CHAT, sender=Sender()), Origin.UNTRUSTED),
    "cron": (Caller(session_kind=SessionKind.CRON), Origin.SYSTEM),
    "heartbeat": (Caller(session_kind=SessionKind.HEARTBEAT), Origin.SYSTEM),
    "cron for the owner": (replace(OWNER_CHAT, session_kind=SessionKind.CRON), Origin.AGENT),
    "cron for the owner in a group": (
        replace(OWNER_CHAT, session_kind=SessionKind.CRON, chat_type=ChatType.GROUP),
        Origin.UNTRUSTED,
    ),
    "cron for a guest": (Caller(session_kind=SessionKind.CRON, sender=GUEST), Origin.UNTRUSTED),
    "tainted cron": (Caller(session_kind=SessionKind.CRON, tainted=True), Origin.UNTRUSTED),
    "sub-agent of nobody": (Caller(session_kind=SessionKind.SUBAGENT), Origin.UNTRUSTED),
}


@pytest.mark.parametrize("case", WRITES)
def test_the_origin_of_a_write(case: str) -> None:
    caller, expected = WRITES[case]
    assert origin_of_write(caller, tainted=False) is expected


@pytest.mark.parametrize("chat_type", ChatType)
def test_the_owner_writes_in_groups_only_where_the_configuration_says_so(chat_type: ChatType) -> None:
    caller = replace(OWNER_CHAT, chat_type=chat_type)
    trusted = {ChatType.DIRECT, ChatType.GROUP}
    expected = Origin.AGENT if chat_type in trusted else Origin.UNTRUSTED
    assert origin_of_write(caller, tainted=False, owner_in_groups=True) is expected
    assert origin_of_write(caller, tainted=True, owner_in_groups=True) is Origin.UNTRUSTED
    guest = replace(caller, sender=GUEST)
    assert origin_of_write(guest, tainted=False, owner_in_groups=True) is Origin.UNTRUSTED


@pytest.mark.parametrize("case", WRITES)
def test_a_taint_in_the_ledger_makes_every_write_untrusted(case: str) -> None:
    assert origin_of_write(WRITES[case][0], tainted=True) is Origin.UNTRUSTED


@pytest.mark.parametrize(
    ("sender", "is_scaffolding", "expected"),
    [
        (OWNER, False, Origin.OWNER),
        (OWNER, True, Origin.SYSTEM),
        (GUEST, False, Origin.UNTRUSTED),
        (GUEST, True, Origin.SYSTEM),
        (Sender(), False, Origin.UNTRUSTED),
    ],
)
def test_the_origin_of_a_question(sender: Sender, is_scaffolding: bool, expected: Origin) -> None:
    assert origin_of_question(sender, is_scaffolding=is_scaffolding) is expected


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (Origin.OWNER, Origin.AGENT),
        (Origin.AGENT, Origin.AGENT),
        (Origin.SYSTEM, Origin.SYSTEM),
        (Origin.UNTRUSTED, Origin.UNTRUSTED),
    ],
)
def test_the_origin_of_an_answer(turn: Origin, expected: Origin) -> None:
    assert origin_of_answer(turn, tainted=False) is expected
    assert origin_of_answer(turn, tainted=True) is Origin.UNTRUSTED


origins = st.sampled_from(Origin)


@given(origins, origins, origins)
def test_joins_are_commutative_associative_idempotent_and_never_rise(a: Origin, b: Origin, c: Origin) -> None:
    assert join(a, b) is join(b, a)
    assert join(a, join(b, c)) is join(join(a, b), c)
    assert join(a, a) is a
    assert join(a, b) in (a, b)
    assert join(join(a, b), a) is join(a, b)


callers = st.builds(
    Caller,
    session_id=st.sampled_from([None, "s1"]),
    session_kind=st.sampled_from(SessionKind),
    chat_type=st.sampled_from(ChatType),
    sender=st.sampled_from([Sender(), OWNER, GUEST]),
    tainted=st.booleans(),
)


@given(st.none() | callers, st.booleans())
def test_no_write_is_the_owners_and_only_the_owners_turn_is_trusted(
    caller: Caller | None, tainted: bool
) -> None:
    origin = origin_of_write(caller, tainted=tainted)
    assert origin is not Origin.OWNER
    if origin is Origin.AGENT:
        assert caller is not None
        assert caller.sender.is_owner
        assert caller.chat_type is ChatType.DIRECT
        assert (tainted, caller.tainted) == (False, False)


AUTHORITY = {
    "no_context": None,
    "not_owner": replace(OWNER_CHAT, sender=GUEST),
    "not_interactive": replace(OWNER_CHAT, session_kind=SessionKind.UNKNOWN),
    "not_direct": replace(OWNER_CHAT, chat_type=ChatType.GROUP),
    "tainted": replace(OWNER_CHAT, tainted=True),
}


@pytest.mark.parametrize("reason", AUTHORITY)
def test_what_is_missing_of_owner_authority(reason: str) -> None:
    assert missing_authority(AUTHORITY[reason]) == reason


def test_owner_authority() -> None:
    assert missing_authority(OWNER_CHAT) is None
    assert missing_authority(OWNER_CHAT, tainted=True) == "tainted"
    group = replace(OWNER_CHAT, chat_type=ChatType.GROUP)
    assert missing_authority(group, owner_in_groups=True) is None
    channel = replace(OWNER_CHAT, chat_type=ChatType.CHANNEL)
    assert missing_authority(channel, owner_in_groups=True) == "not_direct"


def test_conversations_never_share_a_key() -> None:
    one = Caller(channel=Channel("telegram", "a", "b:c"))
    other = Caller(channel=Channel("telegram", "a:b", "c"))
    assert one.writer != other.writer
    assert Caller(session_id="s").writer != Caller(agent="second", session_id="s").writer
    assert Caller(channel=Channel("telegram")).writer is None
