from datetime import date
from functools import partial
from pathlib import Path

import trio

from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.recorded_days import RecordedDays
from openclaw_memd.zones import Zone
from tests.index.ledgers import AGENT, WEB, open_ledger
from tests.index.notes import AT

FILE = "MEMORY.md"


async def test_the_day_of_a_line_is_that_of_its_record_in_the_zone(tmp_path: Path) -> None:
    async with open_ledger(tmp_path) as ledger:
        await ledger.record(FILE, ["- One.", "- Two."], AGENT)
        await ledger.record("memory/a.md", ["- Three."], WEB)
        await ledger.look({FILE: "- One.\n- Two.\n- Three.\n- By hand.\n"})
        hashes = {line: hash_line(line) for line in ("- One.", "- Two.", "- Three.", "- By hand.", "- No.")}

        async def days(zone: str) -> dict[str, date]:
            recorded = RecordedDays(ledger.store, Zone(zone))
            work = partial(recorded.of_lines, FILE, tuple(hashes.values()))
            found = await trio.to_thread.run_sync(work)
            return {line: found[line_hash] for line, line_hash in hashes.items() if line_hash in found}

        here = await days("UTC")
        assert here == dict.fromkeys(("- One.", "- Two."), AT.date()), "nobody recorded the others here"
        there = await days("Pacific/Kiritimati")
        assert set(there.values()) == {date(2026, 1, 12)}
        await ledger.trust(FILE, "- One.\n- Two.\n- Three.\n- By hand.\n", Origin.UNTRUSTED)
        assert (await days("UTC"))["- One."] == AT.date()


async def test_nothing_is_asked_about_nothing(tmp_path: Path) -> None:
    async with open_ledger(tmp_path) as ledger:
        recorded = RecordedDays(ledger.store, Zone("UTC"))
        assert await trio.to_thread.run_sync(recorded.of_lines, FILE, ()) == {}
