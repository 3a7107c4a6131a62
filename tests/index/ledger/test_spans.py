from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import apsw
import pytest

from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.sketches import sketch, sketch_line
from openclaw_memd.index.ledger.spans import has_sketches, leave_files, near_hashes, record_spans, spans_of
from tests.index.ledgers import AGENT, ANALYZER, WEB, Ledger, open_ledger
from tests.index.notes import AT

DAY = "memory/2026-01-11.md"
LINE = "- the depot opens at seven"


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with open_ledger(tmp_path) as opened:
        yield opened


async def test_equal_lines_of_a_write_are_one_row_and_blank_ones_none(ledger: Ledger) -> None:
    await ledger.record(DAY, [LINE, "", f"{LINE} \r", " \t", "- other"], AGENT)
    rows = await ledger.rows("SELECT hash, words, recorded, seen, present, agent, session_id FROM spans")
    assert rows == [
        (hash_line(LINE), 4, 2, 0, 0, "main", "s1"),
        (hash_line("- other"), 1, 1, 0, 0, "main", "s1"),
    ]
    assert not await ledger.store.read(has_sketches)


async def test_near_duplicates_of_outside_lines_are_found(ledger: Ledger) -> None:
    lines = [f"- remark {number} about the depot in the long winter of that year" for number in range(50)]
    await ledger.record(DAY, lines, WEB)
    wanted = sketch_line("* Remark 7 about a depot in the long winter of that year!", ANALYZER)
    found = await ledger.store.read(partial(near_hashes, wanted=wanted))
    assert found == [hash_line(lines[7])]


async def test_a_line_that_is_recorded_twice_has_one_sketch(ledger: Ledger) -> None:
    await ledger.record(DAY, [LINE], WEB)
    await ledger.record("memory/b.md", [LINE, "---"], WEB)
    assert await ledger.rows("SELECT count(*), sum(words) FROM sketches") == [(1, 4)]


async def test_a_write_that_is_taken_back_records_nothing(ledger: Ledger) -> None:
    def work(connection: apsw.Connection) -> None:
        record_spans(
            connection,
            append_id=1,
            path=DAY,
            lines=[LINE],
            provenance=WEB,
            agent="main",
            session_id=None,
            at=AT,
            sketches=partial(sketch, analyzer=ANALYZER),
        )
        raise OSError("the disk is gone")

    before = await ledger.dump()
    with pytest.raises(OSError, match="gone"):
        await ledger.store.write(work)
    assert await ledger.dump() == before


async def test_lookups_in_a_large_ledger_use_its_indexes(ledger: Ledger) -> None:
    def fill(connection: apsw.Connection) -> None:
        connection.execute(
            "INSERT INTO spans"
            " (path, hash, words, origin, session_kind, recorded, seen, present, recorded_at)"
            " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
            " SELECT 'memory/' || (i % 200) || '.md', randomblob(16), 5, 'agent', 'cron', 1, 1, 1, '' FROM n"
        )

    await ledger.store.write(fill)
    await ledger.record(DAY, [LINE], WEB)
    wanted = sketch_line(LINE, ANALYZER)

    def work(connection: apsw.Connection) -> dict[str, int]:
        return {
            "hashes": _steps(connection, lambda: spans_of(connection, [hash_line(LINE)], [DAY])),
            "near": _steps(connection, lambda: near_hashes(connection, wanted)),
            "sketches": _steps(connection, lambda: has_sketches(connection)),
            "leave": _steps(connection, lambda: leave_files(connection, ["memory/7.md"])),
        }

    steps = await ledger.store.write(work)
    assert steps["leave"] < 5_000  # a hundred lines are in that file
    assert max(steps["hashes"], steps["near"], steps["sketches"]) < 1_000


def _steps(connection: apsw.Connection, work: Callable[[], object]) -> int:
    """How many steps of SQLite's machine ``work`` takes, in tens."""
    tens = 0

    def count() -> bool:
        nonlocal tens
        tens += 1
        return False

    connection.set_progress_handler(count, 10)
    work()
    connection.set_progress_handler(None)
    return tens * 10
