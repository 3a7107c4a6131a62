from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.index.filler import DAMAGE_RETRY_S, DISK_RETRY_S
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.ports import EmbedderError, EmbedKind
from tests.fakes import HashEmbedder
from tests.index.fill_world import AT, World, notes, settle, until
from tests.index.vectors import Vectors, key, overwrite_pages, set_aside

ROUNDING = 0.5 / 127


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(open_vectors(tmp_path / "vectors.db", AT).store, HashEmbedder())
    yield world
    await world.store.aclose()


async def stored(world: World, text: str, model: str = "hash-1") -> Vectors | None:
    """The line vectors of a text."""
    return (await LineStore(world.store).fetch(model, [key(text)])).get(key(text))


async def until_filled(world: World) -> FillProgress:
    def is_filled() -> bool:
        progress = world.progress
        whole = progress.done + progress.given_up == progress.total
        return progress.state is FillState.IDLE and whole and progress.lines_done == progress.lines_total > 0

    await until(is_filled)
    return world.progress


def lines_of(name: str, count: int) -> list[str]:
    return [f"{name} line {number}" for number in range(count)]


def chunk(name: str, count: int) -> str:
    return "\n".join(lines_of(name, count))


class TestFilling:
    async def test_lines_come_after_every_text_most_recently_changed_first(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        texts = [chunk("a", 2), chunk("b", 2), chunk("c", 2)]
        world.publish("outside", search=world.later_search)
        world.publish(*texts)
        await nursery.start(world.filler.run)

        assert await until_filled(world) == FillProgress(FillState.IDLE, 4, 4, 0, None, 4, 4)
        whole = [*texts[::-1], "outside"]
        assert world.embedder.embedded_texts[:4] == whole
        assert world.embedder.embedded_texts[4:] == [line for text in whole for line in text.split("\n")]
        assert all(len(texts) <= 4 for _, texts in world.embedder.calls)

    async def test_each_line_with_text_has_its_own_vector(self, world: World, nursery: trio.Nursery) -> None:
        text = "# Plants\n\n- water the fig <!-- importance: 3 -->\n<!-- trigger: fig -->\n\t- on Monday"
        world.publish(text)
        await nursery.start(world.filler.run)
        await until_filled(world)

        found = await stored(world, text)

        assert found is not None
        for row, line in zip(found, ("# Plants", "- water the fig", "- on Monday"), strict=True):
            np.testing.assert_allclose(row, world.embedder.vector(line), atol=ROUNDING)

    async def test_a_text_of_nothing_but_blank_lines_needs_no_embedder(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(" \n\n")
        await nursery.start(world.filler.run)
        await until_filled(world)

        found = await stored(world, " \n\n")

        assert world.embedder.embedded_texts == [" \n\n"]
        assert found is not None
        assert found.shape == (0, world.embedder.dims)

    async def test_a_text_that_is_published_meanwhile_gets_its_vector_before_the_next_lines(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(chunk("long", 11))

        async def publish_during_lines() -> None:
            if world.embedder.embedded_texts[-1:] == ["long line 3"]:
                world.embedder.before_answer = None
                world.publish(chunk("fresh", 2))

        world.embedder.before_answer = publish_during_lines
        await nursery.start(world.filler.run)
        await until(lambda: world.progress.total == 2)
        await until_filled(world)

        assert world.embedder.embedded_texts == [
            chunk("long", 11),
            *lines_of("long", 8),
            chunk("fresh", 2),
            *lines_of("fresh", 2),
            *lines_of("long", 11)[8:],
        ]

    async def test_lines_in_common_are_embedded_once(self, world: World, nursery: trio.Nursery) -> None:
        shared = [f"common {number}" for number in range(6)]
        first = "\n".join([*shared, "end"])
        second = "\n".join(["begin", *shared, shared[0]])
        world.publish(first, second)
        world.publish(first, search=world.later_search)
        await nursery.start(world.filler.run)
        await until_filled(world)

        lines = [text for text in world.embedder.embedded_texts if "\n" not in text]
        assert sorted(lines) == sorted([*shared, "begin", "end"])
        for text in (first, second):
            found = await stored(world, text)
            assert found is not None
            made = np.stack([world.embedder.vector(line) for line in text.split("\n")])
            np.testing.assert_allclose(found, made, atol=ROUNDING)

    async def test_texts_of_more_lines_than_are_remembered_get_all_of_theirs(
        self, tmp_path: Path, nursery: trio.Nursery
    ) -> None:
        world = World(open_vectors(tmp_path / "short.db", AT).store, HashEmbedder(), recent_lines=1)
        world.publish(chunk("a", 19), chunk("b", 23))
        await nursery.start(world.filler.run)
        await until_filled(world)

        for text in (chunk("a", 19), chunk("b", 23)):
            found = await stored(world, text)
            assert found is not None
            assert found.any(axis=1).all()
        await world.store.aclose()

    async def test_a_run_that_was_killed_is_continued(self, world: World, nursery: trio.Nursery) -> None:
        texts = [chunk(f"note {number}", 3) for number in range(8)]
        world.publish(*texts)

        async def stop_in_lines() -> None:
            if len(world.embedder.embedded_texts) == 8 + 12:
                await trio.sleep_forever()

        world.embedder.before_answer = stop_in_lines
        async with trio.open_nursery() as first_life:
            await first_life.start(world.filler.run)
            await until(lambda: world.progress.lines_done == 4)
            assert world.progress == FillProgress(FillState.FILLING, 8, 8, 0, None, 4, 8)
            first_life.cancel_scope.cancel()

        world.embedder.before_answer = None
        world.filler = world.new_filler()
        await nursery.start(world.filler.run)
        await until_filled(world)

        lines = [line for text in texts[::-1] for line in text.split("\n")]
        assert world.embedder.embedded_texts == texts[::-1] + lines

    async def test_what_is_there_is_not_embedded_again(self, world: World, nursery: trio.Nursery) -> None:
        world.publish(*notes(6))
        async with trio.open_nursery() as first_life:
            await first_life.start(world.filler.run)
            await until_filled(world)
            first_life.cancel_scope.cancel()
        world.filler = world.new_filler()
        await nursery.start(world.filler.run)

        assert await until_filled(world) == FillProgress(FillState.IDLE, 6, 6, 0, None, 6, 6)
        assert len(world.embedder.embedded_texts) == 12

    async def test_an_embedder_that_is_required_gets_no_lines(
        self, tmp_path: Path, nursery: trio.Nursery
    ) -> None:
        world = World(open_vectors(tmp_path / "remote.db", AT).store, HashEmbedder(required=True))
        world.publish(chunk("note", 3))
        await nursery.start(world.filler.run)
        await world.until_idle()
        await settle()

        assert world.embedder.embedded_texts == [chunk("note", 3)]
        assert world.progress == FillProgress(FillState.IDLE, 1, 1, 0, None, 0, 0)
        await world.store.aclose()

    @given(
        texts=st.lists(
            st.lists(
                st.sampled_from(["", "  ", "one", "two", "- two", "three four"]), min_size=1, max_size=9
            ),
            min_size=1,
            max_size=6,
        )
    )
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_every_text_ends_up_with_the_vectors_of_its_lines(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]
    ) -> None:
        folder = tmp_path_factory.mktemp("filled")

        async def fill() -> None:
            world = World(open_vectors(folder / "vectors.db", AT).store, HashEmbedder(), recent_lines=2)
            async with trio.open_nursery() as nursery:
                world.publish(*("\n".join(lines) for lines in texts))
                await nursery.start(world.filler.run)
                await until_filled(world)
                nursery.cancel_scope.cancel()
            for lines in texts:
                found = await stored(world, "\n".join(lines))
                assert found is not None
                for row, line in zip(found, line_texts("\n".join(lines)), strict=True):
                    np.testing.assert_allclose(row, world.embedder.vector(line), atol=ROUNDING)
            await world.store.aclose()

        trio.run(fill)


class TestDeletion:
    async def test_a_text_deleted_while_its_lines_are_embedded_gets_none(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("keep", "gone")

        async def delete_during_lines() -> None:
            if world.embedder.attempts == 2:
                world.unpublish("gone")

        world.embedder.before_answer = delete_during_lines
        await nursery.start(world.filler.run)

        assert (await until_filled(world)).lines_total == 1
        assert await stored(world, "gone") is None
        assert await stored(world, "keep") is not None

    async def test_a_text_that_the_index_does_not_know_any_more_is_passed_over(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("keep", "gone")

        async def forget_during_texts() -> None:
            world.texts.pop(key("gone"), None)

        world.embedder.before_answer = forget_during_texts
        await nursery.start(world.filler.run)
        await until_filled(world)

        assert await stored(world, "gone") is None
        assert world.embedder.embedded_texts == ["gone", "keep", "keep"]


class TestFailures:
    async def test_lines_wait_as_long_as_the_embedder_says_while_search_is_whole(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.publish(chunk("note", 6))

        async def fail_once() -> None:
            if world.embedder.attempts == 3:
                raise EmbedderError("it rests", retry_after_s=45.0)

        world.embedder.before_answer = fail_once
        await nursery.start(world.filler.run)
        assert await world.until(FillState.WAITING) == FillProgress(
            FillState.WAITING, 1, 1, 0, "it rests", 0, 1
        )
        mock_clock.jump(44.9)
        await settle()
        assert world.embedder.attempts == 3

        mock_clock.jump(0.2)
        await until_filled(world)
        assert world.embedder.embedded_texts == [chunk("note", 6), *lines_of("note", 6)]

    async def test_a_failure_after_lines_that_worked_counts_as_the_first(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.publish(chunk("note", 12))

        async def fail_at_times() -> None:
            if world.embedder.attempts in {2, 4}:
                raise EmbedderError("no connection")

        world.embedder.before_answer = fail_at_times
        await nursery.start(world.filler.run)
        for attempts in (2, 4):
            await until(lambda attempts=attempts: world.embedder.attempts == attempts)  # type: ignore[misc]
            await world.until(FillState.WAITING)
            mock_clock.jump(2.1)

        await until_filled(world)

    async def test_a_text_without_a_vector_gets_no_line_vectors(
        self, world: World, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spoil(world, monkeypatch, chunk("odd", 2))
        world.publish(chunk("odd", 2), chunk("good", 2))
        await nursery.start(world.filler.run)

        assert await until_filled(world) == FillProgress(FillState.IDLE, 1, 2, 1, None, 1, 1)
        assert await stored(world, chunk("odd", 2)) is None
        assert "odd line 0" not in world.embedder.embedded_texts

    @pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
    async def test_a_line_that_the_model_cannot_embed_is_without_a_vector(
        self, world: World, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, value: float
    ) -> None:
        spoil(world, monkeypatch, "note line 1", value)
        world.publish(chunk("note", 3))
        await nursery.start(world.filler.run)
        await until_filled(world)

        found = await stored(world, chunk("note", 3))

        assert found is not None
        assert found.any(axis=1).tolist() == [True, False, True]

    @pytest.mark.parametrize("shape", [(1, 32), (3, 31)])
    async def test_vectors_of_a_wrong_shape_are_not_used(
        self,
        world: World,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
        monkeypatch: pytest.MonkeyPatch,
        shape: tuple[int, int],
    ) -> None:
        embed = world.embedder.embed

        async def embed_lines_wrongly(texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
            if len(texts) == 1:
                return await embed(texts, kind=kind)
            return np.ones(shape, np.float32)

        monkeypatch.setattr(world.embedder, "embed", embed_lines_wrongly)
        world.publish(chunk("note", 3))
        await nursery.start(world.filler.run)

        assert "wrong number" in str((await world.until(FillState.WAITING)).reason)
        assert world.progress.lines_done == 0

    @pytest.mark.parametrize(
        "error",
        [UnavailableError("the disk is full"), DamagedError("pages disagree")],
        ids=["disk", "damage"],
    )
    async def test_an_index_that_cannot_be_read_is_waited_for(
        self,
        world: World,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
        tmp_path: Path,
        error: Exception,
    ) -> None:
        async def break_index() -> None:
            world.embedder.before_answer = None
            world.index_error = error

        world.embedder.before_answer = break_index
        world.publish("note")
        await nursery.start(world.filler.run)
        assert (await world.until(FillState.WAITING)).done == 1

        world.index_error = None
        mock_clock.jump(DISK_RETRY_S + 1)

        await until_filled(world)
        assert set_aside(tmp_path) == []

    async def test_a_damaged_database_is_set_aside_and_filled_anew(
        self, tmp_path: Path, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        path = tmp_path / "vectors.db"
        embedder = HashEmbedder()
        texts = [chunk(f"note {number}", 2) for number in range(30)]
        world = World(open_vectors(path, AT).store, embedder)
        world.publish(*texts)
        async with trio.open_nursery() as first_life:
            await first_life.start(world.filler.run)
            await until_filled(world)
            first_life.cancel_scope.cancel()
        await world.store.aclose()
        overwrite_pages(path)

        world = World(open_vectors(path, AT).store, embedder)
        world.publish(*texts, chunk("new", 2))
        await nursery.start(world.filler.run)
        await world.until(FillState.WAITING)
        mock_clock.jump(DAMAGE_RETRY_S + 0.1)
        await until_filled(world)

        assert len(set_aside(tmp_path)) == 1
        for text in texts:
            assert await stored(world, text) is not None
        await world.store.aclose()


class TestModels:
    async def test_another_model_gets_line_vectors_of_its_own(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(chunk("note", 3))
        await nursery.start(world.filler.run)
        await until_filled(world)
        world.embedder.model_id = "hash-2"
        world.filler.wake()
        second = None
        with trio.fail_after(60):
            while second is None:  # the progress of the old model stands until the first look at the new one
                await trio.testing.wait_all_tasks_blocked(0.001)
                second = await stored(world, chunk("note", 3), "hash-2")

        first = await stored(world, chunk("note", 3))
        assert first is not None
        np.testing.assert_allclose(second[0], world.embedder.vector("note line 0"), atol=ROUNDING)
        assert not np.allclose(first[0], second[0], atol=ROUNDING)

    async def test_lines_of_a_model_that_changed_meanwhile_are_thrown_away(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        async def change_model_during_lines() -> None:
            if world.embedder.attempts == 2:
                world.embedder.model_id = "hash-2"

        world.embedder.before_answer = change_model_during_lines
        world.publish("note")
        await nursery.start(world.filler.run)
        await until(lambda: world.search.model == "hash-2")
        await until_filled(world)

        assert await stored(world, "note") is None
        assert await stored(world, "note", "hash-2") is not None

    async def test_no_lines_are_embedded_between_two_models(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("first")
        await nursery.start(world.filler.run)
        await until_filled(world)

        async def change_model() -> None:
            world.embedder.before_answer = None
            world.embedder.model_id = "hash-2"

        world.embedder.before_answer = change_model
        world.publish("second")
        await until(lambda: world.search.model == "hash-2")
        await until_filled(world)

        assert world.embedder.embedded_texts[2:] == ["second", "second", "first", "second", "first"]


def spoil(world: World, monkeypatch: pytest.MonkeyPatch, text: str, value: float = 0.0) -> None:
    """Make ``text`` one that the model cannot embed."""
    make_vector = world.embedder.vector

    def make(given: str) -> Vectors:
        vector = make_vector(given)
        return np.full_like(vector, value) if given == text else vector

    monkeypatch.setattr(world.embedder, "vector", make)


async def test_lines_are_kept_in_mind_until_they_are_forgotten(world: World, nursery: trio.Nursery) -> None:
    world.publish(chunk("a", 2))
    await nursery.start(world.filler.run)
    await until_filled(world)
    assert "a line 0" in repr(vars(world.filler._lines._recent))
    world.filler.forget_lines()
    assert "a line 0" not in repr(vars(world.filler._lines._recent))
    world.publish("a line 1\nb line 0")
    await until_filled(world)
    assert world.embedder.embedded_texts.count("a line 1") == 2
