"""Forgetting takes what intents say, and what messages were answered with."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from openclaw_memd.domain.forgetting import Wanted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger.turn_answers import TurnKey
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import OWNER, Open, World

ANALYZER = Analyzer(("en",))
OTHERS = replace(OWNER, session_id="s2")


def count_rows(connection: Any) -> list[int]:
    tables = ("intents", "intent_words", "intent_anchors", "intent_fires")
    return [connection.execute(f"SELECT count(*) FROM {table}").get for table in tables]


@pytest.mark.parametrize(
    ("wanted", "stay"),
    [
        (Wanted(sessions=frozenset({("main", "s1")})), ["heron of s2"]),
        (Wanted(sessions=frozenset({("other", "s1")})), ["heron", "otter", "heron of s2"]),
        (Wanted(terms=tuple(ANALYZER.query_terms("herons"))), ["otter"]),
        (Wanted(terms=tuple(ANALYZER.query_terms("river"))), ["heron", "heron of s2"]),
        (Wanted(terms=tuple(ANALYZER.query_terms("nothing"))), ["heron", "otter", "heron of s2"]),
        (Wanted(is_everything=True), []),
    ],
)
async def test_it_takes_what_a_session_made_and_what_holds_a_query(
    world: World, opened: Open, wanted: Wanted, stay: list[str]
) -> None:
    await opened.create(Wish("heron", ("bird",)), Wish("otter", ("river",)))
    await opened.create(Wish("heron of s2", ("bird",)), caller=OTHERS)
    await opened.told("bird", most=1)
    forgetting = IntentForgetting(
        opened.intents.state, TurnAnswers(opened.intents.state, world.clock), ANALYZER
    )
    count = await forgetting.count(wanted)
    assert await forgetting.forget(wanted) == count == 3 - len(stay)
    assert await forgetting.forget(wanted) == 0
    assert [intent.description for intent in await opened.intents.list("main")] == stay
    if not stay:
        assert await opened.intents.state.read(count_rows) == [0, 0, 0, 0]


async def test_what_is_older_stays(world: World, opened: Open) -> None:
    since = world.clock.now() + timedelta(hours=1)
    await opened.create(Wish("heron", ("bird",)))
    world.clock.forward(hours=2)
    await opened.create(Wish("heron", ("bird",)))
    forgetting = IntentForgetting(
        opened.intents.state, TurnAnswers(opened.intents.state, world.clock), ANALYZER
    )
    assert await forgetting.forget(Wanted(is_everything=True, since=since, since_day=since.date())) == 1


async def test_all_answers_of_turns_go(world: World, opened: Open) -> None:
    answers = TurnAnswers(opened.intents.state, world.clock)
    key = TurnKey("main", "s1", "t1")
    await opened.intents.state.write(lambda connection: answers.write(connection, key, "the heron"))
    answers.remember(key, "the heron")
    assert answers.find(key) == "the heron"
    await IntentForgetting(opened.intents.state, answers, ANALYZER).forget_answers()
    assert answers.find(key) is None
