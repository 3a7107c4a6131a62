"""Every cell of the audience table, and that a hole in a context never widens the view."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.audience import OPERATOR, Bootstrap, Injection, Notes, View, view_of
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind

OWNER = Sender("u1", is_owner=True)
GUEST = Sender("u2", is_owner=False)

OWNER_CHAT = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=Channel("telegram", "default", "c1"),
    sender=OWNER,
)


def cells(view: View) -> tuple[object, ...]:
    return (
        view.curated,
        view.bootstrap,
        view.notes,
        view.own_session,
        view.other_sessions,
        view.foreign,
        view.injection,
    )


NARROW = (False, Bootstrap.NONE, Notes.OWN, True, False, False, Injection.NONE)
SCHEDULED = (True, Bootstrap.USER, Notes.ALL, False, False, False, Injection.NONE)

TABLE = {
    "operator": (None, (True, Bootstrap.NONE, Notes.ALL, False, False, True, Injection.NONE)),
    "owner": (OWNER_CHAT, (True, Bootstrap.ALL, Notes.ALL, True, False, True, Injection.ALL)),
    "owner's sub-agent": (
        replace(OWNER_CHAT, session_kind=SessionKind.SUBAGENT),
        (True, Bootstrap.PROJECT, Notes.ALL, True, False, True, Injection.NONE),
    ),
    "cron": (Caller(session_id="s1", session_kind=SessionKind.CRON), SCHEDULED),
    "cron for the owner": (replace(OWNER_CHAT, session_kind=SessionKind.CRON), SCHEDULED),
    "heartbeat": (
        Caller(session_id="s1", session_kind=SessionKind.HEARTBEAT),
        (*SCHEDULED[:-1], Injection.REMINDERS),
    ),
    "cron in a group": (
        replace(OWNER_CHAT, session_kind=SessionKind.CRON, chat_type=ChatType.GROUP),
        NARROW,
    ),
    "heartbeat for a guest": (
        replace(OWNER_CHAT, session_kind=SessionKind.HEARTBEAT, sender=GUEST),
        NARROW,
    ),
    "owner in a group": (replace(OWNER_CHAT, chat_type=ChatType.GROUP), NARROW),
    "owner in a channel": (replace(OWNER_CHAT, chat_type=ChatType.CHANNEL), NARROW),
    "sub-agent in a group": (
        replace(OWNER_CHAT, session_kind=SessionKind.SUBAGENT, chat_type=ChatType.GROUP),
        NARROW,
    ),
    "guest in a direct chat": (replace(OWNER_CHAT, sender=GUEST), NARROW),
    "guest in a group": (replace(OWNER_CHAT, sender=GUEST, chat_type=ChatType.GROUP), NARROW),
    "no sender": (replace(OWNER_CHAT, sender=Sender()), NARROW),
    "no kind": (replace(OWNER_CHAT, session_kind=SessionKind.UNKNOWN), NARROW),
    "no chat type": (replace(OWNER_CHAT, chat_type=ChatType.UNKNOWN), NARROW),
    "an empty context": (
        Caller(),
        (False, Bootstrap.NONE, Notes.NONE, False, False, False, Injection.NONE),
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_each_cell_of_the_table(case: str) -> None:
    caller, expected = TABLE[case]
    assert cells(view_of(caller)) == expected


def test_other_sessions_are_the_owners_alone_and_only_when_configured() -> None:
    for case, (caller, expected) in TABLE.items():
        view = view_of(caller, cross_conversation=True)
        assert view.other_sessions == (case == "owner")
        assert cells(replace(view, other_sessions=False)) == expected


def test_a_view_names_what_is_the_callers_own() -> None:
    view = view_of(OWNER_CHAT)
    assert (view.agent, view.session_id, view.writer) == ("main", "s1", OWNER_CHAT.writer)
    assert view_of(None) is OPERATOR


callers = st.builds(
    Caller,
    session_id=st.sampled_from([None, "s1"]),
    session_kind=st.sampled_from(SessionKind),
    chat_type=st.sampled_from(ChatType),
    channel=st.sampled_from([Channel(), Channel("telegram", None, "c1"), Channel("telegram")]),
    sender=st.sampled_from([Sender(), OWNER, GUEST]),
)

HOLES = {
    "session_id": None,
    "session_kind": SessionKind.UNKNOWN,
    "chat_type": ChatType.UNKNOWN,
    "channel": Channel(),
}


@given(callers, st.sets(st.sampled_from(sorted(HOLES)), min_size=1))
def test_a_hole_never_widens_the_view(caller: Caller, holes: set[str]) -> None:
    if caller.session_kind in (SessionKind.CRON, SessionKind.HEARTBEAT):
        holes = holes - {"chat_type"}  # a scheduled run has often no chat
    whole = view_of(caller, cross_conversation=True)
    holed = view_of(replace(caller, **{name: HOLES[name] for name in holes}), cross_conversation=True)
    for name in ("curated", "other_sessions", "foreign"):
        assert getattr(holed, name) <= getattr(whole, name)
    for closed in (Notes, Bootstrap, Injection):
        order = list(closed)
        name = closed.__name__.lower()
        assert order.index(getattr(holed, name)) <= order.index(getattr(whole, name))


@given(callers)
def test_nobody_but_the_owner_alone_sees_the_curated_files(caller: Caller) -> None:
    view = view_of(caller)
    if view.curated:
        assert caller.chat_type in (ChatType.DIRECT, ChatType.UNKNOWN)
        assert caller.sender in (OWNER, Sender())


@given(callers)
def test_what_is_own_has_a_name(caller: Caller) -> None:
    view = view_of(caller)
    if view.own_session or view.notes is Notes.OWN:
        assert view.writer is not None
