import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from openclaw_memd.index import database
from openclaw_memd.index.database import (
    Durability,
    NewerFormatError,
    create_private_file,
    make_private_folder,
    migrate,
    migrations,
    open_reader,
    open_writer,
    side_files,
)


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_every_file_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "a" / "b"
    make_private_folder(folder)
    path = folder / "some.db"
    writer = open_writer(path, Durability.DERIVED)
    writer.execute("CREATE TABLE t (x)")

    assert mode(folder) == mode(folder.parent) == 0o700
    assert {mode(found) for found in (path, *side_files(path))} == {0o600}
    writer.close()


def test_a_file_that_is_there_is_not_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    assert create_private_file(path)
    path.write_bytes(b"content")
    path.chmod(0o000)
    assert not create_private_file(path)
    assert path.stat().st_size == 7


def test_a_link_in_the_place_of_a_database_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "some.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(apsw.Error):
        open_writer(tmp_path / "some.db", Durability.DERIVED)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("durability", "number"), [(Durability.DURABLE, 2), (Durability.DERIVED, 1), (Durability.SCRATCH, 0)]
)
def test_the_writer_is_set_up_as_meant(tmp_path: Path, durability: Durability, number: int) -> None:
    writer = open_writer(tmp_path / "some.db", durability)

    assert writer.pragma("journal_mode") == "wal"
    assert writer.pragma("synchronous") == number
    assert writer.pragma("secure_delete") == 1
    assert writer.pragma("foreign_keys") == 1
    assert writer.pragma("trusted_schema") == 0
    assert writer.pragma("busy_timeout") == 5_000
    assert writer.transaction_mode == "IMMEDIATE"
    with pytest.raises(apsw.SQLError):
        writer.execute('SELECT "no such column"')
    writer.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    writer = open_writer(path, Durability.DERIVED)
    writer.execute("CREATE TABLE t (x)")
    reader = open_reader(path)

    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("INSERT INTO t VALUES (1)")
    reader.close()
    writer.close()


def test_a_reader_does_not_make_a_database(tmp_path: Path) -> None:
    with pytest.raises(apsw.CantOpenError):
        open_reader(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


@pytest.mark.parametrize("schema", ["index", "state"])
def test_migrations_lead_from_nothing_to_the_newest_schema(tmp_path: Path, schema: str) -> None:
    writer = open_writer(tmp_path / "some.db", Durability.DERIVED)
    newest = migrate(writer, schema)

    assert newest == len(migrations(schema)) >= 1
    assert writer.pragma("user_version") == newest
    assert migrate(writer, schema) == newest
    writer.close()


def test_a_failed_migration_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "migrations", lambda _: ("CREATE TABLE a (x)", "CREATE TABLE a (x)"))
    writer = open_writer(tmp_path / "some.db", Durability.DERIVED)

    with pytest.raises(apsw.SQLError):
        migrate(writer, "index")
    assert writer.pragma("user_version") == 0
    assert writer.execute("SELECT count(*) FROM sqlite_schema").get == 0
    writer.close()


def test_only_the_missing_migrations_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = ["CREATE TABLE a (x); INSERT INTO a VALUES (1)"]
    monkeypatch.setattr(database, "migrations", lambda _: tuple(scripts))
    writer = open_writer(tmp_path / "some.db", Durability.DERIVED)
    migrate(writer, "index")
    scripts.append("INSERT INTO a VALUES (2)")
    migrate(writer, "index")

    assert writer.execute("SELECT group_concat(x) FROM a").get == "1,2"
    writer.close()


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    writer = open_writer(tmp_path / "some.db", Durability.DERIVED)
    writer.pragma("user_version", 99)

    with pytest.raises(NewerFormatError) as caught:
        migrate(writer, "state")
    assert (caught.value.found, caught.value.known) == (99, len(migrations("state")))
    assert writer.execute("SELECT count(*) FROM sqlite_schema").get == 0
    writer.close()


def test_a_hole_in_the_numbers_is_a_broken_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "migrations" / "holed"
    folder.mkdir(parents=True)
    (folder / "0001_a.sql").write_text("SELECT 1")
    (folder / "0003_c.sql").write_text("SELECT 3")
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)

    with pytest.raises(RuntimeError, match="migration 2"):
        migrations("holed")
