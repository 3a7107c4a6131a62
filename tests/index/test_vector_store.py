import struct
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from openclaw_memd.index import vector_distance
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_blobs import from_blobs, normalise, to_blobs
from openclaw_memd.index.vector_database import is_sound, open_vectors
from openclaw_memd.index.vector_pruning import prune_vectors
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.ports import Calibration
from tests.index.vectors import exact_top, key, keys, overwrite_pages, set_aside, unit_vectors

DIMS = 12
AT = datetime(2026, 1, 11, tzinfo=UTC)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_vectors(tmp_path / "vectors.db", AT).store
    yield store
    await store.aclose()


@pytest.fixture
def vectors(store: Store) -> VectorStore:
    return VectorStore(store)


async def rows(store: Store, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    return await store.read(lambda connection: connection.execute(statement, values).fetchall())


async def change(store: Store, statement: str, *values: Any) -> None:
    await store.write(lambda connection: connection.execute(statement, values).fetchall())


async def test_a_vector_comes_back_as_it_was_stored(vectors: VectorStore) -> None:
    stored = unit_vectors(3, DIMS)
    refused = await vectors.put("m", keys(3), stored, AT)

    [(hashes, found)] = await vectors.fetch("m", keys(5))

    assert refused == frozenset()
    assert hashes == keys(3)
    np.testing.assert_array_equal(found, stored)


async def test_vectors_are_little_endian_float32_of_norm_one(vectors: VectorStore) -> None:
    await vectors.put("m", [key("a")], np.array([[3.0, 4.0]], dtype=np.float32), AT)

    [(blob,)] = await rows(vectors.store, "SELECT vector FROM embeddings")

    assert struct.unpack("<2f", blob) == pytest.approx((0.6, 0.8))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, 1e-9], ids=str)
async def test_a_bad_vector_is_refused_and_the_others_are_stored(vectors: VectorStore, bad: float) -> None:
    batch = unit_vectors(3, DIMS)
    batch[1] = 0.0
    batch[1, 0] = bad

    refused = await vectors.put("m", keys(3), batch, AT)

    assert refused == {keys(3)[1]}
    assert await vectors.missing("m", keys(3)) == [keys(3)[1]]


async def test_vectors_of_another_length_are_refused(vectors: VectorStore) -> None:
    await vectors.put("m", [key("a")], unit_vectors(1, DIMS), AT)

    assert await vectors.put("m", [key("b")], unit_vectors(1, DIMS + 1), AT) == {key("b")}
    assert vectors.dims("m") == DIMS
    assert await vectors.missing("m", [key("a"), key("b")]) == [key("b")]


async def test_a_model_is_unknown_until_something_good_was_stored(vectors: VectorStore) -> None:
    await vectors.put("m", [key("a")], np.zeros((1, DIMS), dtype=np.float32), AT)

    assert vectors.dims("m") is None
    assert await vectors.fetch("m", [key("a")]) == []


async def test_missing_keeps_the_order_over_many_texts(vectors: VectorStore) -> None:
    hashes = keys(4_500)
    await vectors.put("m", hashes[::2], unit_vectors(2_250, 4), AT)

    assert await vectors.missing("m", hashes) == hashes[1::2]
    assert await vectors.missing("other", hashes) == hashes


async def test_pages_give_every_vector_of_the_model_once(vectors: VectorStore) -> None:
    hashes = keys(2_300)
    await vectors.put("m", hashes, unit_vectors(2_300, 4), AT)
    await vectors.put("other", hashes, unit_vectors(2_300, 4, seed=2), AT)

    seen: list[bytes] = []
    after: int | None = 0
    while after is not None:
        page = await vectors.page("m", 4, after)
        seen.extend(page.hashes)
        after = page.last_row

    assert seen == hashes


@pytest.mark.parametrize("with_extension", [True, False], ids=["sqlite-vec", "numpy"])
async def test_the_nearest_of_some_texts(
    vectors: VectorStore, with_extension: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_extension:
        monkeypatch.setattr(vector_distance, "_extension_path", lambda: None)
    stored, hashes = unit_vectors(400, DIMS), keys(400)
    await vectors.put("m", hashes, stored, AT)
    await vectors.put("other", hashes, unit_vectors(400, DIMS, seed=3), AT)
    query = unit_vectors(1, DIMS, seed=9)[0]

    found = await vectors.nearest("m", query, 7, {*hashes[100:], key("unknown")})

    assert [text_hash for text_hash, _ in found] == exact_top(stored[100:], hashes[100:], query, 7)
    for text_hash, cosine in found:
        assert cosine == pytest.approx(float(stored[hashes.index(text_hash)] @ query), abs=1e-6)
    assert await vectors.nearest("m", query, 7, set()) == []


@pytest.mark.parametrize("with_extension", [True, False], ids=["sqlite-vec", "numpy"])
@pytest.mark.parametrize(
    "blob",
    [b"\0" * 4 * DIMS, np.full(DIMS, np.nan, "<f4").tobytes(), b"\0" * 4, b""],
    ids=["zero", "nan", "short", "empty"],
)
async def test_a_bad_vector_in_the_database_never_surfaces(
    vectors: VectorStore, blob: bytes, with_extension: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_extension:
        monkeypatch.setattr(vector_distance, "_extension_path", lambda: None)
    await vectors.put("m", keys(3), unit_vectors(3, DIMS), AT)
    await change(vectors.store, "UPDATE embeddings SET vector = ? WHERE text_hash = ?", blob, keys(3)[1])

    found = await vectors.nearest("m", unit_vectors(1, DIMS)[0], 3, keys(3))
    [(fetched, _)] = await vectors.fetch("m", keys(3))
    page = await vectors.page("m", DIMS, 0)

    expected = {keys(3)[0], keys(3)[2]}
    assert {text_hash for text_hash, _ in found} == expected
    assert set(fetched) == expected
    assert set(page.hashes) == expected


def test_the_extension_loads_and_runs_here() -> None:
    connection = apsw.Connection(":memory:")

    assert vector_distance.provide_distance(connection)
    blobs = to_blobs(np.eye(2, dtype=np.float32))
    assert connection.execute("SELECT vec_distance_L2(?, ?)", blobs).get == pytest.approx(2**0.5)
    with pytest.raises(apsw.SQLError, match="not authorized"):
        connection.execute("SELECT load_extension('x')")
    connection.close()


def test_a_library_that_cannot_be_loaded_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vec0.so").write_bytes(b"\x7fELF of another processor")
    monkeypatch.setattr(vector_distance, "_extension_path", lambda: str(tmp_path / "vec0"))
    connection = apsw.Connection(":memory:")

    assert not vector_distance.provide_distance(connection)
    blobs = to_blobs(np.eye(2, dtype=np.float32))
    assert connection.execute("SELECT vec_distance_L2(?, ?)", blobs).get == pytest.approx(2**0.5)
    connection.close()


def test_normalising_marks_what_has_no_direction() -> None:
    scaled, usable = normalise(np.array([[3.0, 4.0], [0.0, 0.0], [np.inf, 1.0]], dtype=np.float32))

    assert usable.tolist() == [True, False, False]
    np.testing.assert_allclose(scaled, [[0.6, 0.8], [0.0, 0.0], [0.0, 0.0]], rtol=1e-6)


def test_blobs_of_no_vectors() -> None:
    hashes, vectors = from_blobs([], 4)

    assert hashes == []
    assert vectors.shape == (0, 4)


async def test_deleted_texts_leave_nothing_behind(vectors: VectorStore) -> None:
    await vectors.put("m", keys(3), unit_vectors(3, DIMS), AT)
    await vectors.put("other", keys(3), unit_vectors(3, DIMS), AT)
    await LineStore(vectors.store).put("m", {keys(3)[0]: unit_vectors(2, DIMS)})

    await vectors.delete(keys(2))

    assert await rows(vectors.store, "SELECT DISTINCT text_hash FROM embeddings") == [(keys(3)[2],)]
    assert await rows(vectors.store, "SELECT * FROM line_embeddings") == []


async def test_line_vectors_come_back_by_their_chunk(store: Store) -> None:
    lines = LineStore(store)
    first, second = unit_vectors(3, DIMS), unit_vectors(1, DIMS, seed=4)
    await lines.put("m", {key("a"): first, key("b"): second})

    found = await lines.fetch("m", [key("a"), key("b"), key("c")])

    assert found.keys() == {key("a"), key("b")}
    np.testing.assert_allclose(found[key("a")], first, atol=0.5 / 127)
    np.testing.assert_allclose(found[key("b")], second, atol=0.5 / 127)
    assert await lines.fetch("other", [key("a")]) == {}
    assert await lines.fetch("m", []) == {}


async def test_damaged_line_vectors_count_as_missing(store: Store) -> None:
    lines = LineStore(store)
    await lines.put("m", {key("a"): unit_vectors(1, DIMS)})
    await change(store, "UPDATE line_embeddings SET vectors = x'0102'")

    assert await lines.fetch("m", [key("a")]) == {}


async def test_a_calibration_is_kept_and_replaced(store: Store, vectors: VectorStore) -> None:
    calibrations = Calibrations(store)
    assert await calibrations.get("m") is None

    await vectors.put("m", [key("a")], unit_vectors(1, DIMS), AT)
    assert await calibrations.get("m") is None

    await calibrations.put("m", DIMS, Calibration(0.7, 0.9, 0.5), AT)
    await calibrations.put("m", DIMS, Calibration(0.6, 0.8, 0.4), AT)
    assert await calibrations.get("m") == Calibration(0.6, 0.8, 0.4)


class TestPruning:
    async def store_three_models(self, vectors: VectorStore) -> None:
        for age, model in enumerate(("now", "recent", "old")):
            at = AT - timedelta(days=age)
            await vectors.put(model, keys(4), unit_vectors(4, DIMS), at)

    async def count_by_model(self, store: Store) -> dict[str, int]:
        return dict(await rows(store, "SELECT model, count(*) FROM embeddings GROUP BY model"))

    async def test_what_nobody_searches_is_kept_up_to_a_number(self, vectors: VectorStore) -> None:
        await self.store_three_models(vectors)

        assert await prune_vectors(vectors.store, "now", keys(4), keep_rows=8) == 0
        assert await self.count_by_model(vectors.store) == {"now": 4, "recent": 4, "old": 4}

    async def test_the_model_longest_out_of_use_goes_first(self, vectors: VectorStore) -> None:
        await self.store_three_models(vectors)

        assert await prune_vectors(vectors.store, "now", keys(4), keep_rows=3) == 5
        assert await self.count_by_model(vectors.store) == {"now": 4, "recent": 3}

    async def test_using_a_model_again_puts_it_behind_the_others(self, vectors: VectorStore) -> None:
        await self.store_three_models(vectors)
        await Calibrations(vectors.store).mark_used("old", AT + timedelta(days=1))

        await prune_vectors(vectors.store, "now", keys(4), keep_rows=4)

        assert await self.count_by_model(vectors.store) == {"now": 4, "old": 4}

    async def test_vectors_of_live_texts_are_never_taken(self, vectors: VectorStore) -> None:
        await self.store_three_models(vectors)

        assert await prune_vectors(vectors.store, "now", keys(2), keep_rows=0) == 10
        assert await vectors.missing("now", keys(4)) == keys(4)[2:]

    async def test_line_vectors_go_with_their_chunk(self, vectors: VectorStore) -> None:
        await self.store_three_models(vectors)
        lines = LineStore(vectors.store)
        await lines.put("old", {keys(4)[0]: unit_vectors(1, DIMS)})
        await lines.put("now", {keys(4)[0]: unit_vectors(1, DIMS)})

        await prune_vectors(vectors.store, "now", keys(4), keep_rows=0)

        assert await rows(vectors.store, "SELECT model FROM line_embeddings") == [("now",)]


async def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    path.write_bytes(b"no database at all" * 100)
    (tmp_path / "vectors.db.damaged-20250101T000000000000Z").write_bytes(b"an earlier one")

    store = open_vectors(path, AT).store

    assert VectorStore(store).dims("m") is None
    assert set_aside(tmp_path) == ["vectors.db.damaged-20260111T000000000000Z"]
    await store.aclose()


async def test_vectors_are_there_again_after_a_restart(tmp_path: Path) -> None:
    store = open_vectors(tmp_path / "vectors.db", AT).store
    await VectorStore(store).put("m", keys(3), unit_vectors(3, DIMS), AT)
    await store.aclose()

    store = open_vectors(tmp_path / "vectors.db", AT).store

    assert await VectorStore(store).missing("m", keys(4)) == [keys(4)[3]]
    await store.aclose()


async def test_a_page_that_was_overwritten_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    store = open_vectors(path, AT).store
    await VectorStore(store).put("m", keys(500), unit_vectors(500, DIMS), AT)
    assert await is_sound(store)
    await store.aclose()
    overwrite_pages(path)

    store = open_vectors(path, AT).store

    assert not await is_sound(store)
    await store.aclose()
