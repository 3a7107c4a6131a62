"""What a view lets through is the same in the database as in the pure function."""

from itertools import product
from pathlib import Path

import apsw
import pytest

from openclaw_memd.domain.audience import Notes, View, sees
from openclaw_memd.domain.provenance import Tier
from openclaw_memd.index.database import create_private_file, migrate
from openclaw_memd.index.readers import Filters, chunk_ids

WRITERS = [None, "session:4:main2:s1", "session:4:main2:s2"]
PATHS = ["memory/a.md", "sessions/main/s1", "sessions/mainly/s1", "sessions/other/s1"]
PLACES = list(product(Tier, PATHS, WRITERS))


@pytest.fixture
def index(tmp_path: Path) -> apsw.Connection:
    """One chunk of every tier, path and writer."""
    path = tmp_path / "index.db"
    create_private_file(path)
    connection = apsw.Connection(str(path))
    migrate(connection, "index")
    for number, (tier, file_path, writer) in enumerate(PLACES, start=1):
        connection.execute(
            "INSERT INTO files VALUES (?, ?, 'memory', ?, '', '', 0, 0, 0, 0, 0, x'', 0, 1)",
            (number, f"{file_path}~{number}", tier.value),
        )
        connection.execute(
            "INSERT INTO chunks (id, file_id, ordinal, trust, origin, session_kind, start_line, end_line,"
            " text, terms, context, text_hash, heading, dated, triggers, projects, project_valid, writer)"
            " VALUES (?1, ?1, 0, 'episodic', 'agent', 'unknown', 1, 1, '', '', '', x'', '', 0, '[]', '[]', 1,"
            " ?2)",
            (number, writer),
        )
    return connection


VIEWS = [
    View(
        curated=curated,
        notes=notes,
        own_session=own,
        other_sessions=other,
        foreign=foreign,
        agent=agent,
        writer=writer,
    )
    for curated, notes, own, other, foreign, agent, writer in product(
        (False, True), Notes, (False, True), (False, True), (False, True), ("main", "other"), WRITERS
    )
]


def test_the_database_lets_through_what_the_view_sees(index: apsw.Connection) -> None:
    paths = dict(index.execute("SELECT id, path FROM files"))
    for view in VIEWS:
        expected = [
            number
            for number, (tier, _, writer) in enumerate(PLACES, start=1)
            if sees(view, tier=tier, path=paths[number], writer=writer)
        ]
        assert chunk_ids(index, Filters(view=view)) == expected
