"""Databases of others, honest and hostile: read from a copy, or refused."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from openclaw_memd.index import foreign
from openclaw_memd.index.foreign import ForeignDatabase, ForeignError


def make(path: Path, *statements: str) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    return connection


def read(path: Path, columns: tuple[str, ...] = ("a", "b")) -> object:
    database = ForeignDatabase(path, path.parent / "scratch")
    try:
        return database.rows("t", columns, most=10)
    finally:
        database.close()


def test_rows_are_read_and_a_column_that_is_missing_is_none(tmp_path: Path) -> None:
    make(tmp_path / "x", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), ('two')").close()
    assert read(tmp_path / "x") == [(1, None), ("two", None)]
    assert not (tmp_path / "scratch").exists()


def test_a_table_that_is_missing_is_none(tmp_path: Path) -> None:
    make(tmp_path / "x", "CREATE TABLE other (a)").close()
    assert read(tmp_path / "x") is None


def test_what_still_stands_in_the_log_is_read_and_the_original_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x"
    writer = make(path, "PRAGMA journal_mode = wal", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    before = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in tmp_path.iterdir()}
    assert read(path, ("a",)) == [(1,)]
    after = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in tmp_path.iterdir()}
    assert after == before
    writer.close()


HOSTILE = {
    "a view": ("CREATE TABLE base (a)", "CREATE VIEW t AS SELECT load_extension('x') AS a FROM base"),
    "a virtual table": ("CREATE VIRTUAL TABLE t USING fts5(a)",),
}


@pytest.mark.parametrize("statements", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_plain_table_is_not_read(tmp_path: Path, statements: tuple[str, ...]) -> None:
    make(tmp_path / "x", *statements).close()
    if statements[0].startswith("CREATE TABLE base"):
        assert read(tmp_path / "x", ("a",)) is None
    else:
        with pytest.raises(ForeignError, match="unknown_table"):
            read(tmp_path / "x", ("a",))


def test_a_generated_column_runs_no_function(tmp_path: Path) -> None:
    make(
        tmp_path / "x",
        "CREATE TABLE t (a, b GENERATED ALWAYS AS (hex(zeroblob(1000000))) VIRTUAL)",
        "INSERT INTO t (a) VALUES (1)",
    ).close()
    assert read(tmp_path / "x") == [(1, None)]


def test_a_value_that_is_too_long_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "x", "CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(9000000))").close()
    with pytest.raises(ForeignError, match="not_a_database"):
        read(tmp_path / "x", ("a",))


def test_a_scan_that_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(
        tmp_path / "x",
        "CREATE TABLE t (a)",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)"
        " INSERT INTO t SELECT i FROM n",
    ).close()
    monkeypatch.setattr(foreign, "MOST_STEPS", 10)
    monkeypatch.setattr(foreign, "_CHECK_STEPS", 10)
    with pytest.raises(ForeignError):
        read(tmp_path / "x", ("a",))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("at", range(0, 8192, 331))
def test_a_flipped_byte_gives_rows_or_a_refusal(tmp_path: Path, at: int) -> None:
    path = tmp_path / "x"
    make(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES ('some text that is long enough')").close()
    flip(path, at)
    try:
        rows = read(path, ("a",))
    except ForeignError:
        return
    assert rows is None or isinstance(rows, list)


@pytest.mark.parametrize("size", [0, 10, 100, 4095, 5000])
def test_a_database_that_was_cut_off_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x"
    make(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (hex(randomblob(6000)))").close()
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ForeignError):
        read(path, ("a",))


def put_link(path: Path) -> None:
    make(path.with_name("real"), "CREATE TABLE t (a)").close()
    path.symlink_to(path.with_name("real"))


def put_folder(path: Path) -> None:
    path.mkdir()


def put_pipe(path: Path) -> None:
    import os

    os.mkfifo(path)


@pytest.mark.parametrize(
    ("put", "reason"), [(put_link, "symlink"), (put_folder, "not_regular"), (put_pipe, "not_regular")]
)
def test_what_is_no_file_is_not_opened(tmp_path: Path, put: Callable[[Path], None], reason: str) -> None:
    put(tmp_path / "x")
    with pytest.raises(ForeignError, match=reason):
        read(tmp_path / "x")


def test_a_database_that_is_too_large_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "x", "CREATE TABLE t (a)").close()
    monkeypatch.setattr(foreign, "MOST_BYTES", 100)
    with pytest.raises(ForeignError, match="too_large"):
        read(tmp_path / "x")


def test_a_name_is_never_a_statement(tmp_path: Path) -> None:
    make(tmp_path / "x", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)").close()
    database = ForeignDatabase(tmp_path / "x", tmp_path / "scratch")
    assert database.rows('t"; DROP TABLE t; --', ("a",), most=1) is None
    assert database.rows("t", ('a" FROM t; --',), most=1) == [(None,)]
    database.close()
