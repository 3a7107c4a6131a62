"""Every cell of the audience table, and that a hole in a context never widens the view."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.audience import (
    OPERATOR,
    Bootstrap,
    Injection,
    Notes,
    View,
    sees,
    sources_in,
    view_of,
)
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind, Source, Tier

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

HOLES: dict[str, Any] = {
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


WRITERS = [None, OWNER_CHAT.writer, "session:4:main2:s9"]
PATHS = ["MEMORY.md", "memory/2026-01-11.md", "sessions/main/s1", "sessions/mainly/s1", "sessions/other/s1"]
views = st.builds(
    View,
    curated=st.booleans(),
    notes=st.sampled_from(Notes),
    own_session=st.booleans(),
    other_sessions=st.booleans(),
    foreign=st.booleans(),
    agent=st.sampled_from(["main", "other"]),
    writer=st.sampled_from(WRITERS),
)


@pytest.mark.parametrize("tier", Tier)
def test_what_the_operator_sees(tier: Tier) -> None:
    assert sees(OPERATOR, tier=tier, path="x", writer="session:4:main2:s1") == (tier is not Tier.SESSION)


def test_a_group_sees_what_it_wrote_and_nothing_else() -> None:
    group = view_of(replace(OWNER_CHAT, chat_type=ChatType.GROUP, sender=GUEST))
    for writer in WRITERS:
        is_own = writer == OWNER_CHAT.writer
        assert sees(group, tier=Tier.EPISODIC, path="memory/2026-01-11.md", writer=writer) == is_own
        assert sees(group, tier=Tier.SESSION, path="sessions/main/s1", writer=writer) == is_own
        for tier in (Tier.CURATED, Tier.IMPORT, Tier.EXTRA):
            assert not sees(group, tier=tier, path="x", writer=writer)


def test_nobody_sees_the_sessions_of_another_agent() -> None:
    view = view_of(OWNER_CHAT, cross_conversation=True)
    assert sees(view, tier=Tier.SESSION, path="sessions/main/s2", writer=None)
    for path in ("sessions/mainly/s2", "sessions/other/s1"):
        assert not sees(view, tier=Tier.SESSION, path=path, writer=OWNER_CHAT.writer)


SOURCE_OF = {
    Tier.CURATED: Source.MEMORY,
    Tier.EPISODIC: Source.MEMORY,
    Tier.SESSION: Source.SESSIONS,
    Tier.IMPORT: Source.IMPORTS,
    Tier.EXTRA: Source.EXTRA,
}


@given(views, st.sampled_from(Tier), st.sampled_from(PATHS), st.sampled_from(WRITERS))
def test_what_is_seen_comes_from_a_source_that_is_seen(
    view: View, tier: Tier, path: str, writer: str | None
) -> None:
    if sees(view, tier=tier, path=path, writer=writer):
        assert SOURCE_OF[tier] in sources_in(view)
