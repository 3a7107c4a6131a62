from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.turns import (
    IDLE_LIMIT,
    End,
    Question,
    SetAside,
    Step,
    Turn,
    TurnEvent,
    advance,
    settle,
)

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)
SOON = AT + timedelta(seconds=1)
LATE = AT + IDLE_LIMIT
CLEAN = Turn(Origin.OWNER, asker="ana", active_at=AT)
TAINTED = replace(CLEAN, tainted=True)
RECALLED = Turn(Origin.SYSTEM, set_aside=SetAside.RECALLED, active_at=AT)


@pytest.mark.parametrize(
    ("before", "event", "at", "after"),
    [
        (Turn(), Question(Origin.OWNER, "ana"), AT, CLEAN),
        (Turn(), Question(Origin.UNTRUSTED), AT, Turn(active_at=AT)),
        (Turn(), Question(Origin.OWNER, "ana", tainted=True), AT, TAINTED),
        (Turn(), Question(Origin.SYSTEM, set_aside=SetAside.RECALLED), AT, RECALLED),
        (TAINTED, Question(Origin.OWNER, "ana"), AT, CLEAN),
        (RECALLED, Question(Origin.OWNER, "ana"), AT, CLEAN),
        (CLEAN, Question(Origin.UNTRUSTED, "bob"), AT, Turn(asker="bob", active_at=AT)),
        (CLEAN, Step(), SOON, replace(CLEAN, active_at=SOON)),
        (CLEAN, Step(network=True), AT, TAINTED),
        (TAINTED, Step(), SOON, replace(TAINTED, active_at=SOON)),
        (
            TAINTED,
            Step(),
            LATE - timedelta(seconds=1),
            replace(TAINTED, active_at=LATE - timedelta(seconds=1)),
        ),
        (TAINTED, Step(), LATE, replace(CLEAN, active_at=LATE)),
        (TAINTED, Step(network=True), LATE, replace(TAINTED, active_at=LATE)),
        (TAINTED, Step(), AT - timedelta(days=9), replace(TAINTED, active_at=AT - timedelta(days=9))),
        (RECALLED, Step(), SOON, replace(RECALLED, active_at=SOON)),
        (RECALLED, Step(), LATE, replace(RECALLED, active_at=LATE)),
        (CLEAN, Step(set_aside=SetAside.RECALLED), AT, replace(CLEAN, set_aside=SetAside.RECALLED)),
        (RECALLED, Step(set_aside=SetAside.HEARTBEAT), AT, RECALLED),
        (TAINTED, End(), SOON, Turn(active_at=SOON)),
        (RECALLED, End(), SOON, Turn(active_at=SOON)),
        (Turn(), Step(network=True), AT, Turn(tainted=True, active_at=AT)),
    ],
)
def test_every_transition(before: Turn, event: TurnEvent, at: datetime, after: Turn) -> None:
    assert advance(before, event, at) == after


@pytest.mark.parametrize(
    ("before", "now", "after"),
    [
        (Turn(), AT, Turn()),
        (TAINTED, SOON, TAINTED),
        (TAINTED, LATE - timedelta(microseconds=1), TAINTED),
        (TAINTED, LATE, CLEAN),
        (CLEAN, LATE, CLEAN),
        (TAINTED, AT - timedelta(days=400), replace(TAINTED, active_at=AT - timedelta(days=400))),
    ],
)
def test_a_turn_in_which_nothing_happens(before: Turn, now: datetime, after: Turn) -> None:
    assert settle(before, now) == after


def test_a_taint_ends_half_an_hour_after_the_clock_was_set_back_and_not_in_a_year() -> None:
    back = AT - timedelta(days=400)
    settled = settle(TAINTED, back)
    assert settled.tainted
    assert not settle(settled, back + IDLE_LIMIT).tainted


class TurnMachine(RuleBasedStateMachine):
    """A turn against a record of everything that happened."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = Turn()
        self.now = AT
        self.network_at: datetime | None = None
        self.origin = Origin.UNTRUSTED
        self.last_at: datetime | None = None

    def _apply(self, event: TurnEvent) -> None:
        if self.last_at is not None and self.now - self.last_at >= IDLE_LIMIT:
            self.network_at = None
        self.turn = advance(self.turn, event, self.now)
        self.last_at = self.now

    @rule(seconds=st.integers(0, 2 * 3600))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(origin=st.sampled_from(Origin), tainted=st.booleans())
    def ask(self, origin: Origin, tainted: bool) -> None:
        self._apply(Question(origin, tainted=tainted))
        self.origin = origin
        self.network_at = self.now if tainted else None

    @rule(network=st.booleans())
    def step(self, network: bool) -> None:
        self._apply(Step(network))
        if network:
            self.network_at = self.now

    @rule()
    def end(self) -> None:
        self._apply(End())
        self.origin, self.network_at = Origin.UNTRUSTED, None

    @invariant()
    def is_as_recorded(self) -> None:
        turn = settle(self.turn, self.now)
        is_idle = self.last_at is not None and self.now - self.last_at >= IDLE_LIMIT
        assert turn.tainted == (self.network_at is not None and not is_idle)
        assert turn.origin is self.origin


TestTurnMachine = TurnMachine.TestCase
