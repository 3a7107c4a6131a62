"""Databases that are damaged are found where they are, and told from those that are whole."""

import os
from pathlib import Path

import pytest

from openclaw_memd.index.inspecting import inspect_file
from openclaw_memd.ops.doctor.databases import check_databases
from tests.ops.worlds import TODAY, World, open_world

NOTE = "".join(f"- The lamp of room {number} is blue.\n" for number in range(200))


async def check(world: World, differences: tuple[str, ...] = ()) -> list[str]:
    async def differ() -> tuple[str, ...]:
        return differences

    found = await check_databases(
        state=world.state,
        index=world.indexer.store,
        vectors=world.vectors.store,
        differences=differ,
        failures={},
    )
    return [one.id for one in found]


def spoil(path: Path, *, after: int = 4096) -> None:
    """Overwrite most of a database that nobody has open, but for its first page."""
    content = bytearray(path.read_bytes())
    content[after:] = bytes(len(content) - after)
    path.write_bytes(bytes(content))


async def fill(base: Path) -> None:
    async with open_world(base) as world:
        world.write(TODAY, NOTE)
        await world.sync()
        await world.note("s1", "- said in a session")
        await world.embed_all()


async def test_whole_databases_are_not_mentioned(tmp_path: Path) -> None:
    await fill(tmp_path)
    async with open_world(tmp_path) as world:
        assert await check(world) == []
        assert await check(world, ("chunk_tokens",)) == ["index-outdated"]


async def test_damaged_vectors_are_found(tmp_path: Path) -> None:
    await fill(tmp_path)
    path = tmp_path / "state" / "vectors.db"
    content = bytearray(path.read_bytes())
    content[8192 * 2 :] = b"\xa5" * (len(content) - 8192 * 2)
    path.write_bytes(bytes(content))
    async with open_world(tmp_path) as world:
        assert await check(world) == ["vectors-damaged"]


async def test_words_that_contradict_the_chunks_are_found(tmp_path: Path) -> None:
    await fill(tmp_path)
    async with open_world(tmp_path) as world:
        await world.indexer.store.write(
            lambda connection: connection.execute("UPDATE chunks SET terms = 'other' WHERE ordinal = 0")
        )
        assert await check(world) == ["word-index-damaged"]


@pytest.mark.parametrize(("name", "schema"), [("state.db", "state"), ("index-1.db", "index")])
async def test_a_closed_database_is_looked_at_without_a_trace(tmp_path: Path, name: str, schema: str) -> None:
    await fill(tmp_path)
    path = tmp_path / "state" / name
    names = sorted(one.name for one in path.parent.iterdir())
    before = path.read_bytes()

    found = inspect_file(path, schema)
    assert found.condition == "sound"
    assert (found.newest is not None) == (schema == "state")
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == names

    spoil(path)
    assert inspect_file(path, schema).condition == "damaged"
    path.write_bytes(b"not a database at all, and long enough to be read as one" * 100)
    assert inspect_file(path, schema).condition == "damaged"
    path.unlink()
    path.mkdir()
    assert inspect_file(path, schema).condition == "unreadable"
    path.rmdir()
    os.mkfifo(path)
    assert inspect_file(path, schema).condition == "unreadable"  # and nobody waits for what comes out of it


async def test_a_database_of_a_newer_version_is_told(tmp_path: Path) -> None:
    await fill(tmp_path)
    path = tmp_path / "state" / "state.db"
    async with open_world(tmp_path) as world:
        await world.state.maintain(lambda connection: connection.execute("PRAGMA user_version = 9999"))
    assert inspect_file(path, "state").condition == "newer"
