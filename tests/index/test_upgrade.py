"""Databases of every earlier version, with rows in them, are opened by this one and keep what they have."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from openclaw_memd.index.database import migrations
from openclaw_memd.index.opening import INDEX_NAME, STATE_NAME, open_index, open_state
from openclaw_memd.index.rows import IndexIdentity
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_database import open_vectors
from tests.index.old_databases import WORKSPACE, Rows, make_old, read_rows, read_schema

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
IDENTITY = IndexIdentity(chunking=1, analysis="a", chunk_tokens=400, chunk_overlap=80)
VECTORS_NAME = "vectors.db"
NAMES = {"state": STATE_NAME, "index": INDEX_NAME, "vectors": VECTORS_NAME}


def versions() -> Iterator[tuple[str, int]]:
    for schema in NAMES:
        for version in range(1, len(migrations(schema)) + 1):
            yield schema, version


def open_now(folder: Path, schema: str) -> Store:
    """As the daemon of today opens it; nothing may be set aside."""
    match schema:
        case "state":
            opened: Any = open_state(folder, WORKSPACE, lambda: NOW)
        case "index":
            opened = open_index(folder, IDENTITY, lambda: NOW)
        case _:
            opened = open_vectors(folder / VECTORS_NAME, NOW)
    assert opened.set_aside is None
    store: Store = opened.store
    return store


def assert_kept(before: Rows, after: Rows) -> None:
    """Each row is there, and what its columns held, as far as there is such a column."""
    for table, rows in before.items():
        if table not in after:
            raise AssertionError(f"the table {table} is gone, with {len(rows)} rows")
        for row in rows:
            common = [name for name in row if name in (after[table][0] if after[table] else {})]
            assert common, table
            assert any(all(found[name] == row[name] for name in common) for found in after[table]), (
                table,
                row,
            )


@pytest.mark.parametrize(("schema", "version"), [*versions()])
async def test_what_an_earlier_version_wrote_is_there(tmp_path: Path, schema: str, version: int) -> None:
    before = make_old(tmp_path / NAMES[schema], schema, version)
    assert all(before.values()), "each table has a row"
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    made_anew = open_now(fresh, schema)

    store = open_now(tmp_path, schema)

    assert_kept(before, await store.read(read_rows))
    assert await store.read(read_schema) == await made_anew.read(read_schema)
    assert await store.read(lambda connection: connection.pragma("integrity_check")) == "ok"
    assert await store.read(lambda connection: connection.pragma("user_version")) == len(migrations(schema))
    await store.aclose()
    await made_anew.aclose()
    with closing(apsw.Connection(str(tmp_path / NAMES[schema]))) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
