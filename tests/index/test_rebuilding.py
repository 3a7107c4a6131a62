import apsw
import pytest
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index import rebuilding
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.counters import read_generation
from openclaw_memd.index.opening import read_identity
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.readers import ANYTHING, chunk_ids
from openclaw_memd.index.rebuilding import Rebuilder
from tests.index.notes import Notes, open_notes


def fill(notes: Notes, count: int = 150) -> None:
    for number in range(count):
        notes.write(f"memory/{number}.md", f"# note {number}\n\nshared text and word{number}\n")


async def test_a_rebuild_gives_the_same_answers_from_a_new_file(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        first = await index.indexer.sync()
        inode = index.store.path.stat().st_ino
        progress: list[tuple[int, int]] = []
        report = await Rebuilder(index.indexer).rebuild(lambda done, total: progress.append((done, total)))

        assert index.store.path.stat().st_ino != inode
        assert await index.find("word77") == ["memory/77.md"]
        assert len(await index.find("shared")) == 100
        assert (report.added, report.changed, report.removed, report.unchanged) == (150, 0, 0, 0)
        assert report.generation > first.generation
        assert index.published[-1] == Published(report.generation, replaced=True)
        assert progress[0] == (0, 150)
        assert progress[-1] == (150, 150)
        assert [done for done, _ in progress] == sorted(done for done, _ in progress)
        assert await index.damage() == "none"
        assert {path.name for path in notes.state.iterdir() if "building" in path.name} == set()


async def test_a_report_tells_the_time_of_all_of_it(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        reached_at: list[float] = []
        report = await Rebuilder(index.indexer).rebuild(lambda *_: reached_at.append(trio.current_time()))
        assert report.took_ms >= (reached_at[-1] - reached_at[0]) * 1000


async def test_ids_mean_one_chunk_before_and_after_a_rebuild(notes: Notes) -> None:
    fill(notes, 5)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        seen: set[int] = set()
        for _ in range(3):
            ids = set(await index.store.read(lambda connection: chunk_ids(connection, ANYTHING)))
            assert len(ids) == 5
            assert not ids & seen
            seen |= ids
            await Rebuilder(index.indexer).rebuild()
        notes.write("memory/0.md", "another text\n")
        await index.indexer.sync()
        assert not {row.id for row in await index.chunks("memory/0.md")} & seen


async def test_the_generation_that_is_announced_is_that_of_the_new_index(notes: Notes) -> None:
    async with open_notes(notes) as index:
        await index.indexer.sync()
        fill(notes, 300)
        await Rebuilder(index.indexer).rebuild()
        (announced,) = [published for published in index.published if published.replaced]
        assert announced.generation == await index.store.read(read_generation)


async def test_the_old_index_answers_and_follows_the_files_meanwhile(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        freshness = set()
        begun = trio.Event()

        def on_progress(done: int, _total: int) -> None:
            freshness.add(index.indexer.state.freshness)
            if done:
                begun.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(Rebuilder(index.indexer).rebuild, on_progress)
            await begun.wait()
            notes.write("memory/0.md", "edited meanwhile\n")
            notes.write("memory/new.md", "made meanwhile\n")
            notes.remove("memory/1.md")
            await index.indexer.sync()
            assert await index.find("meanwhile") == ["memory/0.md", "memory/new.md"]
            assert await index.find("word77") == ["memory/77.md"]
        assert await index.find("meanwhile") == ["memory/0.md", "memory/new.md"]
        assert await index.find("word1") == []
        assert freshness == {"partial"}
        assert index.indexer.state.freshness == "fresh"


async def test_readers_never_miss_what_is_there_through_many_swaps(notes: Notes) -> None:
    fill(notes, 20)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        done = False

        async def keep_searching() -> None:
            while not done:
                assert await index.find("word7") == ["memory/7.md"]

        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_searching)
            for _ in range(4):
                await Rebuilder(index.indexer).rebuild()
            done = True


async def test_a_cancelled_rebuild_leaves_the_old_index_and_no_file(notes: Notes) -> None:
    fill(notes)
    async with open_notes(notes) as index:
        first = await index.indexer.sync()
        with trio.CancelScope() as scope:
            await Rebuilder(index.indexer).rebuild(lambda done, _: scope.cancel() if done else None)
        assert await index.find("word77") == ["memory/77.md"]
        assert (await index.indexer.sync()).generation == first.generation
        assert index.indexer.state.freshness == "fresh"
        assert all("building" not in path.name for path in notes.state.iterdir())


async def test_a_failed_rebuild_leaves_the_old_index(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(notes, 5)

    def fail(_path: object) -> None:
        raise OSError(28, "no space")

    async with open_notes(notes) as index:
        await index.indexer.sync()
        monkeypatch.setattr(rebuilding, "sync_file", fail)
        with pytest.raises(UnavailableError) as caught:
            await Rebuilder(index.indexer).rebuild()
        assert caught.value.reason == "disk_full"
        assert await index.find("word3") == ["memory/3.md"]
        assert all("building" not in path.name for path in notes.state.iterdir())
        monkeypatch.undo()
        await Rebuilder(index.indexer).rebuild()


@pytest.mark.parametrize(("cut_off", "is_owed"), [(0, False), (1, True), (2, True), (3, False)])
async def test_a_rebuild_that_was_cut_off_is_owed_until_it_ends_or_was_cut_off_too_often(
    notes: Notes, cut_off: int, is_owed: bool
) -> None:
    fill(notes, 5)
    seen: set[str] = set()
    async with open_notes(notes) as index:
        await index.indexer.sync()
        rebuilder = Rebuilder(index.indexer, cut_off=cut_off)
        assert rebuilder.is_owed == is_owed
        await rebuilder.rebuild(lambda *_: seen.update(path.name for path in notes.state.iterdir()))
        assert f"index-1.db.building-{cut_off + 1}" in seen
        assert not rebuilder.is_owed


async def test_an_index_that_somebody_else_holds_is_not_swapped(notes: Notes) -> None:
    fill(notes, 5)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        other = apsw.Connection(str(index.store.path))
        other.execute("SELECT count(*) FROM chunks").fetchall()
        with pytest.raises(UnavailableError) as caught:
            await Rebuilder(index.indexer).rebuild()
        assert caught.value.reason == "locked"
        assert await index.find("word3") == ["memory/3.md"]
        other.close()
        await Rebuilder(index.indexer).rebuild()
        assert await index.find("word3") == ["memory/3.md"]


async def test_a_rebuild_takes_the_settings_of_now(notes: Notes) -> None:
    notes.write("memory/long.md", "\n".join(f"line {number} of a long note" for number in range(200)))
    async with open_notes(notes) as index:
        await index.indexer.sync()
        before = len(await index.chunks("memory/long.md"))
    async with open_notes(notes, chunk_tokens=50) as index:
        assert len(await index.chunks("memory/long.md")) == before
        await Rebuilder(index.indexer).rebuild()
        assert len(await index.chunks("memory/long.md")) > before
        assert await index.store.read(read_identity) == index.indexer.preparer.identity


async def test_a_rebuild_of_nothing_is_an_empty_index(notes: Notes) -> None:
    async with open_notes(notes) as index:
        report = await Rebuilder(index.indexer).rebuild()
        assert report.added == 0
        assert await index.paths() == []


async def test_files_read_in_a_rebuild_are_checked_before_they_are_published(notes: Notes) -> None:
    fill(notes, 3)

    class Vanishing(Corpus):
        def read(self, file):  # type: ignore[no-untyped-def]
            found = Corpus.read(self, file)
            if file.path == "memory/1.md" and (notes.folder / file.path).exists():
                notes.remove(file.path)
            return found

    async with open_notes(notes) as index:
        await index.indexer.sync()
        corpus = index.indexer.corpus
        index.indexer.corpus = Vanishing(corpus.roots, corpus.rules)
        await Rebuilder(index.indexer).rebuild()
        assert await index.paths() == ["memory/0.md", "memory/2.md"]
