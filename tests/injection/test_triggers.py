import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from openclaw_memd.config.sections import Inject
from openclaw_memd.domain.framing import BEGIN_RECALL, END_RECALL
from openclaw_memd.domain.trigger_index import TriggerText
from openclaw_memd.injection.trigger_vectors import LEAST_MARGIN, score_margin
from openclaw_memd.ports import EmbedderError
from tests.clocks import jump_once
from tests.fakes import HashEmbedder
from tests.injection.trigger_worlds import LIMIT_S, Marked, World, open_world

SHIP = "- Ship with the blue script. <!-- trigger: release time -->"
SAFE = "- The safe code is with Ana. <!-- trigger: safe code -->"
DINNER = "- Soup only. <!-- trigger: anna dinner soup guests -->"


async def test_a_message_brings_up_what_its_words_trigger(tmp_path: Path) -> None:
    async with open_world(tmp_path, SHIP, SAFE, "- Blue script, no trigger.") as world:
        assert await world.found("When is the release time?") == ["Ship with the blue script"]
        assert await world.found("Who knows the code of the safe?") == ["The safe code is with Ana"]
        assert await world.found("Tell me about the weather") == []
        assert await world.found("") == await world.found(" \n") == []
        (hit,) = await world.hits("release time")
        assert (hit.phrase, hit.arm, hit.entry.citation) == ("release time", "lexical", "MEMORY.md#L1")
        assert hit.score == pytest.approx(0.8 + 0.2 * hit.relevance)
        assert 0 < hit.relevance < 1


async def test_the_neighbour_of_an_entry_is_not_brought_up(tmp_path: Path) -> None:
    async with open_world(
        tmp_path,
        "- Ship with the blue script. <!-- trigger: release --> <!-- project: example.org/a -->",
        "- The safe code is with Ana. <!-- project: example.org/b -->",
    ) as world:
        assert await world.found("release time", "example.org/a") == ["Ship with the blue script"]
        assert await world.found("release time", "example.org/b") == []
        assert await world.found("release time") == []
        both = await world.found("release time", "example.org/b", "example.org/a")
        assert both == ["Ship with the blue script"]


async def test_only_what_may_be_injected_is_brought_up(tmp_path: Path) -> None:
    async with open_world(
        tmp_path,
        "- One (web). <!-- trigger: release time -->",
        "- Two. <!-- trigger: release time | status: superseded -->",
        "- Three. <!-- trigger: release time | expires: 2026-03-09 -->",
        "- Four. <!-- trigger: release time --> <!-- project: a;;b -->",
        "- <!-- trigger: release time -->",
        "- Five. <!-- trigger: release time | expires: 2026-03-10 -->",
        "",
        "- Six:",
        "  buy gold (web). <!-- trigger: release time -->",
    ) as world:
        world.write("- Seven. <!-- trigger: release time --> <!-- project: a/b -->", file="USER.md")
        (world.folder / "memory").mkdir()
        world.write("- Eight. <!-- trigger: release time -->", file="memory/2026-03-09.md")
        world.write("- Nine. <!-- trigger: release time -->", file="AGENTS.md")

        assert sorted(await world.found("release time")) == ["Five", "Seven"]


async def test_what_is_quoted_or_was_injected_triggers_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path, SHIP) as world:
        quoted = ("```\nrelease time\n```", "> release time", f"{BEGIN_RECALL}\nrelease time\n{END_RECALL}")
        for text in quoted:
            assert await world.found(f"{text}\nWhat is that?") == []
            assert await world.found(f"{text}\nWhat is the release time?") != []
        assert await world.found("release time " + "x " * 3_000) == []
        assert await world.found("x " * 3_000 + "release time") != []


async def test_the_best_come_first_and_not_too_many(tmp_path: Path) -> None:
    async with open_world(
        tmp_path,
        "- Plain. <!-- trigger: release time -->",
        "- Important. <!-- trigger: release time | importance: 9 -->",
        "- Less important. <!-- trigger: release time | importance: 3 -->",
        "- Release time is noon. <!-- trigger: release time -->",
        "- Partly. <!-- trigger: release time window -->",
    ) as world:
        message = "release time"
        everything = await world.found(message, settings=Inject(trigger_entries=9, trigger_score=0.5))
        assert everything == ["Release time is noon", "Important", "Less important", "Plain", "Partly"]
        assert await world.found(message) == everything[:3]
        assert await world.found(message, settings=Inject(trigger_entries=0)) == []
        assert await world.found(message, settings=Inject(trigger_entries=9, trigger_score=0.99)) == []


async def test_ties_are_in_the_order_of_the_files(tmp_path: Path) -> None:
    entry = "- Tea at four. <!-- trigger: tea time -->"
    async with open_world(tmp_path, entry, entry) as world:
        world.write(entry, file="USER.md")

        citations = [hit.entry.citation for hit in await world.hits("tea time")]

        assert citations == ["MEMORY.md#L1", "MEMORY.md#L2", "USER.md#L1"]


async def test_one_word_needs_a_message_that_is_about_it(tmp_path: Path) -> None:
    async with open_world(tmp_path, "- Runs on port 1. <!-- trigger: gateway -->") as world:
        assert await world.found("Is the gateway down?") == ["Runs on port 1"]
        long = "Write a long letter to our neighbours, friends, colleagues, customers, partners, teachers"
        assert await world.found(f"{long} and everybody else at the gateway of the valley near home") == []


async def test_an_edit_shows_with_the_next_message(tmp_path: Path) -> None:
    async with open_world(tmp_path, SHIP) as world:
        assert await world.found("release time") == ["Ship with the blue script"]
        world.write(SHIP.replace("-->", "| status: superseded -->"), SHIP.replace("blue", "red"))
        assert await world.found("release time") == ["Ship with the red script"]
        (world.folder / "MEMORY.md").unlink()
        assert await world.found("release time") == []


async def test_the_index_is_kept_like_the_files_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path, SHIP) as world, trio.open_nursery() as nursery:
        built = trio.Event()

        def note(texts: Sequence[TriggerText]) -> None:
            if texts:
                built.set()

        monkeypatch.setattr(world.entries.vectors, "want", note)
        nursery.start_soon(world.entries.run)
        nursery.start_soon(world.core.run)
        with trio.fail_after(LIMIT_S):
            await built.wait()
        nursery.cancel_scope.cancel()


async def test_after_the_deadline_nothing_is_brought_up(tmp_path: Path) -> None:
    async with open_world(tmp_path, SHIP) as world:
        assert await world.hits("release time", limit_s=-1.0) == ()


async def test_an_index_that_takes_long_to_build_holds_up_nobody_past_the_deadline(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path, SHIP) as world:
        build, builds, may_build = world.entries._build, threading.Event(), threading.Event()

        def build_slowly(*arguments: Any) -> Any:
            builds.set()
            assert may_build.wait(LIMIT_S)
            return build(*arguments)

        monkeypatch.setattr(world.entries, "_build", build_slowly)
        try:
            async with jump_once(builds.is_set, mock_clock, LIMIT_S):
                assert await world.hits("release time", limit_s=LIMIT_S) == ()
        finally:
            may_build.set()
        assert await world.found("release time") == ["Ship with the blue script"]


async def test_many_entries_are_matched_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_memd.injection.triggers.AT_ONCE", 1)
    async with open_world(tmp_path, SHIP, SAFE) as world:
        assert await world.found("When is the release time?") == ["Ship with the blue script"]
        may_match = threading.Event()
        snapshot = await world.entries.current(trio.current_time() + LIMIT_S)
        assert snapshot is not None
        match = snapshot.index.match

        def match_late(message: str) -> Any:
            assert may_match.wait(LIMIT_S)
            return match(message)

        monkeypatch.setattr(snapshot.index, "match", match_late)
        try:
            with trio.fail_after(LIMIT_S / 2):
                assert await world.hits("release time", limit_s=0.05) == ()
        finally:
            may_match.set()


async def test_a_line_of_which_nobody_can_say_yet_who_is_behind_it_brings_nothing_up(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path, SHIP, SAFE) as world:
        assert await world.found("release time, safe code") != []
        attribute, may_answer = Marked.attribute, threading.Event()

        def attribute_late(self: Marked, read: Any) -> Any:
            trio.from_thread.run_sync(mock_clock.jump, LIMIT_S)  # so that who asks has no more time
            assert may_answer.wait(LIMIT_S)
            return attribute(self, read)

        monkeypatch.setattr(Marked, "attribute", attribute_late)
        world.write(SHIP, SAFE.replace("Ana", "Eve"))
        try:
            hits = await world.hits("release time, safe code")
            assert [hit.entry.entry.text for hit in hits] == [SHIP]
        finally:
            may_answer.set()


async def test_while_the_index_is_built_what_was_known_and_is_still_there_comes_up(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path, SHIP, SAFE) as world:
        assert await world.found("release time") != []
        build, may_build = world.entries._build, threading.Event()

        def build_late(*arguments: Any) -> Any:
            trio.from_thread.run_sync(mock_clock.jump, LIMIT_S)  # so that who asks has no more time
            assert may_build.wait(LIMIT_S)
            return build(*arguments)

        monkeypatch.setattr(world.entries, "_build", build_late)
        try:
            world.write(f"# New\n\n{SHIP}\n")
            (hit,) = await world.hits("release time")
            assert hit.entry.citation == "MEMORY.md#L3"
            spare = world.core.spare
            async with jump_once(lambda: spare.statistics().tasks_waiting == 1, mock_clock, LIMIT_S):
                hits = await world.hits("safe code")  # waits for the thread that hangs
            assert hits == ()
        finally:
            may_build.set()


lines = st.sampled_from(
    [
        SHIP,
        SAFE,
        "- Release (web). <!-- trigger: release time | importance: 10 -->",
        "- The code (web). <!-- trigger: safe; code -->",
        "- Nothing here (web).",
        "## Release time of the safe code (web)",
        "# Core",
        "",
    ]
)


@settings(max_examples=10)
@given(st.lists(lines, max_size=8), st.sampled_from(["release time", "the safe code", "code of release"]))
@example(["## Release time of the safe code (web)", SAFE], "the safe code of the release")
def test_outside_text_makes_no_difference(entries: list[str], message: str) -> None:
    async def scores(*texts: str) -> list[tuple[str, float]]:
        with TemporaryDirectory() as folder:
            async with open_world(Path(folder), *texts) as world:
                return [(hit.entry.entry.text, hit.score) for hit in await world.hits(message)]

    trusted = [entry for entry in entries if "(web)" not in entry]

    assert trio.run(scores, *entries) == trio.run(scores, *trusted)


# By meaning


async def prepare(world: World) -> None:
    """Index the entries and give them vectors."""
    await world.hits("hello")
    await world.entries.vectors.fill()


async def test_a_message_that_means_a_phrase_brings_its_entry_up(tmp_path: Path) -> None:
    embedder = HashEmbedder(dims=256)
    async with open_world(tmp_path, DINNER, SHIP, embedder=embedder) as world:
        assert await world.hits("anna dinner") == (), "there are no vectors yet"
        await prepare(world)

        (hit,) = await world.hits("anna dinner")
        assert (hit.arm, hit.phrase) == ("vector", "anna dinner soup guests")
        assert 0.72 <= hit.score <= 1.0
        assert await world.hits("dinner weather music") == ()
        assert await world.hits("something else") == ()
        assert {kind for kind, _ in embedder.calls} == {"query", "passage"}


async def test_what_words_find_is_not_embedded_for(tmp_path: Path) -> None:
    embedder = HashEmbedder(dims=256)
    async with open_world(tmp_path, SHIP, embedder=embedder) as world:
        await prepare(world)
        before = len(embedder.calls)

        assert await world.found("release time") != []
        assert await world.found("nothing of that") == []
        assert len(embedder.calls) == before


async def test_an_embedder_that_hangs_costs_the_vector_arm_and_nothing_else(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    embedder = HashEmbedder(dims=256)
    asked = trio.Event()

    async def hang() -> None:
        asked.set()
        await trio.sleep_forever()

    async with open_world(tmp_path, DINNER, SHIP, embedder=embedder) as world:
        await prepare(world)
        embedder.before_answer = hang
        found: list[str] = []

        async def look() -> None:
            found.extend(await world.found("anna dinner release time"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            await asked.wait()
            mock_clock.jump(LIMIT_S)
        assert found == ["Ship with the blue script"]
        embedder.before_answer = None
        assert await world.found("anna dinner") == ["Soup only"]


async def test_an_embedder_that_fails_or_is_not_ready_is_done_without(tmp_path: Path) -> None:
    embedder = HashEmbedder(dims=256)
    async with open_world(tmp_path, DINNER, embedder=embedder) as world:
        await prepare(world)
        embedder.faults.append(EmbedderError("broken"))
        assert await world.found("anna dinner") == []
        embedder.loads = 0
        assert await world.found("anna dinner") == [], "it is idle, and loading takes longer than a turn"
        await world.entries.vectors.fill()
        assert await world.found("anna dinner") == ["Soup only"], "it was loaded for the next one"


async def test_vectors_are_kept_for_the_next_start(tmp_path: Path) -> None:
    embedder = HashEmbedder(dims=256)
    async with open_world(tmp_path, DINNER, embedder=embedder) as world:
        await prepare(world)
        done = len(embedder.embedded_texts)
        await world.entries.vectors.fill()
        assert len(embedder.embedded_texts) == done
    async with open_world(tmp_path, embedder=embedder) as world:
        await prepare(world)
        assert len(embedder.embedded_texts) == done
        assert await world.found("anna dinner") == ["Soup only"]


async def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    embedder = HashEmbedder(dims=256)
    async with open_world(tmp_path, DINNER, embedder=embedder) as world:
        await prepare(world)
        embedder.model_id = "hash-2"
        assert await world.found("anna dinner") == []
        await world.entries.vectors.fill()
        assert await world.found("anna dinner") == ["Soup only"]
        embedder.model_id = None
        await world.entries.vectors.fill()
        assert await world.found("anna dinner") == []


async def test_without_triggers_nothing_is_embedded(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    async with open_world(tmp_path, "- No trigger.", embedder=embedder) as world:
        await prepare(world)
        assert embedder.calls == []


async def test_an_embedder_that_failed_is_tried_again_later(tmp_path: Path, mock_clock: MockClock) -> None:
    embedder = HashEmbedder(dims=256)
    embedder.faults.append(EmbedderError("not yet"))
    tried_again = trio.Event()

    async def note() -> None:
        tried_again.set()
        await trio.lowlevel.checkpoint()

    async with open_world(tmp_path, DINNER, embedder=embedder) as world, trio.open_nursery() as nursery:
        await world.hits("hello")
        with pytest.raises(EmbedderError):
            await world.entries.vectors.fill()
        embedder.faults.append(EmbedderError("not yet"))
        embedder.before_answer = note
        nursery.start_soon(world.entries.vectors.run)
        while embedder.faults:
            await trio.testing.wait_all_tasks_blocked()
        assert not tried_again.is_set()
        mock_clock.jump(100)
        await tried_again.wait()
        nursery.cancel_scope.cancel()


@given(st.floats(-2, 3))
def test_a_margin_counts_from_the_least_one_on(margin: float) -> None:
    score = score_margin(margin)

    assert 0.0 <= score <= 1.0
    assert (score >= 0.9) == (margin >= LEAST_MARGIN)
    assert (score == 0.0) == (margin < LEAST_MARGIN)
