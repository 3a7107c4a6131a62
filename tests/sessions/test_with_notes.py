"""Sessions together with the writing of notes, as the daemon wires them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from openclaw_memd.config.sections import Flush
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.sessions.outcomes import CaptureWish, EndReason
from openclaw_memd.zones import Zone
from tests.notes.worlds import Spans
from tests.sessions.worlds import GUEST, World, assistant, caller, open_world, tool, user


@asynccontextmanager
async def open_with_notes(base: Path) -> AsyncIterator[tuple[World, NoteWriter]]:
    (base / "workspace").mkdir(exist_ok=True)
    async with open_world(base / "state") as world:
        roots = Roots(base / "workspace")
        writer = NoteWriter(
            world.store,
            roots,
            turns=world.sessions.turns,
            analyzer=Analyzer(),
            clock=world.clock,
            zone=Zone("Europe/Vienna"),
            settings=lambda _agent: Flush(),
            record=Spans(),
        )
        try:
            yield world, writer
        finally:
            roots.close()


async def test_the_end_of_a_session_is_written_once_and_apart_by_trust(tmp_path: Path) -> None:
    async with open_with_notes(tmp_path) as (world, writer):
        messages = [user("1", "deploy on fridays?"), assistant("2", "no"), user("3", "spam", sender=GUEST)]
        await world.sessions.append(caller(), messages)
        ended = await world.sessions.end(caller(), EndReason.NEW, CaptureWish(), writer)
        assert ended.note_path == "memory/2026-01-11-1300.md"
        again = await world.sessions.end(caller(), EndReason.NEW, CaptureWish(), writer)
        assert again.note_path is None
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "workspace/memory").glob("*.md")}
    assert written == {
        "2026-01-11-1300.md": (
            "# 2026-01-11 13:00 (Europe/Vienna)\n\n- Session: s1\n- Reason: new\n\n"
            "> User: deploy on fridays?\n> Assistant: no\n"
        ),
        "2026-01-11-1300-untrusted.md": (
            "# 2026-01-11 13:00 (Europe/Vienna): from outside, not trusted\n\n"
            "- Session: s1\n- Reason: new\n\n"
            "> User: spam\n"
        ),
    }


async def test_a_key_of_the_host_is_none_of_a_capture(tmp_path: Path) -> None:
    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(caller(), [user("1", "deploy on fridays?")])
        answers = FirstAnswers(world.store, world.clock)
        async with answers.turn("main", "session.end", "capture:main:s1:1") as key:
            await answers.keep(key, '{"ingested": 1}')
        ended = await world.sessions.end(caller(), EndReason.NEW, CaptureWish(), writer)
        assert ended.note_path == "memory/2026-01-11-1300.md"
        assert await answers.find(key) == '{"ingested": 1}'


async def test_a_note_has_the_taint_of_its_sessions_turn(tmp_path: Path) -> None:
    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
        assert (await writer.append(caller(), text="from the web")).origin is Origin.UNTRUSTED
        await world.sessions.append(caller(), [user("3")])
        assert (await writer.append(caller(), text="from the owner")).origin is Origin.AGENT


async def test_a_flush_has_the_worst_of_its_cycle_and_the_next_one_begins_clean(tmp_path: Path) -> None:
    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(
            caller(),
            [user("1", "we deploy walnut on fridays"), tool("2", network=True), assistant("3", "evil plan")],
        )
        await world.sessions.append(caller(), [user("4", "thanks")])
        flushed = await writer.flush_append(
            caller(), cycle_id="c1", text="- deploy walnut fridays\n- evil plan"
        )
        assert [part.origin for part in flushed.parts] == [Origin.AGENT, Origin.UNTRUSTED]

        await world.sessions.append(caller(), [user("5", "hello")])
        clean = await writer.flush_append(caller(), cycle_id="c2", text="- anything at all")
        assert [part.origin for part in clean.parts] == [Origin.AGENT]
