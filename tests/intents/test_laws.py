"""Laws of fires over a real ledger, whatever happens in whatever order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import msgspec
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.intents import RELEASE_WINDOW, Intent, Status
from openclaw_memd.index.ledger.turn_answers import TurnKey
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.intents.firing import Fired
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import GUEST, OWNER, Open, World

WORDS = ("release", "invoice", "budget")


class Create(NamedTuple):
    words: tuple[str, ...]
    max_fires: int
    cooldown_s: int
    expires_h: int


class Say(NamedTuple):
    text: str
    turn: int
    guest: bool


class End(NamedTuple):
    how: Literal["cancel", "finish"]
    which: int


class Release(NamedTuple):
    which: int


class Pass(NamedTuple):
    hours: float


class Restart(NamedTuple):
    pass


Step = Create | Say | End | Release | Pass | Restart
_NUMBER = st.integers(0, 7)
STEPS = st.lists(
    st.one_of(
        st.builds(
            Create,
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(tuple),
            st.integers(1, 3),
            st.sampled_from((0, 3_600, 86_400)),
            st.sampled_from((2, 48, 2_160)),
        ),
        st.builds(Say, st.sampled_from((*WORDS, " ".join(WORDS), "nothing")), _NUMBER, st.booleans()),
        st.builds(Say, st.just(" ".join(WORDS)), st.integers(0, 10_000), st.just(False)),
        st.builds(End, st.sampled_from(("cancel", "finish")), _NUMBER),
        st.builds(Release, _NUMBER),
        st.builds(Pass, st.sampled_from((-30.0, -1.0, 0.1, 1.0, 24.0, 50.0))),
        st.builds(Restart),
    ),
    min_size=5,
    max_size=40,
)


@dataclass
class Fire:
    """One fire; ``rests_from`` is the earliest that the clock has shown since: a rest lasts from there."""

    at: datetime
    rests_from: datetime


@dataclass
class Fires:
    """What happened to one intent."""

    intent: Intent
    ended: bool = False
    kept: list[Fire] = field(default_factory=list)  # not given back


@dataclass
class Play:
    """Carries steps out and holds what they do to the laws."""

    world: World
    by_id: dict[str, Fires] = field(default_factory=dict)
    fired: list[Fired] = field(default_factory=list)
    given_back: set[str] = field(default_factory=set)
    answers: dict[TurnKey, str] = field(default_factory=dict)

    async def run(self, steps: Sequence[Step]) -> None:
        rest = list(steps)
        while rest:
            async with self.world.open() as opened:
                turns = TurnAnswers(opened.intents.state, self.world.clock)
                while rest and not isinstance(step := rest.pop(0), Restart):
                    await self.do(step, opened, turns)
                await self.check(opened)

    async def do(self, step: Step, opened: Open, turns: TurnAnswers) -> None:
        now = self.world.clock.now()
        match step:
            case Create(words, max_fires, cooldown_s, expires_h):
                expires_at = now + timedelta(hours=expires_h)
                wish = Wish("x", words, max_fires=max_fires, cooldown_s=cooldown_s, expires_at=expires_at)
                (made,) = await opened.create(wish)
                self.by_id[made.id] = Fires(made)
            case Say():
                await self.say(step, opened, turns)
            case End(how, which) if self.by_id:
                fires = list(self.by_id.values())[which % len(self.by_id)]
                _, changed = await getattr(opened.intents, how)("main", fires.intent.id)
                fires.ended = True
                if not changed:
                    of_intent = (one.token for one in self.fired if one.intent.id == fires.intent.id)
                    self.given_back.update(of_intent)
            case Release(which) if self.fired:
                await self.release(self.fired[which % len(self.fired)], opened)
            case Pass(hours):
                self.world.clock.forward(hours=hours)
                for fire in (fire for fires in self.by_id.values() for fire in fires.kept):
                    fire.rests_from = min(fire.rests_from, self.world.clock.now())
                await opened.intents.sweep()

    async def say(self, step: Say, opened: Open, turns: TurnAnswers) -> None:
        caller = GUEST if step.guest else OWNER
        key = TurnKey("main", f"s1 {step.guest}", str(step.turn))
        if (first := turns.find(key)) is not None:
            assert first == self.answers[key]
            return
        found = await opened.firing.find(caller, step.text)

        def finish(connection: Any, fired: Sequence[Fired]) -> None:
            answer = msgspec.json.encode([one.token for one in fired]).decode()
            turns.write(connection, key, answer)
            self.answers[key] = answer

        for one in await opened.firing.fire(caller, found, most=3, finish=finish):
            assert not step.guest
            self.take(one)

    def take(self, one: Fired) -> None:
        now = self.world.clock.now()
        fires = self.by_id[one.intent.id]
        assert not fires.ended
        assert any(word in WORDS for word in fires.intent.keywords)
        assert fires.intent.expires_at is not None
        assert now < fires.intent.expires_at
        rest = timedelta(seconds=fires.intent.cooldown_s)
        assert all(now >= before.rests_from + rest for before in fires.kept)
        fires.kept.append(Fire(now, rests_from=now))
        assert len(fires.kept) <= (fires.intent.max_fires or 0)
        assert one.intent.fire_count == len(fires.kept)
        self.fired.append(one)

    async def release(self, one: Fired, opened: Open) -> None:
        fires = self.by_id[one.intent.id]
        fired_at = one.intent.last_fired_at
        assert fired_at is not None
        may = one.token not in self.given_back and self.world.clock.now() - RELEASE_WINDOW <= fired_at
        assert await opened.firing.release("main", [one.token]) == int(may)
        if may:
            self.given_back.add(one.token)
            fires.kept.remove(next(fire for fire in fires.kept if fire.at == fired_at))

    async def check(self, opened: Open) -> None:
        for fires in self.by_id.values():
            intent = await opened.intents.get("main", fires.intent.id)
            assert intent.fire_count == len(fires.kept)
            if fires.ended:
                assert not intent.is_open
            if intent.status in (Status.ARMED, Status.FIRED):
                assert intent.has_fires_left


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_whatever_happens_fires_are_counted(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        trio.run(partial(Play(World(Path(folder))).run, steps))
