"""That nothing of deleted rows is left in a database's raw bytes."""

import random
from pathlib import Path

import apsw

from openclaw_memd.index.database import Durability
from openclaw_memd.index.store import Store

CANARY = b"CANARYWORD"


def prepare(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)")
    connection.execute("CREATE INDEX texts_by_number ON texts (number, text)")
    connection.execute("CREATE TABLE keys (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")


def fill(connection: apsw.Connection, rng: random.Random) -> None:
    """Rows of all sizes come, grow and go, so that the pages of the tables are split and joined."""
    ids: list[int] = []
    for _ in range(60):
        text = "".join(rng.choices("abcdefgh ", k=rng.choice([5, 50, 400, 1500, 6000])))
        if rng.random() < 0.1:
            text = "".join(rng.choices("ijkl ", k=rng.randrange(60))) + CANARY.decode() + text
        connection.execute("INSERT INTO texts (number, text) VALUES (?, ?)", (rng.randrange(20), text))
        ids.append(connection.last_insert_rowid())
        connection.execute("INSERT INTO keys VALUES (?, ?)", (f"{text[:40]}{ids[-1]}", text[:300]))
    for _ in range(20):
        grown = (rng.randrange(800), rng.randint(1, ids[-1]))
        connection.execute("UPDATE texts SET text = text || hex(zeroblob(?)) WHERE id = ?", grown)
    for _ in range(15):
        connection.execute("DELETE FROM texts WHERE id = ?", (rng.randint(1, ids[-1]),))


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def delete(connection: apsw.Connection) -> None:
    for table in ("texts", "keys"):
        connection.execute(f"DELETE FROM {table} WHERE instr(text, 'CANARYWORD')")


async def test_pages_that_were_split_and_joined_keep_nothing(tmp_path: Path) -> None:
    """Overwriting deleted rows is not enough: copies stay in the free parts of pages."""
    rng = random.Random(3)
    store = Store(tmp_path / "a.db", Durability.SCRATCH, prepare)
    for _ in range(60):
        await store.write(lambda connection: fill(connection, rng))
    await store.write(delete)
    await store.empty_log()
    assert CANARY in (tmp_path / "a.db").read_bytes()
    await store.scrub()
    assert not any(CANARY in path.read_bytes() for path in files(tmp_path))
    assert (tmp_path / "a.db-wal").stat().st_size == 0
    await store.aclose()


async def test_the_log_is_emptied_though_somebody_reads(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.db", Durability.DERIVED, prepare)
    await store.write(lambda connection: fill(connection, random.Random(1)))
    assert await store.read(lambda connection: connection.execute("SELECT count(*) FROM texts").get)
    assert (tmp_path / "a.db-wal").stat().st_size > 0
    await store.empty_log()
    assert (tmp_path / "a.db-wal").stat().st_size == 0
    await store.aclose()
