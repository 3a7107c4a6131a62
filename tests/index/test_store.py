import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import apsw
import pytest
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.database import Durability, open_marker, side_files
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.store import Store

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def prepare(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS t (x)")


def values(connection: apsw.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT x FROM t ORDER BY x")]


def insert(connection: apsw.Connection, value: int) -> None:
    connection.execute("INSERT INTO t VALUES (?)", (value,))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "folder" / "some.db", Durability.DERIVED, prepare)
    yield store
    await store.aclose()


async def test_what_is_written_is_read(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 7))
    assert await store.read(values) == [7]
    assert store.read_now(values) == [7]


async def test_a_write_that_raises_changes_nothing(store: Store) -> None:
    def fail(connection: apsw.Connection) -> None:
        insert(connection, 1)
        raise LookupError

    with pytest.raises(LookupError):
        await store.write(fail)
    await store.write(lambda connection: insert(connection, 2))
    assert await store.read(values) == [2]


async def test_a_write_cancelled_before_its_commit_changes_nothing(store: Store) -> None:
    began = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def work(connection: apsw.Connection) -> None:
        insert(connection, 1)
        token.run_sync_soon(began.set)
        connection.execute(ENDLESS).fetchall()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.write, work)
        await began.wait()
        nursery.cancel_scope.cancel()
    await store.write(lambda connection: insert(connection, 2))
    assert await store.read(values) == [2]


async def test_a_cancelled_read_is_interrupted(store: Store) -> None:
    with trio.move_on_after(0.05) as scope:
        await store.read(lambda connection: connection.execute(ENDLESS).fetchall())
    assert scope.cancelled_caught
    assert await store.read(values) == []


async def test_cancelled_maintenance_is_interrupted(store: Store) -> None:
    with trio.fail_after(30):
        with trio.move_on_after(0.05) as scope:
            await store.maintain(lambda connection: connection.execute(ENDLESS).fetchone())
        assert scope.cancelled_caught
        await store.write(lambda connection: insert(connection, 1))


async def test_one_read_sees_one_moment(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    read_once, wrote = threading.Event(), threading.Event()
    seen: list[list[int]] = []

    def look_twice(connection: apsw.Connection) -> None:
        seen.append(values(connection))
        read_once.set()
        assert wrote.wait(60)
        seen.append(values(connection))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.read, look_twice)
        await trio.to_thread.run_sync(read_once.wait)
        await store.write(lambda connection: insert(connection, 2))
        wrote.set()
    assert seen == [[1], [1]]


async def test_writes_from_many_tasks_come_one_after_another(store: Store) -> None:
    running: list[int] = []

    def work(connection: apsw.Connection, number: int) -> None:
        running.append(number)
        assert len(running) == 1
        insert(connection, number)
        running.remove(number)

    async with trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(store.write, lambda connection, number=number: work(connection, number))
    assert await store.read(values) == list(range(30))


async def test_readers_answer_while_the_writer_works(store: Store) -> None:
    hold, held = threading.Event(), threading.Event()

    def work(connection: apsw.Connection) -> None:
        insert(connection, 1)
        held.set()
        assert hold.wait(60)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.write, work)
        await trio.to_thread.run_sync(held.wait)
        assert await store.read(values) == []
        assert store.read_now(values) == []
        hold.set()
    assert await store.read(values) == [1]


async def test_the_probe_tells_a_living_writer_from_a_dead_one(store: Store) -> None:
    await store.probe()
    other = apsw.Connection(str(store.path))
    other.execute("BEGIN IMMEDIATE")
    await store.maintain(lambda writer: writer.set_busy_timeout(10))
    with pytest.raises(UnavailableError) as caught:
        await store.probe()
    assert caught.value.reason == "locked"
    other.execute("ROLLBACK")
    other.close()
    await store.probe()


async def test_closing_ends_every_call_and_leaves_no_side_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "some.db", Durability.DERIVED, prepare)
    await store.write(lambda connection: insert(connection, 1))
    await store.aclose()
    await store.aclose()

    with pytest.raises(UnavailableError):
        await store.write(prepare)
    with pytest.raises(UnavailableError):
        await store.read(values)
    with pytest.raises(UnavailableError):
        store.read_now(values)
    with pytest.raises(UnavailableError):
        await store.probe()
    assert names(tmp_path) == ["some.db"]


async def test_a_closed_store_is_not_opened_by_an_exchange(store: Store) -> None:
    await store.aclose()
    with pytest.raises(UnavailableError):
        await store.exchange(lambda _path: None)
    with pytest.raises(UnavailableError):
        await store.read(values)


async def test_an_end_without_closing_is_noticed_at_the_next_start(tmp_path: Path) -> None:
    store = Store(tmp_path / "some.db", Durability.DERIVED, prepare)
    assert not store.unclean
    store._connections.close()
    second = Store(tmp_path / "some.db", Durability.DERIVED, prepare)
    assert second.unclean
    await second.aclose()
    third = Store(tmp_path / "some.db", Durability.DERIVED, prepare)
    assert not third.unclean
    await third.aclose()
    assert not open_marker(tmp_path / "some.db").exists()


@pytest.mark.parametrize("which", [0, 1])
async def test_a_side_file_that_is_taken_away_costs_nothing(store: Store, which: int) -> None:
    await store.write(lambda connection: insert(connection, 1))
    side_files(store.path)[which].unlink()
    await store.write(lambda connection: insert(connection, 2))

    assert store.moved.is_set()
    assert store.epoch == 1
    assert await store.read(values) == [1, 2]
    assert store.read_now(values) == [1, 2]
    assert await store.read(lambda connection: connection.pragma("integrity_check")) == "ok"


async def test_both_side_files_taken_away_cost_nothing(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    for path in side_files(store.path):
        path.unlink()
    assert await store.read(values) == [1]
    assert await store.read(lambda connection: connection.pragma("integrity_check")) == "ok"


async def test_a_file_put_in_place_of_ours_is_noticed(store: Store, tmp_path: Path) -> None:
    await store.write(lambda connection: insert(connection, 1))
    other = Store(tmp_path / "other.db", Durability.DERIVED, prepare)
    await other.write(lambda connection: insert(connection, 5))
    await other.aclose()
    (tmp_path / "other.db").replace(store.path)

    assert await store.read(values) == [5]
    assert store.moved.is_set()


async def test_a_file_that_is_removed_is_made_again(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    store.path.unlink()
    assert await store.read(values) == []
    assert store.path.stat().st_mode & 0o777 == 0o600


async def test_garbage_in_place_of_ours_is_damage(store: Store) -> None:
    store.path.unlink()
    store.path.write_bytes(b"no database at all " * 400)
    with pytest.raises(DamagedError):
        await store.read(values)
    assert store.damage.is_set()
    with pytest.raises(DamagedError):
        await store.read(values)


async def test_a_file_that_cannot_be_opened_for_a_time_is_opened_later(store: Store) -> None:
    store.path.unlink()
    store.path.mkdir()
    for _ in range(2):
        with pytest.raises(UnavailableError):
            await store.read(values)
    store.path.rmdir()

    await store.write(lambda connection: insert(connection, 2))

    assert await store.read(values) == store.read_now(values) == [2]
    assert store.moved.is_set()


async def test_exchange_puts_another_file_in_place(store: Store, tmp_path: Path) -> None:
    await store.write(lambda connection: insert(connection, 1))
    other = Store(tmp_path / "other.db", Durability.DERIVED, prepare)
    await other.write(lambda connection: insert(connection, 5))
    await other.aclose()

    def put_other(path: Path) -> None:
        (tmp_path / "other.db").rename(path)

    await store.exchange(put_other)

    assert await store.read(values) == store.read_now(values) == [5]
    assert store.epoch == 1
    assert not store.moved.is_set()


async def test_an_exchange_that_fails_keeps_what_was_there(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))

    def fail(_path: Path) -> None:
        raise OSError(28, "no space")

    with pytest.raises(UnavailableError) as caught:
        await store.exchange(fail)
    assert caught.value.reason == "disk_full"
    assert await store.read(values) == [1]


async def test_a_file_that_is_gone_is_no_obstacle_to_an_exchange(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    store.path.unlink()

    await store.exchange(lambda _path: None)

    assert await store.read(values) == []


async def test_the_log_of_a_file_that_was_replaced_is_not_played_into_the_successor(
    store: Store, tmp_path: Path
) -> None:
    await store.write(lambda connection: insert(connection, 1))
    other = Store(tmp_path / "other.db", Durability.DERIVED, prepare)
    await other.write(lambda connection: insert(connection, 5))
    await other.aclose()
    store.path.unlink()

    def put_other(path: Path) -> None:
        assert not any(side.exists() for side in side_files(path))
        (tmp_path / "other.db").rename(path)

    await store.exchange(put_other)

    assert await store.read(values) == [5]


async def test_readers_never_see_the_gap_of_an_exchange(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    stop = False

    async def keep_reading() -> None:
        while not stop:
            assert await store.read(values) == [1]
            assert store.read_now(values) == [1]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_reading)
        nursery.start_soon(keep_reading)
        for _ in range(20):
            await store.exchange(lambda _path: None)
        stop = True


async def test_no_thread_is_left_at_work(store: Store) -> None:
    for number in range(5):
        await store.write(partial(insert, value=number))
        await store.read(values)
    await store.aclose()
    idle = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    assert idle == []


async def test_a_checkpoint_empties_the_log(store: Store) -> None:
    await store.write(lambda connection: insert(connection, 1))
    log = side_files(store.path)[0]
    assert log.stat().st_size > 0
    await store.checkpoint()
    assert log.stat().st_size == 0
    assert await store.read(values) == [1]


def test_a_folder_that_cannot_be_made_is_told_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnavailableError) as caught:
        Store(tmp_path / "file" / "some.db", Durability.DERIVED, prepare)
    assert caught.value.reason == "no_folder"
    assert str(tmp_path) not in caught.value.message
