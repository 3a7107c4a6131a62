"""Every step from one state of an intent to another."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from openclaw_memd.domain.callers import Channel
from openclaw_memd.domain.intents import (
    ENDED,
    OPEN,
    Creator,
    Intent,
    Kind,
    Scope,
    SenderScope,
    Status,
    cancel,
    confirm,
    finish,
    fire,
    give_back,
    is_due,
    may_fire,
    settle,
)

NOW = datetime(2026, 1, 11, 9, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


def given_back(intent: Intent) -> Intent:
    return give_back(intent, fired_at=NOW, rested_since=None)


EVENT = Intent(
    id="i1",
    agent="main",
    kind=Kind.EVENT,
    description="mention the changelog",
    keywords=("release",),
    semantic=False,
    scope=Scope.CONVERSATION,
    sender_scope=SenderScope.SENDER,
    channel=Channel("telegram", "default", "c1"),
    creator=Creator("u1", is_owner=True),
    session_id="s1",
    status=Status.ARMED,
    created_at=NOW,
    expires_at=NOW + 90 * DAY,
    max_fires=3,
    fire_count=0,
    cooldown_s=86_400,
    last_fired_at=None,
)
REMINDER = replace(EVENT, kind=Kind.REMINDER, keywords=(), at=NOW + DAY, due_at=NOW + DAY, max_fires=1)
RECURRING = replace(REMINDER, at=None, cron="0 9 * * *", expires_at=None, max_fires=None)
FOLLOW_UP = replace(REMINDER, kind=Kind.FOLLOW_UP, status=Status.PENDING, at=None, expires_at=NOW + 2 * DAY)

CLOSED = tuple(sorted(set(Status) - OPEN))

LAST = replace(EVENT, max_fires=1)
RESTING = fire(EVENT, NOW)
P, A, F, D, C, E = Status.PENDING, Status.ARMED, Status.FIRED, Status.DONE, Status.CANCELLED, Status.EXPIRED

TRANSITIONS: list[tuple[str, Callable[[Intent], Intent | None], Intent, dict[Status, Status | None]]] = [
    # what happens, to whom, and what becomes of each state; None: it does not happen
    ("nothing", lambda it: settle(it, NOW), EVENT, {P: P, A: A, F: A, D: D, C: C, E: A}),
    ("the cooldown lasts", lambda it: settle(it, NOW), RESTING, {P: P, A: A, F: F, D: D, C: C, E: F}),
    ("it ends", lambda it: settle(it, NOW + DAY), RESTING, {P: P, A: A, F: A, D: D, C: C, E: A}),
    ("it is over", lambda it: settle(it, NOW + 90 * DAY), EVENT, {P: E, A: E, F: E, D: D, C: C, E: E}),
    ("the window is shut", lambda it: settle(it, NOW), FOLLOW_UP, {P: P, A: A, D: D, C: C, E: P}),
    ("it opens", lambda it: settle(it, NOW + DAY), FOLLOW_UP, {P: A, A: A, D: D, C: C, E: A}),
    ("it shuts", lambda it: settle(it, NOW + 2 * DAY), FOLLOW_UP, {P: E, A: E, D: D, C: C, E: E}),
    ("a message", lambda it: fire(it, NOW), EVENT, {P: None, A: F, F: None, D: None, C: None, E: None}),
    ("its last one", lambda it: fire(it, NOW), LAST, {P: None, A: D, F: None, D: None, C: None, E: None}),
    ("given back", given_back, RESTING, {A: A, F: A, D: D, C: C, E: E}),
    ("the last given back", given_back, fire(LAST, NOW), {F: A, D: A, C: C, E: E}),
    ("told", lambda it: confirm(it, NOW + DAY, None), REMINDER, {A: D, D: None, C: None, E: None}),
    ("told again", lambda it: confirm(it, NOW + DAY, NOW + 2 * DAY), RECURRING, {A: A, D: None, C: None}),
    (
        "told of",
        lambda it: confirm(it, NOW + DAY, None),
        FOLLOW_UP,
        {P: None, A: D, D: None, C: None, E: None},
    ),
    ("cancelled", cancel, EVENT, {P: C, A: C, F: C, D: None, C: None, E: C}),
    ("said to be done", finish, EVENT, {P: D, A: D, F: D, D: None, C: None, E: D}),
]


@pytest.mark.parametrize(
    ("act", "intent", "expected"), [row[1:] for row in TRANSITIONS], ids=[row[0] for row in TRANSITIONS]
)
def test_every_step_from_one_state_to_another(
    act: Callable[[Intent], Intent | None], intent: Intent, expected: dict[Status, Status | None]
) -> None:
    assert {status: step(act, replace(intent, status=status)) for status in expected} == expected


def step(act: Callable[[Intent], Intent | None], intent: Intent) -> Status | None:
    try:
        after = act(intent)
    except ValueError:
        return None
    return None if after is None else after.status


@pytest.mark.parametrize("status", [Status.PENDING, Status.ARMED, Status.FIRED])
def test_it_expires_at_the_very_instant(status: Status) -> None:
    intent = replace(EVENT, status=status, last_fired_at=NOW)
    assert settle(intent, NOW + 90 * DAY - SECOND).status is not Status.EXPIRED
    assert settle(intent, NOW + 90 * DAY).status is Status.EXPIRED


@pytest.mark.parametrize("status", CLOSED)
def test_what_is_over_stays_so(status: Status) -> None:
    over = replace(EVENT, status=status)
    assert settle(over, NOW + 1000 * DAY) == over
    assert not may_fire(over, NOW)
    assert not is_due(replace(REMINDER, status=status), NOW + 2 * DAY)


@pytest.mark.parametrize("status", sorted({*OPEN, Status.EXPIRED}))
@pytest.mark.parametrize("end", [cancel, finish])
def test_what_somebody_ended_no_clock_opens_again(
    status: Status, end: Callable[[Intent], Intent | None]
) -> None:
    ended = end(replace(EVENT, status=status))
    assert ended is not None
    assert ended.status in ENDED
    assert settle(ended, NOW - 1000 * DAY) == ended
    assert (cancel(ended), finish(ended)) == (None, None)


def test_a_cooldown_ends_at_its_end() -> None:
    """OpenClaw's own numbers: a minute, and a budget of two."""
    first = fire(replace(EVENT, cooldown_s=60, max_fires=2), NOW + timedelta(milliseconds=2000))
    assert (first.status, first.fire_count) == (Status.FIRED, 1)
    assert not may_fire(
        settle(first, NOW + timedelta(milliseconds=61_999)), NOW + timedelta(milliseconds=61_999)
    )
    at = NOW + timedelta(milliseconds=62_000)
    rested = settle(first, at)
    assert rested.status is Status.ARMED
    assert fire(rested, at).status is Status.DONE


def test_without_a_limit_it_fires_on() -> None:
    intent = replace(EVENT, max_fires=None, cooldown_s=0)
    for _ in range(50):
        intent = settle(fire(intent, NOW), NOW)
    assert (intent.status, intent.fire_count) == (Status.ARMED, 50)


@pytest.mark.parametrize("status", [Status.PENDING, Status.FIRED, *CLOSED])
def test_only_an_armed_event_fires(status: Status) -> None:
    with pytest.raises(ValueError, match="may not fire"):
        fire(replace(EVENT, status=status), NOW)


def test_a_reminder_never_fires_by_a_message_and_an_event_is_never_due() -> None:
    assert not may_fire(REMINDER, NOW + 2 * DAY)
    assert not is_due(replace(EVENT, due_at=NOW), NOW)


def test_a_fire_given_back_counts_no_more() -> None:
    fired = fire(EVENT, NOW)
    assert give_back(fired, fired_at=NOW, rested_since=None) == EVENT
    last = fire(replace(EVENT, fire_count=2), NOW)
    assert last.status is Status.DONE
    assert give_back(last, fired_at=NOW, rested_since=None) == replace(EVENT, fire_count=2)


def test_giving_an_older_fire_back_leaves_the_newer_ones_cooldown() -> None:
    first = fire(EVENT, NOW)
    second = fire(settle(first, NOW + DAY), NOW + DAY)
    given = give_back(second, fired_at=NOW, rested_since=None)
    assert (given.status, given.fire_count, given.last_fired_at) == (Status.FIRED, 1, NOW + DAY)


def test_giving_back_leaves_done_what_somebody_said_is_done() -> None:
    done = finish(fire(EVENT, NOW))
    assert done is not None
    assert give_back(done, fired_at=NOW, rested_since=None) == replace(EVENT, status=Status.DONE)


@pytest.mark.parametrize("status", [Status.CANCELLED, Status.EXPIRED])
def test_giving_back_opens_nothing_that_was_ended_otherwise(status: Status) -> None:
    ended = replace(fire(EVENT, NOW), status=status)
    assert give_back(ended, fired_at=NOW, rested_since=None).status is status


def test_a_clock_set_back_makes_nothing_early_and_nothing_wait_longer() -> None:
    fired = fire(EVENT, NOW)
    back = NOW - 365 * DAY
    settled = settle(fired, back)
    assert settled.status is Status.FIRED
    assert settled.last_fired_at == back
    assert settle(settled, back + DAY - SECOND).status is Status.FIRED
    assert settle(settled, back + DAY).status is Status.ARMED


@pytest.mark.parametrize(
    ("intent", "at"),
    [
        (EVENT, NOW + 5 * DAY),
        (replace(EVENT, status=Status.FIRED, last_fired_at=NOW, fire_count=1), NOW + DAY - SECOND),
        (replace(EVENT, last_fired_at=NOW, fire_count=1), NOW + DAY),
        (replace(REMINDER, expires_at=NOW + 90 * DAY), NOW + 2 * DAY),
        (FOLLOW_UP, NOW + DAY - SECOND),
        (replace(FOLLOW_UP, status=Status.ARMED), NOW + DAY),
    ],
)
def test_what_a_clock_that_ran_ahead_expired_is_as_if_it_never_had(intent: Intent, at: datetime) -> None:
    expired = settle(intent, NOW + 91 * DAY)
    assert expired.status is Status.EXPIRED

    assert settle(expired, at) == intent
    assert settle(expired, NOW + 90 * DAY) == expired


def test_a_reminder_is_due_until_it_is_confirmed() -> None:
    assert not is_due(settle(REMINDER, NOW), NOW)
    late = NOW + 10 * DAY
    assert is_due(settle(REMINDER, late), late)
    told = confirm(REMINDER, late, None)
    assert (told.status, told.fire_count, told.last_fired_at) == (Status.DONE, 1, late)
    with pytest.raises(ValueError, match="not due"):
        confirm(told, late, None)


def test_a_recurring_one_is_armed_for_the_next_time() -> None:
    told = confirm(RECURRING, NOW + DAY, NOW + 2 * DAY)
    assert (told.status, told.due_at, told.fire_count) == (Status.ARMED, NOW + 2 * DAY, 1)
    assert confirm(replace(RECURRING, max_fires=1), NOW + DAY, NOW + 2 * DAY).status is Status.DONE
    assert confirm(RECURRING, NOW + DAY, None).status is Status.DONE


def test_a_follow_up_waits_for_its_window_and_expires_with_it() -> None:
    assert settle(FOLLOW_UP, NOW).status is Status.PENDING
    opened = settle(FOLLOW_UP, NOW + DAY)
    assert opened.status is Status.ARMED
    assert is_due(opened, NOW + DAY)
    assert settle(FOLLOW_UP, NOW + 2 * DAY).status is Status.EXPIRED


class Lives(RuleBasedStateMachine):
    """Whatever happens to an event in whatever order, it fires no more often than it may."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.intent = replace(EVENT, cooldown_s=100, max_fires=3, expires_at=NOW + timedelta(seconds=2000))
        self.fires: list[tuple[datetime, datetime | None]] = []
        self.given = 0
        self.is_cancelled = False
        self.is_finished = False

    @rule(seconds=st.integers(-300, 900))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.intent = settle(self.intent, self.now)
        is_over = self.now >= NOW + timedelta(seconds=2000)
        assert self.intent.status is not Status.EXPIRED or is_over
        assert not self.intent.is_open or not is_over

    @rule()
    def a_message_comes(self) -> None:
        before = self.intent = settle(self.intent, self.now)
        if may_fire(before, self.now):
            self.intent = fire(before, self.now)
            self.fires.append((self.now, before.last_fired_at))
            if before.last_fired_at is not None:
                assert self.now - before.last_fired_at >= timedelta(seconds=100)

    @rule()
    def the_last_fire_is_given_back(self) -> None:
        if self.fires:
            fired_at, rested_since = self.fires.pop()
            self.given += 1
            self.intent = give_back(self.intent, fired_at=fired_at, rested_since=rested_since)

    @rule()
    def somebody_cancels(self) -> None:
        cancelled = cancel(self.intent)
        if cancelled is not None:
            self.intent = cancelled
            self.is_cancelled = True

    @rule()
    def somebody_says_that_it_is_done(self) -> None:
        finished = finish(self.intent)
        if finished is not None:
            self.intent = finished
            self.is_finished = True

    @invariant()
    def counts_what_was_not_given_back(self) -> None:
        assert self.intent.fire_count == len(self.fires) <= 3

    @invariant()
    def a_cancellation_is_final(self) -> None:
        assert (self.intent.status is Status.CANCELLED) == self.is_cancelled

    @invariant()
    def done_means_that_none_is_left(self) -> None:
        is_done = self.intent.status is Status.DONE
        assert is_done == self.is_finished if self.intent.has_fires_left else is_done or self.is_cancelled


TestLives = Lives.TestCase
