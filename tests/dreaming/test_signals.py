"""What counts as a recall, and what is kept of it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
import trio

from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.domain.promotion_score import score_signals
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.domain.short_term import short_term_note
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.index.text_rows import Connection
from tests.dreaming.worlds import OWNER, open_world, record_recall, session

PORT = "The gateway listens on port 18789."
NOTE = f"# 2026-01-11 (UTC)\n\n- {PORT}\n- The cellar key is under the blue pot.\n"


async def test_notes_of_days_are_short_term_wherever_they_lie_in_memory() -> None:
    async with open_world() as world:
        for path in (
            "memory/2026-04-03.md",
            "memory/archive/2026-04-03.md",
            "memory/old notes/2026-04-03.md",
            "memory/заметки/2026-04-03.md",
            "memory/2026-04-03-standup.md",
        ):
            await world.note(path, f"- {PORT}\n- Noted in {path.replace('/', ' ')} as gateway.\n")
        for path in ("memory/gateway.md", "memory/dreaming/deep/2026-04-03.md", "MEMORY.md", "USER.md"):
            await world.note(path, f"- The gateway of {path.replace('/', ' ')}.\n")
        await world.ask("gateway")
        found = await world.candidates()
        assert len(found) == 6
        assert found[PORT].path.startswith("memory/")


async def test_a_hit_in_a_curated_file_alone_is_nothing() -> None:
    async with open_world() as world:
        await world.note("MEMORY.md", f"- {PORT}\n")
        assert await world.hits("gateway port")
        await world.ask("gateway port")
        assert await world.signals.candidates() == []


async def test_a_blank_question_is_nothing() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        hits = await world.hits("gateway")
        await record_recall(world.signals, OWNER, " \n", hits)
        assert await world.signals.candidates() == []


async def test_concurrent_recorders_lose_nothing() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        hits = await world.hits("gateway port")
        async with trio.open_nursery() as nursery:
            for number in range(8):
                caller = session(f"s{number}")
                question = f"gateway port {number % 4}"
                nursery.start_soon(partial(record_recall, world.signals, caller, question, hits))
        found = (await world.candidates())[PORT]
        assert (found.signals.recalls, found.signals.queries) == (8, 4)


async def test_the_same_question_counts_once_a_session_and_day() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway port")
        before = await world.rows()
        world.clock.move(hours=1)
        await world.ask("  Gateway   PORT ")
        assert await world.rows() == before
        world.clock.move(days=1)
        await world.ask("gateway port")
        found = (await world.candidates())[PORT]
        assert (found.signals.recalls, found.signals.queries) == (2, 1)
        assert found.signals.days == [date(2026, 1, 11), date(2026, 1, 12)]
        await world.ask("gateway port", session("another"))
        assert (await world.candidates())[PORT].signals.recalls == 3


async def test_a_recall_is_credited_to_what_answers_and_not_to_its_neighbours() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("where is the key of the cellar?")
        assert list(await world.candidates()) == ["The cellar key is under the blue pot."]


async def test_headings_tell_what_an_entry_is_about() -> None:
    async with open_world() as world:
        await world.note(
            "memory/2026-01-11.md", "## Router\n\n- Port 8080.\n\n## Morning\n\n- Ana came by.\n"
        )
        await world.ask("router port")
        await world.ask("when did Ana come by?")
        assert set(await world.candidates()) == {"Router: Port 8080.", "Ana came by."}


async def test_what_is_fetched_after_a_search_counts_with_its_question() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.note("memory/2026-01-10.md", "- Nothing of it, but a port.\n")
        await world.get("memory/2026-01-11.md")
        assert await world.signals.candidates() == []
        world.signals.hear(OWNER, "key cellar", [])
        await world.get("memory/2026-01-11.md")
        assert await world.signals.candidates() == []
        await world.ask("port")
        await world.get("memory/2026-01-11.md", first=1, lines=3)
        await world.get("memory/2026-01-11.md", session("another"))
        found = await world.candidates()
        assert found[PORT].signals.recalls == 1
        world.clock.move(days=1)
        await world.get("memory/2026-01-11.md")
        assert (await world.candidates())[PORT].signals.recalls == 2


@pytest.mark.parametrize(
    "caller",
    [
        session("x", session_kind=SessionKind.CRON),
        session("x", session_kind=SessionKind.HEARTBEAT),
        session("x", session_kind=SessionKind.SUBAGENT),
        session("x", session_kind=SessionKind.UNKNOWN),
        replace(OWNER, session_id=None),
    ],
    ids=["cron", "heartbeat", "subagent", "unknown", "no session"],
)
async def test_only_interactive_sessions_count(caller: Caller) -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway", caller)
        assert await world.signals.candidates() == []
        await world.ask("gateway", None)
        assert len(await world.signals.candidates()) == 1


async def test_a_child_of_a_cron_run_counts_as_little_as_that() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.say(session("job", session_kind=SessionKind.CRON), "Report of the night: all fine.")
        await world.say(session("odd", parent_session_id="even"), "One of two that name each other.")
        await world.say(session("even", parent_session_id="odd"), "The other of two that do so.")
        await world.ask("gateway", session("child", parent_session_id="job"))
        assert await world.signals.candidates() == []
        await world.ask("gateway", session("odd"))
        assert len(await world.signals.candidates()) == 1


async def test_p6_lines_that_a_cron_run_wrote_are_no_candidates() -> None:
    async with open_world() as world:
        cron = session("job", session_kind=SessionKind.CRON)
        for number in range(5):
            await world.agent.notes.append(
                cron, text=f"- Nightly report {number}: the backup took 3 minutes."
            )
        await world.memory.sync()
        await world.ask("nightly report backup")
        await world.ingest()
        assert await world.signals.candidates() == []


def test_a_bare_name_is_one_in_memory() -> None:
    assert short_term_note("2026-04-03.md") == "memory/2026-04-03.md"
    assert short_term_note(".\\memory\\2026-04-03.md") == "memory/2026-04-03.md"
    for path in ("notes/2026-04-03.md", "memory/dreaming/deep/2026-04-03.md", "MEMORY.md"):
        assert short_term_note(path) is None
    assert short_term_note("../../vault/memory/dreaming/2026-04-03.md") is None


async def test_long_texts_with_the_same_beginning_are_two_claims() -> None:
    async with open_world() as world:
        beginning = "The gateway log says " + "and so on " * 90
        await world.note(
            "memory/2026-01-11.md", f"- {beginning} for Ana.\n\nBetween.\n\n- {beginning} for Bob.\n"
        )
        await world.ingest()
        long = [one for one in await world.signals.candidates() if "log" in one.text]
        assert len(long) == 2
        assert all(len(one.text) <= 800 for one in long)


async def test_the_same_bullet_in_two_notes_is_one_claim_with_the_days_of_both() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-10.md", f"- {PORT}\n")
        await world.ingest()
        world.clock.move(days=1)
        await world.note("memory/2026-01-12.md", f"Intro of the day.\n\n* {PORT}\n")
        await world.ingest()
        found = (await world.candidates())[PORT]
        assert (found.path, found.start_line) == ("memory/2026-01-10.md", 1)
        assert found.signals.days == [date(2026, 1, 10), date(2026, 1, 12)]


async def test_a_recall_and_a_note_of_the_same_claim_are_one_candidate() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway")
        await world.ingest()
        await world.ask("port")
        found = (await world.candidates())[PORT]
        assert (found.signals.recalls, found.signals.dailies) == (2, 1)


async def test_other_text_at_the_same_lines_is_another_claim() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway")
        await world.note("memory/2026-01-11.md", NOTE.replace("18789", "19000"))
        await world.ask("gateway")
        found = await world.candidates()
        assert {text: one.signals.recalls for text, one in found.items()} == {
            PORT: 1,
            PORT.replace("18789", "19000"): 1,
        }


async def test_notes_are_no_questions() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        for _ in range(5):
            await world.ingest()
            world.clock.move(days=1)
        assert {one.signals.queries for one in await world.signals.candidates()} == {0}


async def test_a_note_that_is_read_again_is_not_of_use_again() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ingest()
        first = (await world.candidates())[PORT].signals
        for _ in range(3):
            world.clock.move(days=1)
            await world.ingest()
        last = (await world.candidates())[PORT].signals
        assert last.dailies == first.dailies + 3
        assert last.last_at is not None
        assert last.last_at == first.last_at
        assert score_signals(last, world.clock.now()).recency < score_signals(first, last.last_at).recency


async def test_a_forgotten_session_leaves_nothing_and_others_stay() -> None:
    async with open_world() as world:
        first, second = session("first"), session("second")
        await world.say(first, "The gateway of the cellar is port 1111.")
        await world.say(second, "The gateway of the attic is port 2222.")
        await world.memory.sync()
        hits = await world.hits("gateway port", corpus="sessions")
        assert len(hits) == 2
        await world.agent.forgetting.forget("main", Selectors(session_ids=frozenset({"first"})))
        await record_recall(world.signals, OWNER, "gateway port", hits)
        assert list(await world.candidates()) == ["The gateway of the attic is port 2222."]


async def test_rows_that_are_no_memory_are_dropped_one_by_one() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway")
        await world.ask("cellar")

        def spoil(connection: Connection) -> None:
            connection.execute("UPDATE candidates SET text = '  ' WHERE text = ?", (PORT,))

        await world.memory.state.write(spoil)
        assert await world.signals.repair() == 1
        assert list(await world.candidates()) == ["The cellar key is under the blue pot."]
        (world.folder / "memory/2026-01-11.md").unlink()
        assert await world.signals.candidates() == []
        assert (await world.rows())["signals"] == []


async def test_an_editor_that_moves_a_note_away_to_save_it_costs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway port")
        note, aside = world.folder / "memory/2026-01-11.md", world.folder / "memory/2026-01-11.md~"
        note.rename(aside)
        look = type(world.signals.sources).gone

        def gone(sources: Sources, paths: Iterable[str]) -> frozenset[str]:
            found = look(sources, paths)
            if aside.exists():
                aside.rename(note)
            return found

        monkeypatch.setattr(Sources, "gone", gone)
        assert await world.signals.repair() == 0
        assert (await world.only()).signals.recalls == 1
        note.unlink()
        assert await world.signals.repair() == 1


async def test_what_dreaming_wrote_into_a_note_is_never_read() -> None:
    async with open_world() as world:
        managed = (
            "\n## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- Candidate: the gateway\n"
            "  - confidence: 0.00\n  - evidence: memory/2026-01-10.md:1-1\n"
            "  - status: staged\n  - recalls: 0\n"
        )
        await world.note("memory/2026-01-11.md", NOTE + managed)
        await world.note(
            "memory/2026-01-10.md", managed + "<!-- openclaw:dreaming:light:end -->\n\n- The pot is old.\n"
        )
        for question in ("gateway", "candidate confidence staged", "pot"):
            await world.ask(question)
        await world.ingest()
        assert set(await world.candidates()) == {
            PORT,
            "The cellar key is under the blue pot.",
            "The pot is old.",
        }


async def test_a_secret_is_never_a_candidate() -> None:
    async with open_world() as world:
        await world.note(
            "memory/2026-01-11.md", "- The gateway password: hunter2hunter2\n- The gateway is grey.\n"
        )
        await world.ask("gateway")
        await world.ingest()
        assert list(await world.candidates()) == ["The gateway is grey."]


async def test_outside_text_has_keys_of_its_own() -> None:
    async with open_world() as world:
        guest = session("guest", sender=Sender("u2"), chat_type=ChatType.DIRECT)
        await world.note("memory/2026-01-10.md", f"- {PORT}\n")
        await world.agent.notes.append(guest, text=f"- {PORT}")
        await world.memory.sync()
        await world.ask("gateway")
        found = await world.signals.candidates()
        assert {one.provenance.origin for one in found} == {Origin.AGENT, Origin.UNTRUSTED}
        assert {one.key[0] for one in found} == {"t", "u"}


async def test_t2_one_outside_line_costs_the_others_nothing() -> None:
    async with open_world() as world:
        lines = [f"The gateway of house {number} is port {8000 + number}." for number in range(10)]
        for number, line in enumerate(lines):
            await world.agent.notes.append(OWNER, text=f"- {line}")
            if number == 4:
                guest = session("web", sender=Sender("u2"))
                await world.agent.notes.append(guest, text="- The gateway of house 99 is port 99.")
        await world.memory.sync()
        await world.ask("gateway of house")
        found = await world.candidates()
        trusted = {
            text for text, one in found.items() if one.provenance.origin in (Origin.OWNER, Origin.AGENT)
        }
        assert trusted <= set(lines)
        await world.ingest()
        found = await world.candidates()
        assert {text for text, one in found.items() if one.key.startswith("t")} == set(lines)


async def test_p3_three_questions_on_three_days_are_three_queries() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        for number, question in enumerate(
            ["gateway port?", "where does the gateway listen?", "port of gateway"]
        ):
            await world.ask(question, None if number else OWNER)
            world.clock.move(days=1)
        found = (await world.candidates())[PORT]
        assert (found.signals.recalls, found.signals.queries, len(found.signals.days)) == (3, 3, 3)


async def test_verdicts_and_phases_stay_with_a_claim() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", NOTE)
        await world.ask("gateway")
        key = (await world.only()).key
        now = world.clock.now()
        await world.signals.stage("light", [key, "tunknown"], now)
        await world.signals.stage("light", [key], now)
        await world.signals.stage("rem", [key], now)
        await world.signals.considered([key], now)
        await world.signals.mark_promoted([key], now)
        await world.signals.mark_rejected(["tother"], now)
        found = await world.only()
        assert (found.signals.light_hits, found.signals.rem_hits) == (2, 1)
        assert found.signals.last_light_at == found.signals.last_rem_at == found.promoted_at == now
        assert found.rejected_at is None
        assert await world.signals.considered_at() == {key: now}
