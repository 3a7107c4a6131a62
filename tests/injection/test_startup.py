import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.startup_context import SLUGGED_NOTES
from openclaw_memd.errors import UnavailableError
from openclaw_memd.injection.startup import StartupLimits
from tests.injection.givings import LIMITS, Giving, open_giving

HIDDEN = Caller(session_id="hidden-7").writer
SHOWN = Caller(session_id="s1").writer


async def tell(giving: Giving, limits: StartupLimits = LIMITS) -> str:
    startup = await giving.bootstrap._notes.tell(limits)
    return "" if startup is None else startup.text


async def test_today_and_yesterday_are_told(tmp_path: Path) -> None:
    async with open_giving(tmp_path) as giving:
        for day in ("2026-01-09", "2026-01-10", "2026-01-11", "2026-01-12"):
            giving.write(f"memory/{day}.md", f"- Said on {day}.\n")
        giving.write("memory/2026-01-11-standup.md", "- The standup.\n")
        giving.write("memory/topic.md", "- A topic.\n")
        told = await tell(giving)

        places = [told.index(text) for text in ("Said on 2026-01-11", "standup.md", "Said on 2026-01-10")]
        assert places == sorted(places)
        assert not any(text in told for text in ("2026-01-09", "2026-01-12", "topic"))


async def test_around_midnight_the_days_of_both_clocks_are_told(tmp_path: Path) -> None:
    async with open_giving(tmp_path) as giving:
        giving.clock.at = datetime(2026, 1, 10, 23, 30, tzinfo=UTC)  # the 11th in Vienna
        for day in ("2026-01-09", "2026-01-10", "2026-01-11"):
            giving.write(f"memory/{day}.md", f"- Said on {day}.\n")

        told = await tell(giving)
        assert all(day in told for day in ("2026-01-09", "2026-01-10", "2026-01-11"))


async def test_what_nobody_vouches_for_is_left_out(tmp_path: Path) -> None:
    note = "memory/2026-01-11.md"
    async with open_giving(tmp_path) as giving:
        await giving.record(note, "- From a web page.", Origin.UNTRUSTED)
        await giving.record(note, "- From the scaffolding.", Origin.SYSTEM)
        await giving.record(note, "- From the agent.", Origin.AGENT)
        giving.write(
            note,
            "- By hand.\n- From a web page.\n- From the scaffolding.\n- From the agent.\n",
        )
        giving.write("memory/2026-01-11-untrusted.md", "- Quarantined.\n")
        giving.write("memory/2026-01-11-web-untrusted.md", "- Quarantined.\n")
        told = await tell(giving)

        assert "By hand" in told
        assert "From the agent" in told
        assert not any(text in told for text in ("web page", "scaffolding", "Quarantined"))

        await giving.decide(note, 1, Origin.UNTRUSTED)
        assert "By hand" not in await tell(giving)


async def test_excluded_sessions_and_excluded_files_are_left_out(tmp_path: Path) -> None:
    note = "memory/2026-01-11.md"
    async with open_giving(tmp_path, exclude=("hidden-*",), hidden=("memory/2026-01-11-mail.md",)) as giving:
        await giving.record(note, "- Said in a hidden session.", Origin.AGENT, HIDDEN)
        await giving.record(note, "- Said in another session.", Origin.AGENT, SHOWN)
        giving.write(note, "- Said in a hidden session.\n- Said in another session.\n")
        giving.write("memory/2026-01-11-mail.md", "- Mail.\n")
        told = await tell(giving)

        assert "another session" in told
        assert "hidden session" not in told
        assert "Mail" not in told


async def test_what_nobody_vouches_for_takes_no_room_and_no_place_of_what_is_told(tmp_path: Path) -> None:
    note = "memory/2026-01-11.md"
    async with open_giving(tmp_path) as giving:
        await giving.record(note, "- " + "x" * 20_000, Origin.UNTRUSTED)
        giving.write(note, "- " + "x" * 20_000 + "\n- By hand.\n")
        for number in range(SLUGGED_NOTES + 2):
            giving.write(f"memory/2026-01-11-own{number}.md", f"- Own {number}.\n")
            os.utime(giving.folder / f"memory/2026-01-11-own{number}.md", (number, number))
        for number in range(SLUGGED_NOTES):
            await giving.record(f"memory/2026-01-11-web{number}.md", f"- Web {number}.", Origin.UNTRUSTED)
            giving.write(f"memory/2026-01-11-web{number}.md", f"- Web {number}.\n")
        told = await tell(giving)

        assert "By hand" in told
        assert [f"Own {number}" in told for number in range(6)] == [False, False, True, True, True, True]
        assert "Web" not in told


async def test_no_more_than_sixteen_kibibytes_of_a_note_are_looked_at(tmp_path: Path) -> None:
    async with open_giving(tmp_path) as giving:
        giving.write("memory/2026-01-11.md", "\n" * 20_000 + "- Far below.\n")
        giving.write("memory/2026-01-10.md", "字" * 20_000)
        told = await tell(giving, StartupLimits(file_chars=10_000, total_chars=50_000))

        assert "Far below" not in told
        assert told.count("字") == 16 * 1024 // 3


async def test_a_ledger_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    async with open_giving(tmp_path) as giving:
        giving.write("memory/2026-01-11.md", "- Said.\n")
        await giving.state.aclose()

        with pytest.raises(UnavailableError):
            await tell(giving)


async def test_no_days_no_notes(tmp_path: Path) -> None:
    async with open_giving(tmp_path) as giving:
        giving.write("memory/2026-01-11.md", "- Said.\n")

        assert await tell(giving, StartupLimits(days=0)) == ""
