from pathlib import Path

import apsw
import pytest
import trio

from openclaw_memd.clock import SystemClock
from openclaw_memd.index.database import DERIVED_PAGE_BYTES, side_files
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.opening import INDEX_NAME
from openclaw_memd.index.rebuilding import Rebuilder
from openclaw_memd.index.repairing import Repairer
from tests.index.notes import Index, Notes, open_notes


def repairer(index: Index) -> Repairer:
    return Repairer(index.indexer, Rebuilder(index.indexer).rebuild, SystemClock())


def fill(notes: Notes) -> None:
    for number in range(60):
        notes.write(f"memory/{number}.md", f"# note {number}\n\nshared text and word{number} " + "pad " * 300)


def damaged(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if ".damaged-" in path.name]


def find_identity_page(connection: apsw.Connection) -> int:
    query = "SELECT rootpage FROM sqlite_schema WHERE name = 'identity'"
    ((page,),) = connection.execute(query).fetchall()
    assert isinstance(page, int)
    return page


def overwrite_half(path: Path) -> None:
    """Damage a database behind SQLite's back, as a bad disk would."""
    pages = path.stat().st_size // DERIVED_PAGE_BYTES
    with path.open("r+b") as file:
        file.seek(pages // 2 * DERIVED_PAGE_BYTES)
        file.write(b"\xa5" * DERIVED_PAGE_BYTES * (pages // 2))


async def test_a_sound_index_is_left_as_it_is(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        assert await repairer(index).repair() == "sound"
        assert index.store.epoch == 0
        assert await repairer(index).differences() == ()


async def test_full_text_that_contradicts_the_chunks_is_filled_again(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.write(
            lambda c: (
                c.execute(
                    "INSERT INTO episodic_text (episodic_text, rowid, terms, context)"
                    " SELECT 'delete', id, terms, context FROM chunks LIMIT 30"
                ).get
            )
        )
        assert await index.damage() == "text"
        assert await repairer(index).repair() == "text_rebuilt"
        assert await index.damage() == "none"
        assert len(await index.find("shared")) == 60
        assert damaged(notes.state) == []


@pytest.mark.parametrize("statement", ["DELETE FROM episodic_text_data", "DELETE FROM episodic_text_docsize"])
async def test_full_text_that_is_lost_is_filled_again(notes: Notes, statement: str) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
    vandal = apsw.Connection(str(notes.state / INDEX_NAME))
    vandal.execute(statement)
    vandal.close()
    async with open_notes(notes) as index:
        assert await repairer(index).repair() in {"text_rebuilt", "set_aside"}
        assert len(await index.find("shared")) == 60
        assert await index.damage() == "none"


async def test_damage_that_is_mended_calls_for_no_more_repair(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        index.store.damage.set()

        assert await repairer(index).repair() == "sound"

        assert not index.store.damage.is_set()


async def test_damaged_pages_are_set_aside_and_the_files_indexed_anew(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
    overwrite_half(notes.state / INDEX_NAME)
    async with open_notes(notes) as index:
        repairs = repairer(index)
        assert await repairs.repair() == "set_aside"
        assert len(await index.find("shared")) == 60
        assert await index.damage() == "none"
        assert index.published[0].replaced
        assert [repairs.aside and repairs.aside.name] == damaged(notes.state)


async def test_what_a_check_finds_is_mended_though_whoever_asked_gives_up(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        await index.indexer.sync()
        repairs = repairer(index)
        overwrite_half(notes.state / INDEX_NAME)
        async with trio.open_nursery() as asking:
            asking.start_soon(repairs.check)
            with trio.fail_after(60):
                await index.store.damage.wait()
            asking.cancel_scope.cancel()
        nursery.start_soon(repairs.run)

        with trio.fail_after(60):
            await repairs.check()  # waits for what is being mended, and finds nothing more

        assert len(await index.find("shared")) == 60
        nursery.cancel_scope.cancel()


async def test_an_index_that_is_being_mended_is_never_fresh(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        overwrite_half(notes.state / INDEX_NAME)
        seen: list[str] = []
        index.indexer.on_published = lambda _published: seen.append(index.indexer.state.freshness)

        assert await repairer(index).repair() == "set_aside"

        seen.append(index.indexer.state.freshness)
        index.store.moved.set()
        seen.append(index.indexer.state.freshness)
        assert set(seen[:-2]) == {"stale"}
        assert seen[-2:] == ["fresh", "stale"]


async def test_damage_of_the_identity_itself_is_repaired_by_the_watch(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        page = await index.store.read(find_identity_page)
    with (notes.state / INDEX_NAME).open("r+b") as file:
        file.seek(DERIVED_PAGE_BYTES * (page - 1))
        file.write(b"\xff" * DERIVED_PAGE_BYTES)
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        with trio.fail_after(60):
            filled = trio.Event()
            index.indexer.on_published = lambda published: filled.set() if published.added else None
            nursery.start_soon(repairer(index).run)
            await filled.wait()
        nursery.cancel_scope.cancel()
    assert len(damaged(notes.state)) == 1


async def test_damage_met_by_a_search_is_repaired_by_the_watch(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
    overwrite_half(notes.state / INDEX_NAME)
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        nursery.start_soon(repairer(index).run)
        with trio.fail_after(60):
            while True:
                try:
                    if len(await index.find("shared")) == 60:
                        break
                except Exception:
                    assert index.store.damage.is_set()
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


async def test_damage_of_the_file_is_found_though_whole_pages_are_in_memory(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        repairs = repairer(index)
        assert await repairs.repair() == "sound"
        overwrite_half(notes.state / INDEX_NAME)

        assert await repairs.repair() == "set_aside"
        assert len(await index.find("shared")) == 60


@pytest.mark.parametrize("step", [89, 1009, 8191])
async def test_bytes_that_turned_while_it_is_open_are_mended(notes: Notes, step: int) -> None:
    """SQLite has other names for it than damage: a table that it cannot set up, text that is no UTF-8."""
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.checkpoint()
        path = index.store.path
        data = bytearray(path.read_bytes())
        for place in range(4096, len(data), step):
            data[place] ^= 0xFF
        with path.open("r+b") as file:
            file.write(data)
        assert await index.damage() != "none"
        assert await repairer(index).repair() != "sound"
        assert await index.damage() == "none"
        assert len(await index.find("shared")) == 60


@pytest.mark.parametrize("table", ["files", "chunks", "identity"])
async def test_text_that_is_no_text_any_more_is_damage(notes: Notes, table: str) -> None:
    """The pages agree with each other, and no look at them tells."""
    column = {"files": "source", "chunks": "heading", "identity": "analysis"}[table]
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.write(
            lambda c: c.execute(f"UPDATE {table} SET {column} = CAST(x'ff41' AS TEXT)").get
        )
        with pytest.raises(DamagedError):
            await index.store.read(lambda c: c.execute(f"SELECT {column} FROM {table}").fetchall())
        assert await repairer(index).repair() == "set_aside"
        assert await index.damage() == "none"


async def test_a_full_text_table_that_cannot_be_set_up_is_damage(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
    plain = apsw.Connection(str(notes.state / INDEX_NAME))
    plain.execute("DROP TABLE episodic_text_config")
    plain.close()
    async with open_notes(notes) as index:
        assert await index.damage() != "none"
        assert await repairer(index).repair() != "sound"
        assert await index.damage() == "none"
        assert len(await index.find("shared")) == 60


async def test_damage_is_noticed_also_after_a_rebuild_and_a_check_that_others_asked_for(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        await index.indexer.sync()
        repairs = repairer(index)
        nursery.start_soon(repairs.run)
        await Rebuilder(index.indexer).rebuild()
        assert await repairs.repair() == "sound"
        replaced = trio.Event()
        index.indexer.on_published = lambda published: replaced.set() if published.replaced else None
        (notes.state / "other").write_bytes(b"garbage " * 10_000)
        (notes.state / "other").replace(notes.state / INDEX_NAME)
        with pytest.raises(DamagedError):
            await index.find("shared")

        with trio.fail_after(60):
            await replaced.wait()

        nursery.cancel_scope.cancel()


async def test_an_unclean_end_leads_to_a_check(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
    overwrite_half(notes.state / INDEX_NAME)
    (notes.state / f"{INDEX_NAME}.open").touch()
    filled = trio.Event()
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        index.indexer.on_published = lambda published: filled.set() if published.added else None
        nursery.start_soon(repairer(index).run)
        with trio.fail_after(60):
            await filled.wait()
        assert len(damaged(notes.state)) == 1
        nursery.cancel_scope.cancel()


async def test_a_side_file_taken_away_leads_to_a_check_and_a_sync(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        for path in side_files(index.store.path):
            path.unlink()
        assert len(await index.find("shared")) == 60
        assert index.store.moved.is_set()
        assert await repairer(index).repair() == "sound"
        assert index.published[-1].replaced
        assert not index.store.moved.is_set()


async def test_an_index_put_in_place_of_ours_is_brought_up_to_the_files(notes: Notes, tmp_path: Path) -> None:
    fill(notes)
    other = Notes(tmp_path / "other", tmp_path / "other-state", tmp_path / "none")
    (other.folder / "memory").mkdir(parents=True)
    other.write("memory/foreign.md", "foreign words\n")
    async with open_notes(other) as index:
        await index.indexer.sync()
    async with open_notes(notes) as index:
        await index.indexer.sync()
        for number in range(5):
            notes.write("memory/often.md", f"number {number}\n")
            await index.indexer.sync()
        (other.state / INDEX_NAME).replace(index.store.path)
        assert await index.find("foreign") == ["memory/foreign.md"]
        generation = index.indexer.generation
        await repairer(index).repair()
        assert index.indexer.generation > generation
        assert await index.find("foreign") == []
        assert len(await index.find("shared")) == 60


async def test_garbage_put_in_place_of_ours_is_set_aside(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        index.store.path.unlink()
        index.store.path.write_bytes(b"garbage " * 2_000)
        with pytest.raises(Exception, match="damaged"):
            await index.find("shared")
        assert await repairer(index).repair() == "set_aside"
        assert len(await index.find("shared")) == 60


async def test_a_database_copied_without_its_log_is_opened_or_replaced(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/late.md", "late words\n")
        await index.indexer.sync()
        copy = index.store.path.read_bytes()
    (notes.state / INDEX_NAME).write_bytes(copy)
    (notes.state / f"{INDEX_NAME}.open").touch()
    async with open_notes(notes) as index:
        await repairer(index).repair()
        await index.indexer.sync()
        assert await index.find("late") == ["memory/late.md"]
        assert await index.damage() == "none"


@pytest.mark.parametrize(
    ("statement", "fields"),
    [
        ("UPDATE identity SET analysis = 'another'", ("analysis",)),
        ("UPDATE identity SET attribution = 0", ("attribution",)),
        ("DELETE FROM identity", ("chunking", "analysis", "chunk_tokens", "chunk_overlap", "attribution")),
    ],
)
async def test_an_index_made_otherwise_answers_until_it_is_rebuilt(
    notes: Notes, statement: str, fields: tuple[str, ...]
) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.write(lambda connection: connection.execute(statement).get)
    async with open_notes(notes) as index:
        assert await repairer(index).differences() == fields
        assert len(await index.find("shared")) == 60
        assert await repairer(index).repair() == "rebuilt"
        assert await repairer(index).differences() == ()
        assert len(await index.find("shared")) == 60
