"""Which events a message names, by an index of the words of their keywords."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.keywords import find_said, keyword_forms, read_message
from openclaw_memd.index.ledger import intent_words
from openclaw_memd.index.ledger.intents import add_intent
from openclaw_memd.intents.wishes import Wish, make_intent
from openclaw_memd.zones import Zone
from tests.intents.worlds import OWNER, Open, World

WORDS = ("release", "releases", "releasing", "note", "C++", "IT", "网关", "网关设置", "house", "ß", "🎉")
KEYWORD = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
KEYWORDS = st.lists(KEYWORD, min_size=1, max_size=3, unique=True).map(tuple)
MESSAGE = st.lists(st.sampled_from((*WORDS, "请检查网关设置", "HOUSES", "strasse", "?")), max_size=8)


async def fill(opened: Open, made: Sequence[tuple[str, ...]], name: str = "one") -> None:
    """All in one transaction."""

    def work(connection: Any) -> None:
        now, stems = opened.intents.clock.now(), opened.intents.stems
        for number, keywords in enumerate(made):
            intent = make_intent(
                Wish("x", keywords), OWNER, f"{name}{number}", now=now, zone=Zone("UTC"), settings=Settings()
            )
            add_intent(connection, intent, keyword_forms(keywords, stems))

    await opened.intents.state.write(work)


@settings(max_examples=30, deadline=None)
@given(made=st.lists(KEYWORDS, max_size=150), message=MESSAGE.map(" ".join))
def test_a_message_finds_what_it_says_and_nothing_else(made: list[tuple[str, ...]], message: str) -> None:
    """As if every intent was looked at."""

    async def compare() -> None:
        with TemporaryDirectory() as folder:
            async with World(Path(folder)).open() as opened:
                await fill(opened, made)
                stems = opened.intents.stems
                said = read_message(message, stems)
                found = await opened.firing.find(OWNER, message, most=len(made))
                whys = [find_said(keywords, said, stems) for keywords in made]
                assert [*found.whys.values()] == [why for why in whys if why is not None]

    trio.run(compare)


async def test_what_a_message_does_not_name_takes_no_time(tmp_path: Path) -> None:
    """Counted are the steps of SQLite's virtual machine."""
    async with World(tmp_path).open() as opened:
        await fill(opened, [("release",)] * 3)
        few = await steps(opened, "about the release")
        await fill(opened, [(f"word{n}", f"release word{n}") for n in range(3_000)], "other")
        assert await steps(opened, "about the release") <= 2 * few


async def steps(opened: Open, message: str) -> int:
    forms = read_message(message, opened.intents.stems).forms
    taken = 0

    def count() -> bool:
        nonlocal taken
        taken += 1
        return False

    def work(connection: Any) -> None:
        connection.set_progress_handler(count, 1)
        try:
            found = intent_words.find_said(
                connection, "main", forms, opened.intents.clock.now(), conversation_id="c1"
            )
            assert len([*found]) == 3
        finally:
            connection.set_progress_handler(None)

    await opened.intents.state.read(work)
    return taken
