"""Databases as earlier versions made them, with a row in each table that may have one."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import apsw

from openclaw_memd.index.database import migrations

AT: Final = "2026-01-11T12:00:00+00:00"
WORKSPACE: Final = "w"
_CHOICE = re.compile(r"CHECK \((\w+)(?: IS NULL OR \1)? IN \(([^)]*)\)")
_LENGTH = re.compile(r"length\((\w+)\) (?:=|%) (\d+)")
_SHADOW = re.compile(r"_(data|idx|content|docsize|config)$")

Rows = Mapping[str, list[dict[str, Any]]]


def make_old(path: Path, schema: str, version: int) -> Rows:
    """A database of the first ``version`` migrations; what is in it, by table."""
    connection = apsw.Connection(str(path))
    try:
        connection.pragma("journal_mode", "wal")
        with connection:
            for script in migrations(schema)[:version]:
                connection.execute(script)
            connection.pragma("user_version", version)
            for table, sql in _tables(connection):
                _add_row(connection, table, sql)
        return read_rows(connection)
    finally:
        connection.close()


def read_rows(connection: apsw.Connection) -> Rows:
    """Every row of every table but of full-text ones."""
    found = {}
    for table, _ in _tables(connection):
        cursor = connection.execute(f'SELECT * FROM "{table}"')
        rows = cursor.fetchall()
        names = [column[1] for column in connection.execute(f'PRAGMA table_info("{table}")')]
        found[table] = [dict(zip(names, row, strict=True)) for row in rows]
    return found


def read_schema(connection: apsw.Connection) -> list[tuple[Any, ...]]:
    """What the tables are, however often they were altered on the way."""
    shape: list[tuple[Any, ...]] = []
    names = connection.execute("SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name").fetchall()
    for kind, name, table in names:
        columns = connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall() if kind == "table" else []
        keys = connection.execute(f'PRAGMA foreign_key_list("{name}")').fetchall() if kind == "table" else []
        shape.append((kind, name, table, tuple(column[1:] for column in columns), tuple(sorted(keys))))
    return shape


def _tables(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Names and statements of the tables that hold rows of their own."""
    found: list[tuple[Any, ...]] = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    ).fetchall()
    full_text = {name for name, sql in found if "VIRTUAL" in sql}
    return [
        (name, sql) for name, sql in found if name not in full_text and _SHADOW.sub("", name) not in full_text
    ]


def _add_row(connection: apsw.Connection, table: str, sql: str) -> None:
    if connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone():
        return  # the migration filled it
    columns: list[tuple[Any, ...]] = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    values = {name: _value(table, name, kind, sql) for _, name, kind, *_ in columns}
    for _, _, parent, own, key, *_ in connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
        ((values[own],),) = connection.execute(f'SELECT "{key}" FROM "{parent}" LIMIT 1').fetchall()
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join("?" * len(values))
    connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', tuple(values.values()))


def _value(table: str, name: str, kind: str, sql: str) -> Any:
    if (table, name) == ("workspace", "workspace_id"):
        return WORKSPACE
    choices = {column: values.split(",")[0].strip().strip("'") for column, values in _CHOICE.findall(sql)}
    match kind:
        case "INTEGER":
            return int(choices.get(name, 1))
        case "REAL":
            return 0.5
        case "BLOB":
            return b"h" * int(dict(_LENGTH.findall(sql)).get(name, 32))
    dated = name.endswith(("_at", "_on", "date", "until"))
    return choices.get(name, AT if dated else f"{table} {name}")
