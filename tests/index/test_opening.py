from datetime import datetime, timedelta
from pathlib import Path

import apsw
import pytest
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.database import NewerFormatError, migrations
from openclaw_memd.index.ledger.losses import read_loss
from openclaw_memd.index.leftovers import KEPT_DAMAGED, building_path, set_aside
from openclaw_memd.index.opening import (
    INDEX_NAME,
    STATE_NAME,
    ForeignStateError,
    open_index,
    open_state,
    read_identity,
)
from openclaw_memd.index.rows import IndexIdentity
from tests.index.notes import AT

IDENTITY = IndexIdentity(chunking=1, analysis="a", chunk_tokens=400, chunk_overlap=80)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_a_new_index_says_what_it_is_made_with(tmp_path: Path) -> None:
    opened = open_index(tmp_path, IDENTITY, lambda: AT)
    assert opened.set_aside is None
    assert opened.cut_off == 0
    assert opened.store.read_now(read_identity) == IDENTITY
    await opened.store.aclose()


async def test_an_index_keeps_the_identity_it_was_made_with(tmp_path: Path) -> None:
    await open_index(tmp_path, IDENTITY, lambda: AT).store.aclose()
    other = IndexIdentity(chunking=2, analysis="a", chunk_tokens=500, chunk_overlap=80)
    opened = open_index(tmp_path, other, lambda: AT)
    found = opened.store.read_now(read_identity)
    await opened.store.aclose()

    assert found == IDENTITY
    assert other.differences(found) == ("chunking", "chunk_tokens")
    assert other.differences(None) == ("chunking", "analysis", "chunk_tokens", "chunk_overlap", "attribution")
    assert other.differences(other) == ()


async def test_an_index_without_writers_is_taken_over_and_said_to_be_attributed_otherwise(
    tmp_path: Path,
) -> None:
    old = apsw.Connection(str(tmp_path / INDEX_NAME))
    old.execute(migrations("index")[0])
    old.execute("INSERT INTO identity VALUES (1, 1, 'a', 400, 80)")
    old.pragma("user_version", 1)
    old.close()

    opened = open_index(tmp_path, IDENTITY, lambda: AT)
    found = opened.store.read_now(read_identity)
    await opened.store.aclose()

    assert opened.set_aside is None
    assert IDENTITY.differences(found) == ("attribution",)


@pytest.mark.parametrize("content", [b"garbage " * 1_000, b"SQLite format 3\0" + b"\xff" * 5_000])
async def test_a_damaged_index_is_set_aside_and_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / INDEX_NAME).write_bytes(content)
    opened = open_index(tmp_path, IDENTITY, lambda: AT)

    assert opened.set_aside == tmp_path / f"{INDEX_NAME}.damaged-20260111T120000000000Z"
    assert opened.set_aside.read_bytes() == content
    assert opened.store.read_now(read_identity) == IDENTITY
    await opened.store.aclose()


async def test_an_index_changed_by_a_newer_version_is_set_aside(tmp_path: Path) -> None:
    first = open_index(tmp_path, IDENTITY, lambda: AT).store
    await first.write(lambda connection: connection.pragma("user_version", 99))
    await first.aclose()
    opened = open_index(tmp_path, IDENTITY, lambda: AT)
    assert opened.set_aside is not None
    await opened.store.aclose()


async def test_an_index_of_another_format_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "index-9.db").write_bytes(b"of the future")
    await open_index(tmp_path, IDENTITY, lambda: AT).store.aclose()
    assert (tmp_path / "index-9.db").read_bytes() == b"of the future"


async def test_what_a_build_left_is_swept_at_the_start(tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".open"):
        path = building_path(tmp_path / INDEX_NAME, 3)
        path.with_name(path.name + suffix).write_bytes(b"half")
    (tmp_path / "index-2.db.building-1").write_bytes(b"not ours")
    opened = open_index(tmp_path, IDENTITY, lambda: AT)
    await opened.store.aclose()
    assert opened.cut_off == 3
    assert names(tmp_path) == {INDEX_NAME, "index-2.db.building-1"}


def test_only_the_last_damaged_ones_are_kept(tmp_path: Path) -> None:
    path = tmp_path / INDEX_NAME
    for number in range(5):
        path.write_bytes(b"%d" % number)
        path.with_name(path.name + "-wal").write_bytes(b"log")
        set_aside(path, AT + timedelta(seconds=number))
    kept = sorted(found for found in tmp_path.iterdir() if not found.name.endswith("-wal"))
    assert [found.read_bytes() for found in kept] == [b"3", b"4"]
    assert len(names(tmp_path)) == 2 * KEPT_DAMAGED


async def test_a_ledger_knows_its_workspace(tmp_path: Path) -> None:
    await open_state(tmp_path, "w1", lambda: AT).store.aclose()
    await open_state(tmp_path, "w1", lambda: AT).store.aclose()
    with pytest.raises(ForeignStateError):
        open_state(tmp_path, "w2", lambda: AT)
    opened = open_state(tmp_path, "w1", lambda: AT)
    assert opened.set_aside is None
    assert opened.store.read_now(lambda c: c.execute("SELECT * FROM workspace").fetchall()) == [
        (1, "w1", AT.isoformat())
    ]
    await opened.store.aclose()


async def test_a_damaged_ledger_is_set_aside_and_said_so(tmp_path: Path) -> None:
    (tmp_path / STATE_NAME).write_bytes(b"garbage " * 1_000)
    opened = open_state(tmp_path, "w1", lambda: AT)
    assert opened.set_aside is not None
    assert opened.set_aside.exists()
    await opened.store.aclose()


async def _loss(folder: Path, *, origins_lost: bool = False) -> datetime | None:
    opened = open_state(folder, "w1", lambda: AT, origins_lost=origins_lost)
    found = opened.store.read_now(read_loss)
    await opened.store.aclose()
    return found


async def test_a_first_ledger_has_lost_nothing(tmp_path: Path) -> None:
    assert await _loss(tmp_path) is None
    await open_index(tmp_path, IDENTITY, lambda: AT).store.aclose()
    assert await _loss(tmp_path) is None


async def test_a_start_that_ended_before_the_ledger_was_made_has_lost_nothing(tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".open"):
        (tmp_path / f"{STATE_NAME}{suffix}").touch()
    assert await _loss(tmp_path) is None


async def test_a_new_ledger_of_a_workspace_that_lost_its_origins_notes_it_once(tmp_path: Path) -> None:
    assert await _loss(tmp_path, origins_lost=True) == AT
    assert await _loss(tmp_path) == AT


async def test_an_old_ledger_has_lost_nothing_whatever_the_workspace_says(tmp_path: Path) -> None:
    assert await _loss(tmp_path) is None
    assert await _loss(tmp_path, origins_lost=True) is None


async def test_a_ledger_that_was_deleted_is_lost_and_the_index_with_it(tmp_path: Path) -> None:
    await _loss(tmp_path)
    await open_index(tmp_path, IDENTITY, lambda: AT).store.aclose()
    for name in names(tmp_path):
        if name.startswith(STATE_NAME):
            (tmp_path / name).unlink()
    assert await _loss(tmp_path) == AT
    assert names(tmp_path) == {STATE_NAME}


async def test_a_ledger_that_is_deleted_while_it_is_in_use_is_not_made_anew_behind_its_users(
    tmp_path: Path,
) -> None:
    store = open_state(tmp_path, "w1", lambda: AT).store
    for name in names(tmp_path):
        (tmp_path / name).unlink()
    for _ in range(2):
        with pytest.raises(UnavailableError) as gone:
            await store.write(lambda connection: connection.execute("DELETE FROM spans"))
        assert gone.value.reason == "no_folder"
    assert names(tmp_path) == set()
    await store.aclose()
    assert names(tmp_path) == set()
    store = open_state(tmp_path, "w1", lambda: AT, origins_lost=True).store
    assert await store.read(read_loss) == AT
    await store.aclose()


async def test_an_empty_file_in_the_place_of_a_ledger_in_use_is_a_loss(tmp_path: Path) -> None:
    store = open_state(tmp_path, "w1", lambda: AT).store
    for name in names(tmp_path):
        (tmp_path / name).unlink()
    (tmp_path / STATE_NAME).touch()
    assert await store.read(read_loss) == AT
    await store.aclose()


async def test_a_damaged_ledger_is_lost_and_the_index_with_it(tmp_path: Path) -> None:
    await _loss(tmp_path)
    await open_index(tmp_path, IDENTITY, lambda: AT).store.aclose()
    (tmp_path / STATE_NAME).write_bytes(b"garbage " * 1_000)
    assert await _loss(tmp_path) == AT
    assert not (tmp_path / INDEX_NAME).exists()


async def test_a_ledger_with_a_broken_page_is_found_after_an_unclean_end(tmp_path: Path) -> None:
    store = open_state(tmp_path, "w1", lambda: AT).store
    await store.write(
        lambda connection: connection.execute(
            "CREATE TABLE big (x); INSERT INTO big WITH RECURSIVE n (i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT hex(randomblob(400)) FROM n"
        ).fetchall()
    )
    await store.aclose()
    content = bytearray((tmp_path / STATE_NAME).read_bytes())
    content[5 * 4096 : 7 * 4096] = b"\xa5" * 8192
    (tmp_path / STATE_NAME).write_bytes(content)
    (tmp_path / f"{STATE_NAME}.open").touch()

    opened = open_state(tmp_path, "w1", lambda: AT)
    assert opened.set_aside is not None
    await opened.store.aclose()


async def test_a_ledger_of_a_newer_version_ends_the_start_and_is_untouched(tmp_path: Path) -> None:
    store = open_state(tmp_path, "w1", lambda: AT).store
    await store.write(lambda connection: connection.pragma("user_version", 99))
    await store.aclose()
    before = (tmp_path / STATE_NAME).read_bytes()

    with pytest.raises(NewerFormatError):
        open_state(tmp_path, "w1", lambda: AT)
    assert (tmp_path / STATE_NAME).read_bytes() == before
    assert names(tmp_path) <= {STATE_NAME, f"{STATE_NAME}.open"}


async def test_a_second_process_that_holds_the_file_is_told_not_waited_for_ever(tmp_path: Path) -> None:
    store = open_index(tmp_path, IDENTITY, lambda: AT).store
    other = apsw.Connection(str(store.path))
    other.execute("BEGIN IMMEDIATE")
    with trio.fail_after(60):
        await store.maintain(lambda writer: writer.set_busy_timeout(50))
        with pytest.raises(Exception, match="locked"):
            await store.probe()
    other.close()
    await store.aclose()
