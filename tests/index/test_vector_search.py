import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import trio
import trio.testing

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index import vector_search
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_database import open_vectors, replace_damaged
from openclaw_memd.index.vector_search import VectorSearch, open_searches
from openclaw_memd.index.vector_store import Page, VectorStore
from tests.index.vectors import exact_top, key, keys, unit_vectors

DIMS = 12
TEXTS = 300
AT = datetime(2026, 1, 11, tzinfo=UTC)
QUERY = unit_vectors(1, DIMS, seed=9)[0]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_vectors(tmp_path / "vectors.db", AT).store
    yield store
    await store.aclose()


@pytest.fixture
def vectors(store: Store) -> VectorStore:
    return VectorStore(store)


async def filled(vectors: VectorStore, *, matrix_texts: int) -> VectorSearch:
    await vectors.put("m", keys(TEXTS), unit_vectors(TEXTS, DIMS), AT)
    search = VectorSearch(vectors, matrix_texts=matrix_texts)
    search.use_model("m")
    search.set_live(keys(TEXTS))
    return search


async def in_memory(vectors: VectorStore) -> VectorSearch:
    search = await filled(vectors, matrix_texts=10)
    await search.load()
    return search


def is_loaded(search: VectorSearch) -> bool:
    return search.in_memory is not None


def hashes_of(found: list[tuple[bytes, float]]) -> list[bytes]:
    return [text_hash for text_hash, _ in found]


async def test_few_texts_are_searched_on_the_disk(vectors: VectorStore, nursery: trio.Nursery) -> None:
    search = await filled(vectors, matrix_texts=TEXTS + 1)
    await nursery.start(search.run)

    found = await search.top(QUERY, 5)
    await trio.testing.wait_all_tasks_blocked()

    assert hashes_of(found) == exact_top(unit_vectors(TEXTS, DIMS), keys(TEXTS), QUERY, 5)
    assert search.in_memory is None


async def test_disk_and_memory_give_the_same_hits_and_cosines(vectors: VectorStore) -> None:
    on_disk = await filled(vectors, matrix_texts=TEXTS + 1)
    loaded = await in_memory(vectors)

    assert loaded.in_memory == TEXTS
    assert await loaded.top(QUERY, 20) == await on_disk.top(QUERY, 20)
    among = set(keys(TEXTS)[50:80])
    assert await loaded.top(QUERY, 20, among=among) == await on_disk.top(QUERY, 20, among=among)


async def test_the_search_before_the_matrix_is_loaded_is_answered_from_the_disk(vectors: VectorStore) -> None:
    search = await filled(vectors, matrix_texts=10)

    found = await search.top(QUERY, 5)

    assert search.in_memory is None
    assert hashes_of(found) == exact_top(unit_vectors(TEXTS, DIMS), keys(TEXTS), QUERY, 5)


@pytest.mark.parametrize("order", ["model first", "texts first", "texts one by one"])
async def test_many_texts_are_loaded_into_memory_before_anybody_searches(
    vectors: VectorStore, nursery: trio.Nursery, order: str
) -> None:
    await vectors.put("m", keys(TEXTS), unit_vectors(TEXTS, DIMS), AT)
    search = VectorSearch(vectors, matrix_texts=10)
    await nursery.start(search.run)

    match order:
        case "model first":
            search.use_model("m")
            search.set_live(keys(TEXTS))
        case "texts first":
            search.set_live(keys(TEXTS))
            search.use_model("m")
        case _:
            search.use_model("m")
            for text in keys(TEXTS):
                search.add([text])

    with trio.fail_after(60):
        while search.in_memory is None:
            await trio.testing.wait_all_tasks_blocked(0.01)
    assert search.in_memory == TEXTS


async def test_too_many_texts_to_search_on_the_disk_are_said_to_be_loading(
    vectors: VectorStore, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "SCAN_TEXTS", 100)
    search = await filled(vectors, matrix_texts=10)

    with pytest.raises(UnavailableError) as caught:
        await search.top(QUERY, 5)

    assert caught.value.reason == "loading"
    assert len(await search.top(QUERY, 5, among=set(keys(20)))) == 5
    await search.load()
    assert len(await search.top(QUERY, 5)) == 5


async def test_a_matrix_that_cannot_be_loaded_is_tried_again(
    vectors: VectorStore, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = await filled(vectors, matrix_texts=10)
    await nursery.start(search.run)

    async def fail(model: str, dims: int, after_row: int) -> Page:
        raise UnavailableError("the disk cannot be read")

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "page", fail)
        assert len(await search.top(QUERY, 5)) == 5
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert search.in_memory is None

    assert len(await search.top(QUERY, 5)) == 5
    with trio.fail_after(60):
        while search.in_memory is None:
            await trio.testing.wait_all_tasks_blocked(0.01)


async def test_a_matrix_whose_loading_was_cancelled_is_loaded_later(vectors: VectorStore) -> None:
    search = await filled(vectors, matrix_texts=10)
    with trio.CancelScope() as scope:
        scope.cancel()
        await search.load()

    await search.load()

    assert search.in_memory == TEXTS


@pytest.mark.parametrize("model", [None, "m"])
async def test_nothing_is_loaded_without_a_model_or_for_few_texts(
    vectors: VectorStore, nursery: trio.Nursery, model: str | None
) -> None:
    search = await filled(vectors, matrix_texts=TEXTS + (model is not None))
    search.use_model(model)
    await nursery.start(search.run)

    search.add(keys(TEXTS))
    await trio.testing.wait_all_tasks_blocked(0.01)

    assert search.in_memory is None


async def test_few_texts_are_loaded_beside_many_of_another_trust(
    vectors: VectorStore, nursery: trio.Nursery
) -> None:
    await vectors.put("m", keys(TEXTS), unit_vectors(TEXTS, DIMS), AT)
    searches = open_searches(vectors, matrix_texts=TEXTS)
    few, many = searches[TrustTier.CURATED], searches[TrustTier.EPISODIC]
    for search in searches.values():
        search.use_model("m")
        await nursery.start(search.run)

    few.set_live(keys(3))
    assert len(await few.top(QUERY, 5)) == 3
    await trio.testing.wait_all_tasks_blocked()
    assert not is_loaded(few)
    many.set_live(keys(TEXTS)[3:])
    expected = await few.top(QUERY, 5)
    while not is_loaded(few):
        await trio.testing.wait_all_tasks_blocked()

    assert await few.top(QUERY, 5) == expected
    assert searches[TrustTier.UNTRUSTED].in_memory is None


@pytest.mark.parametrize("loaded", [False, True], ids=["disk", "memory"])
class TestWhatChanges:
    async def search(self, vectors: VectorStore, loaded: bool) -> VectorSearch:
        return await (in_memory(vectors) if loaded else filled(vectors, matrix_texts=10))

    async def test_a_removed_text_is_never_returned(self, vectors: VectorStore, loaded: bool) -> None:
        search = await self.search(vectors, loaded)
        best = hashes_of(await search.top(QUERY, 5))

        search.remove(best[:2])

        assert hashes_of(await search.top(QUERY, 3)) == best[2:]
        assert await search.top(QUERY, 3, among=set(best[:2])) == []

    async def test_a_text_removed_while_the_search_runs_is_not_returned(
        self, vectors: VectorStore, loaded: bool
    ) -> None:
        search = await self.search(vectors, loaded)
        best = hashes_of(await search.top(QUERY, 2))

        async def remove() -> None:
            search.remove(best[:1])

        found: list[tuple[bytes, float]] = []

        async def look() -> None:
            found.extend(await search.top(QUERY, 2))

        async with trio.open_nursery() as both:
            both.start_soon(look)
            both.start_soon(remove)

        assert best[0] not in hashes_of(found)

    async def test_a_text_that_comes_back_is_found_with_its_old_vector(
        self, vectors: VectorStore, loaded: bool
    ) -> None:
        search = await self.search(vectors, loaded)
        before = await search.top(QUERY, 5)

        search.set_live(keys(TEXTS)[10:])
        await search.refresh()
        search.add(keys(10))

        assert await search.top(QUERY, 5) == before

    async def test_a_new_text_is_found_when_it_has_a_vector(self, vectors: VectorStore, loaded: bool) -> None:
        search = await self.search(vectors, loaded)
        search.add([key("new")])
        assert key("new") not in hashes_of(await search.top(QUERY, TEXTS))

        await vectors.put("m", [key("new")], QUERY[None, :], AT)
        search.mark_changed([key("new")])

        assert hashes_of(await search.top(QUERY, 1)) == [key("new")]

    async def test_only_the_model_in_use_is_searched(self, vectors: VectorStore, loaded: bool) -> None:
        search = await self.search(vectors, loaded)
        await vectors.put("other", keys(3), unit_vectors(3, DIMS + 1), AT)

        search.use_model("other")

        assert search.in_memory is None
        assert len(await search.top(unit_vectors(1, DIMS + 1)[0], TEXTS)) == 3
        with pytest.raises(ValueError, match="dimensions"):
            await search.top(QUERY, 5)
        search.use_model(None)
        assert await search.top(QUERY, 5) == []

    async def test_a_database_that_was_replaced_is_not_remembered(
        self, vectors: VectorStore, loaded: bool
    ) -> None:
        search = await self.search(vectors, loaded)

        await replace_damaged(vectors.store, AT)

        assert await search.top(QUERY, 5) == []
        await vectors.put("m", keys(2), unit_vectors(2, DIMS), AT)
        search.mark_changed(keys(2))
        assert set(hashes_of(await search.top(QUERY, 5))) == set(keys(2))

    @pytest.mark.parametrize("value", [0.0, np.nan, np.inf], ids=str)
    async def test_a_query_without_a_direction_is_refused(
        self, vectors: VectorStore, loaded: bool, value: float
    ) -> None:
        search = await self.search(vectors, loaded)

        with pytest.raises(ValueError, match="zero or not finite"):
            await search.top(np.full(DIMS, value, dtype=np.float32), 5)


async def test_what_changes_while_the_matrix_loads_is_not_lost(
    vectors: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = await filled(vectors, matrix_texts=10)
    best, second, *_ = hashes_of(await search.top(QUERY, 2))
    read_page = vectors.page

    async def page_and_then_a_change(model: str, dims: int, after_row: int) -> object:
        page = await read_page(model, dims, after_row)
        search.remove([best])
        search.add([key("new")])
        await vectors.put("m", [key("new")], QUERY[None, :], AT)
        search.mark_changed([key("new")])
        return page

    monkeypatch.setattr(vectors, "page", page_and_then_a_change)
    await search.load()

    assert hashes_of(await search.top(QUERY, 2)) == [key("new"), second]


async def test_a_search_that_is_cancelled_leaves_its_changes_to_the_next(
    vectors: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = await in_memory(vectors)
    search.add([key("new")])
    await vectors.put("m", [key("new")], QUERY[None, :], AT)
    search.mark_changed([key("new")])

    async def hang(*_: object) -> None:
        await trio.sleep_forever()

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "fetch", hang)
        async with trio.open_nursery() as both:
            both.start_soon(search.top, QUERY, 1)
            await trio.testing.wait_all_tasks_blocked()
            both.cancel_scope.cancel()

    assert hashes_of(await search.top(QUERY, 1)) == [key("new")]


async def test_texts_of_one_tier_do_not_touch_another(vectors: VectorStore) -> None:
    trusted = await in_memory(vectors)
    before = await trusted.top(QUERY, 10)
    untrusted = VectorSearch(vectors, matrix_texts=10)
    untrusted.use_model("m")

    await vectors.put("m", keys(50, "outside"), np.repeat(QUERY[None, :], 50, axis=0), AT)
    untrusted.add(keys(50, "outside"))

    assert await trusted.top(QUERY, 10) == before
    assert set(hashes_of(await untrusted.top(QUERY, 50))) == set(keys(50, "outside"))


async def test_nothing_is_found_without_a_model_texts_or_vectors(vectors: VectorStore) -> None:
    search = VectorSearch(vectors)
    assert await search.top(QUERY, 5) == []
    search.use_model("m")
    assert await search.top(QUERY, 5) == []
    search.add(keys(3))
    assert await search.top(QUERY, 5) == []
    await vectors.put("m", keys(3), unit_vectors(3, DIMS), AT)
    assert len(await search.top(QUERY, 5)) == 3
    assert await search.top(QUERY, 0) == []


async def test_numpy_is_not_imported_before_there_are_vectors() -> None:
    program = (
        "import sys\n"
        "import openclaw_memd.index.filler, openclaw_memd.index.line_store\n"
        "sys.exit('numpy' in sys.modules)\n"
    )
    finished = await trio.run_process([sys.executable, "-c", program], check=False)
    assert finished.returncode == 0
