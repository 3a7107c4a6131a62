from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import apsw
import pytest

from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.sketches import near_duplicate_sketches, pack_shingles, sketch, sketch_line
from openclaw_memd.index.ledger.spans import (
    MOST_ALIKE,
    find_alike,
    has_sketches,
    leave_files,
    read_sketches,
    record_spans,
    spans_of,
)
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
    found = await ledger.store.read(partial(find_alike, wanted=wanted))
    assert [line for line, made in found if near_duplicate_sketches(wanted, made)] == [hash_line(lines[7])]
    made = sketch_line(lines[7], ANALYZER)
    assert (found[0][1], found[0][1].terms) == (made, made.terms)


async def test_lines_that_a_text_holds_or_that_hold_it_are_found(ledger: Ledger) -> None:
    long = "- Bob says the depot gate opens at seven every morning, so be there early with the blue key"
    lines = [f"- remark {number} about the crane" for number in range(50)]
    await ledger.record(DAY, [*lines, long], WEB)
    for text in (f"We had tea. {long[2:]} And rum.", "the depot gate opens at seven every morning"):
        found = await ledger.store.read(partial(find_alike, wanted=sketch_line(text, ANALYZER)))
        assert [line for line, _ in found] == [hash_line(long)]


async def test_so_many_lines_at_most_are_compared_those_first_that_are_most_alike(ledger: Ledger) -> None:
    lines = [f"- the depot gate opens at seven in week {number}" for number in range(MOST_ALIKE + 20)]
    await ledger.record(DAY, lines, WEB)
    found = await ledger.store.read(partial(find_alike, wanted=sketch_line(lines[-1], ANALYZER)))
    assert len(found) == MOST_ALIKE
    assert found[0][0] == hash_line(lines[-1])


async def test_sketches_of_an_older_ledger_still_find_near_duplicates(ledger: Ledger) -> None:
    made = sketch_line("- the depot gate opens at seven every morning but on holidays", ANALYZER)

    def put_old(connection: apsw.Connection) -> None:
        connection.execute(
            "INSERT INTO sketches VALUES (1, ?, ?, ?, ?)",
            (hash_line(LINE), made.words, made.decisive, pack_shingles(made)),
        )
        connection.executemany("INSERT INTO sketch_shingles VALUES (?, 1)", [(key,) for key in made.keys])

    await ledger.store.write(put_old)
    ((line_hash, old),) = await ledger.store.read(partial(find_alike, wanted=made))
    assert (line_hash, old.shingles, old.terms) == (hash_line(LINE), made.shingles, ())
    assert near_duplicate_sketches(made, old)
    assert await ledger.store.read(partial(read_sketches, hashes=[hash_line(LINE)])) == {line_hash: old}


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
            "near": _steps(connection, lambda: find_alike(connection, wanted)),
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
