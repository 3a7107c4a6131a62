"""Edge cases of dreaming that belong to no module alone."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest

from openclaw_memd.config.schema import Config
from openclaw_memd.domain.contamination import find_contamination
from openclaw_memd.domain.promotion_gates import Ranking
from openclaw_memd.domain.promotion_score import Signals, score_signals
from openclaw_memd.dreaming.rendering import SHOWN_CHANGES, Dates, render_deep
from openclaw_memd.dreaming.types import Applied, Change
from tests.dreaming.worlds import World, open_world, session

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)
POT = "The meter box key lies under the blue pot."


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with open_world() as opened:
        yield opened


async def test_a_tail_behind_the_cut_is_seen_all_the_same(world: World) -> None:
    """What a machine added behind so many characters as are kept makes all of it no memory."""
    tail = "[score=0.812 signals=3 recalls=2 avg=0.700 source=memory/2026-01-10.md:3-3]"
    await world.note("memory/2026-01-11.md", f"- {'The pump of house 3 is loud. ' * 40}{tail}\n- {POT}\n")
    await world.ingest()
    assert list(await world.candidates()) == [POT]


def test_text_about_dreaming_is_text() -> None:
    for text in (
        "The prompt of the dream diary asks for one entry in the first person.",
        "Dreaming runs at three in the morning.",
    ):
        assert find_contamination(text) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_score", -0.1),
        ("min_score", 1.1),
        ("min_recalls", -1),
        ("min_queries", -1),
        ("half_life_days", 0),
        ("half_life_days", -3),
        ("max_age_days", 0),
        ("limit", -1),
    ],
)
def test_a_threshold_that_means_nothing_is_refused(name: str, value: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"agents": {"main": {"dreaming": {name: value}}}}, Config)


def test_spread_recalls_and_old_notes_consolidate() -> None:
    first = date(2026, 1, 4)
    spread = Signals(
        recalls=3, days=[first, first + timedelta(days=3), first + timedelta(days=7)], last_at=NOW
    )
    assert score_signals(spread, NOW).consolidation > 0.4
    assert score_signals(Signals(recalls=3, days=[first], last_at=NOW), NOW).consolidation == 0.2
    assert score_signals(Signals(grounded=3, last_at=NOW), NOW).consolidation == 1.0
    assert score_signals(Signals(grounded=1, last_at=NOW), NOW).consolidation == pytest.approx(1 / 3)


def test_a_page_shows_few_changes_and_cuts_no_letter_in_two() -> None:
    changes = [
        Change(
            f"t{number}", "superseded", "MEMORY.md", "🦊" * 400, "memory/2026-01-11.md#L1", ("👩‍🚀" * 200,)
        )
        for number in range(SHOWN_CHANGES + 9)
    ]
    applied = Applied({one.key: one.action for one in changes}, {}, changes=changes)
    shown = render_deep(Ranking((), ()), applied, {}, Dates())
    assert shown.count("- `+` ") == SHOWN_CHANGES
    assert f"Promoted {len(changes)} into" in shown
    assert shown.encode("utf-8").decode("utf-8") == shown


async def test_signals_in_good_order_are_not_written_by_a_repair(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.note("memory/2026-01-11.md", f"- {POT}\n")
    await world.ask("where is the meter box key", session("s1"))
    await world.signals.settle()
    before = await world.rows()

    def refuse(*_args: object) -> None:
        raise AssertionError("a write")

    monkeypatch.setattr(world.memory.state, "write", refuse)
    assert await world.signals.repair() == 0
    assert await world.rows() == before


async def test_a_full_file_alone_is_no_news(world: World) -> None:
    """What waits for room is told by the report night after night, and makes no page."""
    (world.folder / "MEMORY.md").write_text(
        "# Mine\n\n" + "".join(f"- Line {n} {'x' * 90}\n" for n in range(99))
    )
    await world.note("memory/2026-01-11.md", f"- {POT}\n")
    for number, question in enumerate(("meter box key", "where is the key", "blue pot", "under the pot")):
        await world.ask(question, session(f"s{number}"))
        world.clock.move(days=1 if number < 2 else 0)

    report = await world.memory.dreaming.dreams.run()

    assert report.deep is not None
    assert report.deep.setbacks == {"budget": 1}
    assert not (world.folder / "memory/dreaming/deep").exists()
    assert (world.folder / "memory/dreaming/light").exists()


async def test_a_decision_counts_for_the_night_at_which_it_was_taken(world: World) -> None:
    """Ranking and writing share one instant: what is too old to be chosen is not written."""
    await world.note("memory/2026-01-11.md", f"- {POT}\n")
    for number, question in enumerate(("meter box key", "where is the key", "blue pot", "under the pot")):
        await world.ask(question, session(f"s{number}"))
        world.clock.move(days=1 if number < 2 else 0)
    world.clock.move(days=31)
    report = await world.memory.dreaming.dreams.run()
    assert report.deep is not None
    assert report.deep.excluded == {"age": 1}
