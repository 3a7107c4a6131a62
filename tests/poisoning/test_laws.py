"""What comes from outside adds nothing to what is trusted, and takes nothing from it."""

from collections.abc import Sequence

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from openclaw_memd.domain.likeness import LEAST_CONTENT
from tests.poisoning.histories import (
    CRON,
    GROUP,
    GUEST,
    OWNER,
    THROUGH_TAINT,
    Door,
    Event,
    open_history,
    outside_hits,
)

pytestmark = pytest.mark.poisoning

WORDS = ["boiler", "gateway", "key", "cellar", "Ana", "9400", "CHG-48213", "仓库", "ключ", "never"]
QUERIES = ["boiler cellar", "gateway 9400", "CHG-48213", "仓库", "ключ", "Ana never key", "memory"]

phrases = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join)
TRUSTED_DOORS: list[Door] = ["note", "flush", "say", "capture", "edit"]
OUTSIDE_DOORS: list[Door] = ["note", "flush", "say", "capture", *THROUGH_TAINT]


def trusted_events(number: int) -> st.SearchStrategy[Event]:
    """The owner's; each has a word of its own: a copy of outside text would derive from it, and so would a
    line that holds all of a longer one.
    """
    made = st.builds(lambda phrase: f"- {phrase} own{number}x", phrases)
    return st.builds(Event, st.sampled_from(TRUSTED_DOORS), st.just(OWNER), made)


short_phrases = st.lists(st.sampled_from(WORDS), min_size=2, max_size=LEAST_CONTENT - 1).map(" ".join)
outside_phrases = short_phrases | phrases.map("{} strange".format)
bullets = outside_phrases.map("- {}".format)
tainted_turns = st.builds(Event, st.sampled_from(THROUGH_TAINT), st.just(OWNER), bullets)
outside_events = (
    st.builds(Event, st.sampled_from(OUTSIDE_DOORS), st.sampled_from([GUEST, GROUP, CRON]), bullets)
    | st.builds(Event, st.just("note"), st.none(), outside_phrases)
    | tainted_turns
)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Trusted events with outside ones between them."""
    events: list[Event] = []
    for number in range(draw(st.integers(1, 4))):
        events += draw(st.lists(outside_events, max_size=2))
        events.append(draw(trusted_events(number)))
    return [*events, *draw(st.lists(outside_events, max_size=2))]


def play(events: Sequence[Event]) -> tuple[dict[str, bytes], bytes, list[str]]:
    """The trusted files and trusted hits after ``events``, and what a session is given then."""
    clock = MockClock()

    async def main() -> tuple[dict[str, bytes], bytes, list[str]]:
        async with open_history(clock) as history:
            for event in events:
                await history.play(event)
            files = history.trusted_files()
            return files, await history.trusted_hits(QUERIES), await history.given()

    return trio.run(main, clock=clock)


@given(histories())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_without_everything_from_outside_trusted_files_and_scores_are_the_same(events: list[Event]) -> None:
    trusted = [event for event in events if event.is_trusted]
    files, hits, given_ = play(events)
    expected_files, expected_hits, expected_given = play(trusted)
    assert files == expected_files
    assert hits == expected_hits
    assert given_ == expected_given


def test_a_session_is_given_what_its_owner_noted() -> None:
    assert "> - boiler key" in play([Event("note", OWNER, "- boiler key")])[2]


@pytest.mark.parametrize("door", THROUGH_TAINT)
def test_a_tainted_turn_of_the_owner_changes_nothing_that_is_trusted(door: Door) -> None:
    words = "- boiler key 9400 gateway"
    events = [Event(kind, OWNER, f"- key cellar {kind} own{kind}x") for kind in TRUSTED_DOORS]
    assert play([events[0], Event(door, OWNER, words), *events[1:]]) == play(events)


@pytest.mark.parametrize("door", THROUGH_TAINT)
def test_nothing_of_a_tainted_turn_of_the_owner_is_trusted(door: Door) -> None:
    check_untrusted([Event(door, OWNER, "- boiler key 9400 gateway")])


@given(st.lists(outside_events, min_size=1, max_size=5))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_comes_from_outside_is_never_trusted(events: list[Event]) -> None:
    check_untrusted(events)


def check_untrusted(events: Sequence[Event]) -> None:
    """Nothing is trusted of what ``events`` brought in."""
    clock = MockClock()

    async def main() -> None:
        async with open_history(clock) as history:
            for event in events:
                await history.play(event)
            assert history.trusted_files() == {}
            assert await history.given() == [""]
            for query in QUERIES:
                hits = await history.find(query, corpus="all")
                assert len(outside_hits(hits)) == len(hits)

    trio.run(main, clock=clock)
