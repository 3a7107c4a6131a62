"""What comes from outside changes nothing that is known of what is trusted."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.callers import ChatType, Sender
from tests.dreaming.worlds import OWNER, World, open_world, record_recall, session

pytestmark = pytest.mark.poisoning

WORDS = ("boiler", "gateway", "key", "cellar", "9400", "仓库", "never")
Step = tuple[Literal["own", "outside"], Literal["note", "say", "ask", "flood"], str]

phrases = st.lists(st.sampled_from(WORDS), min_size=3, max_size=6).map(" ".join)
own_steps = st.tuples(st.just("own"), st.sampled_from(["note", "say", "ask"]), phrases)
outside_steps = st.tuples(st.just("outside"), st.sampled_from(["note", "say", "ask", "flood"]), phrases)


async def play(world: World, step: Step, number: int) -> None:
    side, what, text = step
    is_own = side == "own"
    sender = Sender("u1", is_owner=True) if is_own else Sender("u2")
    caller = session(f"{side}{number % 3}", sender=sender)
    said = f"The {text} of {side} {number} is there."
    match what:
        case "note":
            await world.agent.notes.append(caller, text=f"- {said}")
            await world.memory.sync()
        case "say":
            await world.say(caller, said)
            await world.memory.sync()
        case "ask":
            await world.ask(
                text, caller if is_own else session("group", sender=sender, chat_type=ChatType.GROUP)
            )
        case "flood":
            hits = [hit for hit in await world.hits(text, most=50) if hit.origin.value == "untrusted"]
            for index in range(3):
                await record_recall(world.signals, session(f"f{index}"), f"{text} {index}", hits)


async def known(steps: Sequence[Step]) -> object:
    """Every row of trusted candidates after the steps, and after a night's reading."""
    async with open_world() as world:
        number = 0
        for step in steps:
            if step[0] == "own":
                number += 1
                world.clock.move(minutes=1)
            await play(world, step, number)
        await world.ingest()
        await world.ask(WORDS[0], OWNER)
        return await world.rows(trusted=True)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(own_steps, outside_steps), min_size=2, max_size=8))
def test_without_outside_text_the_rows_of_trusted_claims_are_the_same(steps: Sequence[Step]) -> None:
    own = [step for step in steps if step[0] == "own"]
    assert trio.run(partial(known, steps)) == trio.run(partial(known, own))
