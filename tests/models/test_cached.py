import numpy as np
import pytest

from openclaw_memd.models.cached import CachedEmbedder
from openclaw_memd.ports import Embedder, EmbedderError
from tests.contracts import EmbedderContract
from tests.fakes import HashEmbedder


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CachedEmbedder(HashEmbedder())


async def test_a_query_is_embedded_once() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)

    first = await cached.embed(["tea", "rain", "tea"], kind="query")
    second = await cached.embed(["rain", "tea", "ships"], kind="query")

    np.testing.assert_array_equal(first[[1, 0]], second[:2])
    np.testing.assert_array_equal(first[0], first[2])
    assert [texts for _, texts in inner.calls] == [("tea", "rain"), ("ships",)]


async def test_passages_are_not_kept() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)

    await cached.embed(["tea"], kind="passage")
    await cached.embed(["tea"], kind="query")

    assert [kind for kind, _ in inner.calls] == ["passage", "query"]


async def test_the_least_recently_used_goes_first() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner, most=2)

    for query in ("a", "b", "a", "c", "a", "b"):
        await cached.embed([query], kind="query")

    assert [texts for _, texts in inner.calls] == [("a",), ("b",), ("c",), ("b",)]


async def test_another_model_makes_it_forget() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    before = await cached.embed(["tea"], kind="query")

    inner.model_id = "hash-2"
    after = await cached.embed(["tea"], kind="query")

    assert not np.array_equal(before, after)


async def test_known_queries_work_while_the_embedder_fails() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["tea"], kind="query")
    inner.faults.extend([EmbedderError("down")] * 2)

    assert (await cached.embed(["tea"], kind="query")).shape == (1, 32)
    with pytest.raises(EmbedderError):
        await cached.embed(["tea", "new"], kind="query")


async def test_no_query_is_kept_in_mind() -> None:
    cached = CachedEmbedder(HashEmbedder())
    await cached.embed(["where is the spare key"], kind="query")
    assert "spare" not in repr(vars(cached))
