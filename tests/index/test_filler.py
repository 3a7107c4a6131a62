from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import trio
import trio.testing

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index import filler as filler_module
from openclaw_memd.index.database import open_marker
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.index.filler import DAMAGE_RETRY_S, DISK_RETRY_S
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_pruning import prune_vectors
from openclaw_memd.ports import Calibration, EmbedderError, EmbedderStatus, EmbedKind
from tests.fakes import HashEmbedder
from tests.index.fill_world import AT, World, notes, settle, until
from tests.index.vectors import Vectors, key, overwrite_pages, set_aside


@pytest.fixture
def embedder() -> HashEmbedder:
    """One that gets no lines, so that what it embeds are texts."""
    return HashEmbedder(required=True)


@pytest.fixture
async def world(tmp_path: Path, embedder: HashEmbedder) -> AsyncIterator[World]:
    world = World(open_vectors(tmp_path / "vectors.db", AT).store, embedder)
    yield world
    await world.store.aclose()


class TestFilling:
    async def test_every_text_gets_a_vector_most_recently_changed_first(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(*notes(10))
        await nursery.start(world.filler.run)

        assert await world.until_idle() == FillProgress(FillState.IDLE, 10, 10, 0, None, 0, 0)
        assert world.embedder.embedded_texts == notes(10)[::-1]
        assert all(len(texts) <= 4 for _, texts in world.embedder.calls)
        assert (await world.found("note 7"))[0] == "note 7"

    async def test_what_is_published_meanwhile_goes_first(self, world: World, nursery: trio.Nursery) -> None:
        world.publish(*notes(8))

        async def publish_once() -> None:
            world.embedder.before_answer = None
            world.publish("fresh")

        world.embedder.before_answer = publish_once
        await nursery.start(world.filler.run)
        await world.until_idle()

        assert world.embedder.embedded_texts[4] == "fresh"
        assert world.progress.done == 9

    async def test_texts_of_earlier_searches_go_first(self, world: World, nursery: trio.Nursery) -> None:
        world.publish("outside", search=world.later_search)
        world.publish(*notes(3))
        await nursery.start(world.filler.run)
        await world.until_idle()

        assert world.embedder.embedded_texts[-1] == "outside"
        assert set(await world.found("outside")) == set(notes(3))

    async def test_a_text_in_two_places_is_embedded_once(self, world: World, nursery: trio.Nursery) -> None:
        world.publish("same")
        world.publish("same", search=world.later_search)
        await nursery.start(world.filler.run)

        assert (await world.until_idle()).done == 2
        assert world.embedder.embedded_texts == ["same"]

    async def test_a_run_that_was_killed_is_continued(self, world: World, nursery: trio.Nursery) -> None:
        world.publish(*notes(20))

        async def stop_at_twelve() -> None:
            if len(world.embedder.embedded_texts) == 12:
                await trio.sleep_forever()

        world.embedder.before_answer = stop_at_twelve
        async with trio.open_nursery() as first_life:
            await first_life.start(world.filler.run)
            await until(lambda: world.progress.done == 12)
            assert world.progress.total == 20
            first_life.cancel_scope.cancel()

        world.embedder.before_answer = None
        world.filler = world.new_filler()
        await nursery.start(world.filler.run)
        await world.until_idle()

        assert world.embedder.embedded_texts == notes(20)[::-1]

    async def test_a_new_index_of_the_same_texts_embeds_nothing(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(*notes(6))
        await nursery.start(world.filler.run)
        await world.until_idle()

        world.search.set_live([])
        world.search.set_live([key(text) for text in notes(6)])
        world.filler.wake()
        await settle()

        assert (await world.until_idle()).done == 6
        assert len(world.embedder.embedded_texts) == 6

    async def test_nothing_to_embed_loads_no_model(self, world: World, nursery: trio.Nursery) -> None:
        world.embedder.model_id = None
        await nursery.start(world.filler.run)
        world.filler.wake()
        await settle()

        assert world.embedder.attempts == 0
        assert world.progress == FillProgress(FillState.IDLE, 0, 0, 0, None, 0, 0)

    async def test_vectors_that_nobody_searches_are_pruned_afterwards(
        self, world: World, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(filler_module, "prune_vectors", partial(prune_vectors, keep_rows=1))
        old = [key(f"old {number}") for number in range(5)]
        await world.vectors.put("hash-1", old, np.eye(5, world.embedder.dims, dtype=np.float32), AT)
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until_idle()

        assert len(await world.vectors.missing("hash-1", old)) == 4
        assert await world.vectors.missing("hash-1", [key("note")]) == []


class TestDeletion:
    async def test_a_text_deleted_while_it_is_embedded_stays_away(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("keep", "gone")

        async def delete() -> None:
            world.embedder.before_answer = None
            world.unpublish("gone")

        world.embedder.before_answer = delete
        await nursery.start(world.filler.run)

        assert (await world.until_idle()).total == 1
        assert await world.vectors.missing("hash-1", [key("gone"), key("keep")]) == [key("gone")]
        assert await world.found("gone") == ["keep"]

    async def test_a_text_that_the_index_does_not_know_any_more_is_passed_over(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("keep", "gone")
        del world.texts[key("gone")]
        await nursery.start(world.filler.run)
        await world.until(FillState.IDLE)
        await until(lambda: world.embedder.embedded_texts == ["keep"])

        world.publish("gone")  # it may come back

        await until(lambda: "gone" in world.embedder.embedded_texts)

    async def test_a_hanging_embedder_holds_up_neither_deletions_nor_searches_nor_status(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish("keep", "gone")
        await nursery.start(world.filler.run)
        await world.until_idle()
        world.embedder.before_answer = trio.sleep_forever
        world.publish("new")
        await until(lambda: world.embedder.attempts == 2)

        world.unpublish("gone")

        assert await world.found("gone") == ["keep"]
        assert world.progress == FillProgress(FillState.FILLING, 1, 2, 0, None, 0, 0)


class TestFailures:
    async def test_a_limit_is_waited_out_as_told(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.embedder.faults.append(EmbedderError("too many requests", retry_after_s=45.0))
        world.publish("note")
        await nursery.start(world.filler.run)
        progress = await world.until(FillState.WAITING)
        assert progress == FillProgress(FillState.WAITING, 0, 1, 0, "too many requests", 0, 0)

        world.filler.wake()
        mock_clock.jump(44.9)
        await settle()
        assert world.embedder.attempts == 1

        mock_clock.jump(0.2)
        assert (await world.until_idle()).reason is None
        assert world.embedder.attempts == 2

    async def test_waits_grow_until_it_works_again(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.embedder.faults.extend(EmbedderError("no connection") for _ in range(3))
        world.publish("note")
        await nursery.start(world.filler.run)
        for attempts, delay_s in enumerate((2.0, 4.0, 8.0), start=1):
            await until(lambda attempts=attempts: world.embedder.attempts == attempts)  # type: ignore[misc]
            await world.until(FillState.WAITING)
            mock_clock.jump(delay_s - 0.1)
            await settle()
            assert world.embedder.attempts == attempts
            mock_clock.jump(0.2)
        await world.until_idle()

        world.embedder.faults.append(EmbedderError("no connection"))
        world.publish("next")
        await world.until(FillState.WAITING)
        mock_clock.jump(2.1)
        assert (await world.until_idle()).done == 2

    async def test_an_exhausted_quota_opens_a_breaker_for_an_hour(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.publish("keep", "gone")
        await nursery.start(world.filler.run)
        await world.until_idle()
        world.embedder.faults.append(EmbedderError("the quota is used up: raise it", permanent=True))
        world.publish("new")
        assert (await world.until(FillState.PAUSED)).reason == "the quota is used up: raise it"

        world.unpublish("gone")
        assert await world.found("gone") == ["keep"]
        world.publish("newer")
        mock_clock.jump(3_599.0)
        await settle()
        assert world.embedder.attempts == 2
        assert world.progress == FillProgress(
            FillState.PAUSED, 1, 3, 0, "the quota is used up: raise it", 0, 0
        )

        mock_clock.jump(2.0)
        assert (await world.until_idle()).done == 3

    async def test_a_change_of_the_configuration_closes_the_breaker(
        self, world: World, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        world.embedder.faults.append(EmbedderError("the key is wrong", permanent=True))
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until(FillState.PAUSED)

        world.filler.retry_now()

        assert (await world.until_idle()).done == 1

    async def test_vectors_of_a_wrong_number_are_not_used(
        self,
        world: World,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        async def embed_one(texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
            return world.embedder.vector(texts[0])[None, :]

        monkeypatch.setattr(world.embedder, "embed", embed_one)
        world.publish(*notes(3))
        await nursery.start(world.filler.run)

        assert "wrong number" in str((await world.until(FillState.WAITING)).reason)
        assert world.progress.done == 0

    async def test_bad_vectors_are_refused_once_and_the_rest_is_stored(
        self, world: World, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_vector = world.embedder.vector

        def spoil(text: str) -> Vectors:
            vector = make_vector(text)
            return vector * 0 if text == "note 2" else vector

        monkeypatch.setattr(world.embedder, "vector", spoil)
        world.publish(*notes(5))
        await nursery.start(world.filler.run)
        assert await world.until_idle() == FillProgress(FillState.IDLE, 4, 5, 1, None, 0, 0)

        world.publish("note 2")
        await settle()

        assert world.embedder.embedded_texts.count("note 2") == 1
        assert "note 2" not in await world.found("note 3")

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
        world.index_error = error
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until(FillState.WAITING)

        world.index_error = None
        mock_clock.jump(DISK_RETRY_S + 1)

        assert (await world.until_idle()).done == 1
        assert set_aside(tmp_path) == []


class TestModels:
    async def test_without_a_model_it_is_off_and_says_why(self, world: World, nursery: trio.Nursery) -> None:
        world.embedder.model_id = None
        world.publish("note")
        await nursery.start(world.filler.run)

        progress = await world.until(FillState.OFF)

        assert progress == FillProgress(FillState.OFF, 0, 1, 0, "there is no model", 0, 0)
        assert world.embedder.attempts == 0

    async def test_another_model_keeps_the_vectors_of_the_first_but_searches_its_own_only(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(*notes(6))
        await nursery.start(world.filler.run)
        await world.until_idle()

        world.embedder.model_id = "hash-2"
        world.embedder.before_answer = trio.sleep_forever
        world.filler.wake()
        await until(lambda: world.search.model == "hash-2")
        await until(lambda: world.progress.state is FillState.FILLING)
        assert world.progress == FillProgress(FillState.FILLING, 0, 6, 0, None, 0, 0)
        assert await world.found("note 3") == []
        assert await world.vectors.missing("hash-1", [key(text) for text in notes(6)]) == []

    async def test_going_back_to_the_first_model_embeds_nothing(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        world.publish(*notes(6))
        await nursery.start(world.filler.run)
        await world.until_idle()
        for model in ("hash-2", "hash-1"):
            world.embedder.model_id = model
            world.filler.wake()
            await until(lambda model=model: world.search.model == model)  # type: ignore[misc]
            await world.until_idle()

        assert len(world.embedder.embedded_texts) == 12
        assert (await world.found("note 3"))[0] == "note 3"

    async def test_vectors_of_a_model_that_changed_meanwhile_are_thrown_away(
        self, world: World, nursery: trio.Nursery
    ) -> None:
        async def change_model() -> None:
            world.embedder.before_answer = None
            world.embedder.model_id = "hash-2"

        world.embedder.before_answer = change_model
        world.publish("note")
        await nursery.start(world.filler.run)
        await until(lambda: world.search.model == "hash-2")
        await world.until_idle()

        assert await world.vectors.missing("hash-1", [key("note")]) == [key("note")]
        assert await world.vectors.missing("hash-2", [key("note")]) == []


class TestEmbedderThatFailedElsewhere:
    """Queries use the embedder too; when it fails on one, the filler finds out when it works again."""

    class Failing(HashEmbedder):
        failing = False

        def status(self) -> EmbedderStatus:
            if self.failing:
                return EmbedderStatus("fake", "hash-1", self.dims, "degraded", "its process hung")
            return super().status()

        async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
            vectors = await super().embed(texts, kind=kind)
            self.failing = False
            return vectors

    async def test_it_is_tried_again_with_growing_rests_until_it_works(
        self, tmp_path: Path, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        embedder = self.Failing(required=True)
        world = World(open_vectors(tmp_path / "vectors.db", AT).store, embedder)
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until_idle()
        embedder.failing = True
        embedder.faults.extend([EmbedderError("its process hung", retry_after_s=1.0)] * 2)

        world.filler.wake()
        assert (await world.until(FillState.WAITING)).reason == "its process hung"
        for attempts in (3, 4):
            mock_clock.jump(3)
            await until(lambda attempts=attempts: embedder.attempts == attempts)  # type: ignore[misc]

        assert (await world.until(FillState.IDLE)).reason is None
        assert not embedder.failing
        assert embedder.attempts == 1 + 3
        await world.store.aclose()

    async def test_one_that_works_is_left_alone(
        self, world: World, embedder: HashEmbedder, nursery: trio.Nursery
    ) -> None:
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until_idle()

        for _ in range(3):
            world.filler.wake()
            await settle()

        assert embedder.attempts == 1


class TestCalibration:
    async def test_it_is_there_before_anything_is_embedded_since_queries_have_no_time_to_measure_it(
        self, tmp_path: Path, nursery: trio.Nursery
    ) -> None:
        order = []

        class Measuring(HashEmbedder):
            async def calibration(self) -> Calibration:
                order.append("measured")
                return await super().calibration()

            async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
                order.append("embedded")
                return await super().embed(texts, kind=kind)

        world = World(open_vectors(tmp_path / "vectors.db", AT).store, Measuring(required=True))
        world.publish(*notes(6))
        await nursery.start(world.filler.run)
        await world.until_idle()
        world.publish("one more")
        await world.until_idle()

        assert order == ["measured", "embedded", "embedded", "embedded"]
        await world.store.aclose()

    async def test_an_embedder_that_does_not_know_its_model_is_asked_until_it_does(
        self, tmp_path: Path, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
    ) -> None:
        class Remote(HashEmbedder):
            def status(self) -> EmbedderStatus:
                return EmbedderStatus("fake", None, None, "idle")

            async def calibration(self) -> Calibration:
                calibration = await super().calibration()
                self.model_id = "hash-1"
                return calibration

        embedder = Remote(required=True)
        embedder.model_id = None
        embedder.faults.append(EmbedderError("down"))
        world = World(open_vectors(tmp_path / "vectors.db", AT).store, embedder)
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until(FillState.WAITING)
        mock_clock.jump(3)

        assert (await world.until_idle()).done == 1
        await world.store.aclose()


class TestGaps:
    async def test_a_search_knows_whether_texts_lack_vectors(
        self,
        world: World,
        embedder: HashEmbedder,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
    ) -> None:
        world.publish("note", "other")
        await nursery.start(world.filler.run)
        await world.until_idle()
        assert not world.search.may_lack()

        embedder.faults.extend([EmbedderError("down")] * 9)
        world.publish("fresh")
        assert world.search.may_lack()
        await world.until(FillState.WAITING)

        assert world.search.may_lack()
        assert world.search.may_lack({key("fresh"), key("note")})
        assert not world.search.may_lack({key("note")})
        assert not world.later_search.may_lack()
        world.unpublish("fresh")
        assert not world.search.may_lack()

    async def test_a_text_that_can_have_none_is_no_gap(
        self, world: World, embedder: HashEmbedder, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(embedder, "vector", lambda _text: np.zeros(32, np.float32))
        world.publish("note")
        await nursery.start(world.filler.run)
        assert (await world.until_idle()).given_up == 1

        assert not world.search.may_lack()

    async def test_damaged_vectors_are_missed_until_they_are_made_anew(
        self,
        world: World,
        embedder: HashEmbedder,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
    ) -> None:
        world.publish("note")
        await nursery.start(world.filler.run)
        await world.until_idle()
        embedder.faults.extend([EmbedderError("down")] * 9)
        world.store.damage.set()
        await until(lambda: world.progress.state is FillState.WAITING)
        assert world.search.model is None or world.search.may_lack()
        await until(lambda: world.progress.reason == "down")

        assert world.filler.aside is not None
        assert world.search.model is None or world.search.may_lack()


class TestDamage:
    @pytest.mark.parametrize("met_by", ["a check after a crash", "a search", "a write"])
    async def test_a_damaged_database_is_set_aside_and_filled_anew(
        self,
        tmp_path: Path,
        embedder: HashEmbedder,
        nursery: trio.Nursery,
        mock_clock: trio.testing.MockClock,
        met_by: str,
    ) -> None:
        path = tmp_path / "vectors.db"
        world = World(open_vectors(path, AT).store, embedder)
        world.publish(*notes(60))
        async with trio.open_nursery() as first_life:
            await first_life.start(world.filler.run)
            await world.until_idle()
            first_life.cancel_scope.cancel()
        await world.store.aclose()
        overwrite_pages(path)
        if met_by == "a check after a crash":
            leave_marker(path)

        world = World(open_vectors(path, AT).store, embedder)
        world.publish(*notes(60))
        await nursery.start(world.filler.run)
        if met_by == "a search":
            await world.until_idle()
            with pytest.raises(DamagedError):
                await world.found("note 31")
        elif met_by == "a write":
            await world.until_idle()
            world.publish("one more")
            await world.until(FillState.WAITING)
            mock_clock.jump(DAMAGE_RETRY_S + 0.1)
        await until(lambda: len(set_aside(tmp_path)) == 1)
        await world.until_idle()
        assert world.filler.aside is not None
        assert [world.filler.aside.name] == set_aside(tmp_path)

        assert {f"note {number}" for number in range(60)} <= set(embedder.embedded_texts[60:])
        assert (await world.found("note 31"))[0] == "note 31"
        await world.store.aclose()


def leave_marker(path: Path) -> None:
    """As a process does that is killed."""
    open_marker(path).touch()
