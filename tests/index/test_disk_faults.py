"""Every write, sync and truncate of a publish fails in turn: nothing may be torn, lost or made up."""

from collections.abc import Iterator

import apsw
import pytest

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index import store
from openclaw_memd.index.rebuilding import Rebuilder
from tests.index.faulty_disk import FaultyDisk, faulty_disk
from tests.index.notes import Index, Notes, open_notes

pytestmark = pytest.mark.fault


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    with faulty_disk() as made:
        yield made


def edit(notes: Notes, turn: int) -> dict[str, str]:
    """Change a note, make one and remove one; the word that each file then has alone."""
    words = {f"memory/{number}.md": f"base{number}" for number in range(1, 4)}
    for path, word in words.items():
        notes.write(path, f"common {word}\n")
    words["memory/changing.md"] = f"changed{turn}"
    words[f"memory/new{turn % 2}.md"] = f"made{turn}"
    notes.write("memory/changing.md", f"common changed{turn} " + "pad " * 100)
    notes.write(f"memory/new{turn % 2}.md", f"common made{turn}\n")
    (notes.folder / f"memory/new{(turn + 1) % 2}.md").unlink(missing_ok=True)
    return words


async def assert_shows(index: Index, words: dict[str, str]) -> None:
    assert await index.paths() == sorted(words)
    assert await index.find("common") == sorted(words)
    for path, word in words.items():
        assert await index.find(word) == [path]


def failure_of(index: Index) -> str | None:
    """The reason why the last write failed."""
    failure = index.store.write_failure
    return None if failure is None else failure.reason


@pytest.mark.parametrize(("error", "lasting"), [(apsw.IOError, False), (apsw.FullError, True)])
async def test_a_publish_survives_a_fault_at_any_place(
    notes: Notes, disk: FaultyDisk, error: type[apsw.Error], lasting: bool
) -> None:
    async with open_notes(notes) as index:
        edit(notes, 0)
        await index.indexer.sync()
        failed = 0
        for place in range(1, 200):
            before = set(await index.paths())
            words = edit(notes, place)
            disk.arm(place, lasting=lasting, error=error)
            reason = None
            try:
                await index.indexer.sync()
            except UnavailableError as caught:
                reason = caught.reason
            if reason is not None:
                failed += 1
                assert reason == ("disk_full" if error is apsw.FullError else "disk_error")
                assert set(await index.paths()) <= before | set(words)
                assert index.indexer.state.freshness == "stale"
            passed = disk.operations < place
            disk.disarm()
            assert await index.damage() == "none"
            await index.indexer.sync()
            await assert_shows(index, words)
            if passed:
                break
        else:
            pytest.fail("no sync came through whole")
        assert failed > 3
        assert await index.damage() == "none"


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
async def test_a_full_disk_in_a_rebuild_leaves_the_old_index(
    notes: Notes, disk: FaultyDisk, error: type[apsw.Error]
) -> None:
    words = edit(notes, 0)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        for place in (1, 5, 20, 60):
            disk.arm(place, lasting=True, error=error)
            with pytest.raises(UnavailableError):
                await Rebuilder(index.indexer).rebuild()
            assert disk.failures
            disk.disarm()
            await assert_shows(index, words)
            assert await index.damage() == "none"
            assert all("building" not in path.name for path in notes.state.iterdir())
        await Rebuilder(index.indexer).rebuild()
        await assert_shows(index, words)


@pytest.mark.parametrize(
    ("error", "reason"),
    [(apsw.FullError, "disk_full"), (apsw.IOError, "disk_error"), (apsw.ReadOnlyError, "read_only")],
)
async def test_a_failed_write_is_remembered_until_one_works(
    notes: Notes, disk: FaultyDisk, error: type[apsw.Error], reason: str
) -> None:
    async with open_notes(notes) as index:
        await index.indexer.sync()
        assert failure_of(index) is None
        disk.arm(1, lasting=True, error=error)
        notes.write("memory/late.md", "late\n")
        with pytest.raises(UnavailableError):
            await index.indexer.sync()
        await index.find("late")  # reading changes nothing
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await index.store.probe()
            assert failure_of(index) == reason
        disk.disarm()
        await index.store.probe()
        assert failure_of(index) is None


async def test_room_for_one_page_alone_is_no_room(
    notes: Notes, disk: FaultyDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_notes(notes) as index:
        disk.arm(1, lasting=True, error=apsw.FullError)
        notes.write("memory/late.md", "late\n")
        with pytest.raises(UnavailableError):
            await index.indexer.sync()
        disk.disarm()
        monkeypatch.setattr(store, "ROOM_BYTES", 2**62)
        with pytest.raises(UnavailableError):
            await index.store.probe()
        assert index.store.write_failure is not None


async def test_a_lock_of_somebody_else_is_no_failure_of_the_disk(notes: Notes) -> None:
    def be_locked(_writer: apsw.Connection) -> None:
        raise apsw.BusyError("locked")

    async with open_notes(notes) as index:
        with pytest.raises(UnavailableError):
            await index.store.write(be_locked)
        assert index.store.write_failure is None


async def test_reads_work_on_a_full_disk(notes: Notes, disk: FaultyDisk) -> None:
    words = edit(notes, 0)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        disk.arm(1, lasting=True, error=apsw.FullError)
        notes.write("memory/late.md", "late\n")
        with pytest.raises(UnavailableError) as caught:
            await index.indexer.sync()
        assert caught.value.reason == "disk_full"
        await assert_shows(index, words)
        disk.disarm()
        await index.indexer.sync()
        assert await index.find("late") == ["memory/late.md"]
