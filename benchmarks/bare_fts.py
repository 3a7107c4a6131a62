"""The floor: the same chunk texts in one bare FTS5 table.

    python -m benchmarks.bare_fts INDEX DATABASE

fills DATABASE from the chunks of INDEX.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import apsw

from benchmarks.cost import Cost, Stopwatch

_WORD = re.compile(r"\w+")


def fill(texts: list[tuple[Any, ...]], database: Path) -> Cost:
    """Insert ``texts`` with one statement in one transaction."""
    with Stopwatch() as watch:
        connection = apsw.Connection(str(database))
        connection.execute("CREATE VIRTUAL TABLE bare USING fts5 (text, tokenize = 'unicode61')")
        with connection:
            connection.executemany("INSERT INTO bare (text) VALUES (?)", texts)
        connection.close()
    return watch.cost(len(texts))


def open_bare(database: Path) -> apsw.Connection:
    """The filled table, only to be read."""
    return apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)


def search(connection: apsw.Connection, question: str, limit: int) -> list[str]:
    """The texts of the best ``limit`` chunks that hold any word of ``question``, by BM25."""
    match = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
    rows = connection.execute(
        "SELECT text FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT ?", (match, limit)
    )
    return [text for (text,) in rows]


def main() -> None:
    index, database = map(Path, sys.argv[1:])
    source = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    texts = source.execute("SELECT text FROM chunks ORDER BY id").fetchall()
    source.close()
    print(json.dumps(fill(texts, database).to_json()))


if __name__ == "__main__":
    main()
