"""Which rewrite of a file was that of a run that had no time to say so."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import apsw
import pytest

from openclaw_memd.index.ledger import promotions as ledger
from openclaw_memd.index.ledger.preimages import insert_preimage

AT = datetime(2026, 1, 12, 3, tzinfo=UTC)
FILE = "MEMORY.md"


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    """The tables of a new ledger, in memory."""
    opened = apsw.Connection(":memory:")
    for script in sorted(files("openclaw_memd.index.migrations.state").iterdir(), key=lambda one: one.name):
        if script.name.endswith(".sql"):
            opened.execute(script.read_text())
    yield opened
    opened.close()


def rewrite(connection: apsw.Connection, cause: str, minutes: int) -> int:
    at = AT + timedelta(minutes=minutes)
    return insert_preimage(
        connection, file=FILE, at=at, cause=cause, before=b"", after=b"- x\n", counts=(1, 0), origins=()
    )


def test_it_is_the_first_of_a_night_since_its_beginning_that_no_run_claims(
    connection: apsw.Connection,
) -> None:
    rewrite(connection, "dream", -10)
    ledger.begin_promotions(connection, "r1", FILE, {"t1": "e1"}, AT)
    rewrite(connection, "remember", 1)  # somebody else's
    first = rewrite(connection, "accept", 2)
    ledger.conclude_promotions(connection, "r1", FILE, ["t1"], first)
    ledger.begin_promotions(connection, "r1", FILE, {"t2": "e2"}, AT)
    assert ledger.unclaimed_rewrite(connection, "r1", FILE) is None
    rewrite(connection, "undo", 3)
    second = rewrite(connection, "accept", 4)
    rewrite(connection, "dream", 5)

    assert ledger.unclaimed_rewrite(connection, "r1", FILE) == second
    assert ledger.unclaimed_rewrite(connection, "r2", FILE) is None
    assert ledger.unclaimed_rewrite(connection, "r1", "USER.md") is None


def test_what_was_begun_and_did_not_come_is_no_promotion(connection: apsw.Connection) -> None:
    ledger.begin_promotions(connection, "r1", FILE, {"t1": "e1", "t2": "e2"}, AT)
    ledger.conclude_promotions(connection, "r1", FILE, ["t1"], None)

    assert [one.key for one in ledger.promotions_of(connection, "r1")] == ["t1"]
    assert ledger.begun_promotions(connection) == []
    ledger.undo_promotions(connection, "r1", FILE)
    assert ledger.promotions_of(connection, "r1") == []
    assert ledger.last_run(connection) is None
    assert ledger.promoted_entries(connection, FILE) == {"e1"}
