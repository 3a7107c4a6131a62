from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memd.index import line_store as line_store_module
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.vector_database import open_vectors
from tests.index.vectors import keys, unit_vectors


@pytest.fixture
async def lines(tmp_path: Path) -> AsyncIterator[LineStore]:
    store = open_vectors(tmp_path / "vectors.db", datetime(2026, 1, 11, tzinfo=UTC)).store
    yield LineStore(store)
    await store.aclose()


async def test_what_is_missing_comes_in_the_order_it_was_asked_for(
    lines: LineStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_store_module, "LOOKUP_ROWS", 3)
    await lines.put("m", {text_hash: unit_vectors(2, 8) for text_hash in keys(8)[1::2]})
    asked = keys(8)[::-1]

    assert await lines.missing("m", asked) == asked[1::2]
    assert await lines.missing("other", asked) == asked
    assert await lines.missing("m", []) == []
