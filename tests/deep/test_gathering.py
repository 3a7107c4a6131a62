from datetime import date
from pathlib import Path

import pytest
import trio

from openclaw_memd.deep.gathering import Gatherer
from openclaw_memd.deep.types import MOST_HITS
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import DeadlineError
from openclaw_memd.recall.query import Statistics
from openclaw_memd.recall.types import Hit, SearchAnswer, SearchRequest
from tests.deep.hits import answer_of, make_hit
from tests.deep.world import NOTES, open_world

TODAY = date(2026, 1, 11)


async def test_a_time_looks_in_its_days_first(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = await world.gather("what did we decide about the gateway port this week?")

    assert found.hits[0].path == "memory/2026-01-07.md"
    assert found.gist == "Decided: the port of the gateway is 18789 again."
    assert (found.steps[0].after, found.steps[0].before) == (date(2026, 1, 5), TODAY)


async def test_when_the_days_have_nothing_everything_is_looked_at(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = await world.gather("what about the canoe in 2019?")

    assert found.steps[0].found == 0
    assert found.hits[0].path == "memory/2026-01-09-boat.md"


async def test_a_time_alone_lists_its_days(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = await world.gather("what did we do yesterday?")

    assert [hit.path for hit in found.hits] == ["memory/2026-01-10.md"]
    assert found.gist == "Moved the backups to the new disk."
    assert [step.action for step in found.steps] == ["days"]


async def test_a_time_alone_with_nothing_in_its_days_is_looked_for_as_words(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = await world.gather("what did we do in 2019?")

    assert [step.action for step in found.steps][:2] == ["days", "search"]


async def test_each_of_several_names_is_looked_for(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.gather("What did Ada and Ben buy together?")

    queries = [request.query for request in world.searches]
    assert queries[0] == "What did Ada and Ben buy together?"
    assert any("Ada" in query and "Ben" not in query for query in queries)
    assert any("Ben" in query and "Ada" not in query for query in queries)
    assert {request.corpus for request in world.searches} == {"all"}


async def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        found = await world.gather("xylophone zebra")

    assert (found.hits, found.gist, found.late) == ((), "", False)


class Slow:
    """A search of which only the first is quick. ``raises``: the others are given up instead of waiting."""

    def __init__(self, hit: Hit, *, raises: bool = False) -> None:
        self._hit = hit
        self._raises = raises
        self._asked = 0

    async def search(self, request: SearchRequest) -> SearchAnswer:
        self._asked += 1
        if self._asked > 1:
            if self._raises:
                raise DeadlineError("not done in time")
            await trio.sleep_forever()
        return answer_of(self._hit)

    async def count_forms(self, forms: object) -> Statistics:
        await trio.sleep_forever()
        raise AssertionError


@pytest.mark.parametrize("raises", [False, True])
async def test_what_there_is_by_the_deadline_is_given(autojump_clock: object, raises: bool) -> None:
    hit = make_hit("- Ada and Ben have a canoe")

    async def list_days(request: SearchRequest) -> tuple[Hit, ...]:
        return ()

    gatherer = Gatherer(Slow(hit, raises=raises), list_days, Analyzer(), min_score=0.35)
    scope = SearchRequest("", deadline_at=trio.current_time() + 2)

    found = await gatherer.gather("What have Ada and Ben?", scope, TODAY)

    assert found.late
    assert [one.citation for one in found.hits] == [hit.citation]
    assert trio.current_time() < 2


async def test_there_are_never_more_hits_than_a_search_of_ten_has(tmp_path: Path) -> None:
    texts = {f"memory/2026-01-{day:02}.md": f"- the port number {day}\n" for day in range(1, 29)}
    async with open_world(tmp_path, texts) as world:
        found = await world.gather("port number")

    assert len(found.hits) == MOST_HITS


@pytest.mark.parametrize(
    "question",
    [
        "what did we decide about the gateway port this week?",
        "What did Ada and Ben buy?",
        "what did we do yesterday?",
        "what did we do on 5 January 2026?",
        "port",
    ],
)
async def test_outside_text_moves_nothing_trusted(tmp_path: Path, question: str) -> None:
    outside = {
        f"extra/lib/2026-01-{day:02}.md": "- What Ada and Ben decided to buy: the gateway port this week.\n"
        * 3
        for day in range(1, 12)
    }
    async with open_world(tmp_path / "without") as world:
        without = (await world.gather(question)).hits
    async with open_world(tmp_path / "with", {**NOTES, **outside}) as world:
        together = (await world.gather(question)).hits

    trusted = [hit for hit in together if is_trusted(hit.origin)]
    assert trusted == list(without[: len(trusted)])
    assert not any(hit.weak is False for hit in without[len(trusted) :])
