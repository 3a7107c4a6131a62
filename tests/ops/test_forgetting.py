"""Forgetting over real files and databases."""

import errno
import hashlib
import json
import random
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from openclaw_memd.errors import DeniedError, InvalidParamsError
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.notes import ahead
from openclaw_memd.ops.forgetting import STEPS
from openclaw_memd.ops.scrubbing import Scrubber
from openclaw_memd.sessions.folders import TranscriptFolders
from openclaw_memd.sessions.messages import Message, Role
from openclaw_memd.sessions.watched import TranscriptFolder
from tests.fakes import ConstantRng
from tests.ops.worlds import CANARY, TODAY, CrashError, World, caller, open_world, raw_hits, user


async def fill(world: World) -> None:
    """Two sessions that wrote and spoke, and notes of people between; one session said the canary."""
    world.write("memory/projects.md", "# Projects\n\n- The gateway is on port 9400.\n- Ask Ana first.\n")
    await world.say("s1", f"the vault word is {CANARY}", "and it is new")
    await world.say("s2", "the spare key is with Ben")
    await world.note("s1", f"- The vault word is {CANARY}.\n  It was set on Friday.")
    await world.note("s2", "- Ben has the spare key.")
    await world.intend("s1", f"mention the {CANARY}", CANARY, "vault")
    await world.intend("s2", "mention the spare key", "key")
    await world.sync()
    await world.embed_all()


async def test_a_session_goes_from_everywhere_and_nothing_else_does(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        assert world.found(*world.stems())
        projects = world.read("memory/projects.md")
        forgotten = await world.forget(session_ids=["s1"])
        assert world.found(*world.stems()) == []
        assert world.read(TODAY) == "# 2026-01-11 (Europe/Vienna)\n\n- Ben has the spare key.\n"
        assert world.read("memory/projects.md") == projects
        receipt = forgotten.receipt
        assert (receipt.files_changed, receipt.lines, receipt.sessions, receipt.messages) == (1, 2, 1, 2)
        assert receipt.spans >= 2
        assert receipt.appends == 1
        assert receipt.intents == 1
        assert await world.rows("SELECT session_id FROM intents") == [("s2",)]
        assert receipt.vectors > 0
        assert await world.rows("SELECT count(*) FROM spans WHERE session_id = 's1'") == [(0,)]
        assert await world.rows("SELECT count(*) FROM spans WHERE session_id = 's2'") != [(0,)]
    assert raw_hits(tmp_path, CANARY.encode()) == []


@pytest.mark.parametrize("step", STEPS)
async def test_a_call_that_was_cut_off_is_made_again(tmp_path: Path, step: str) -> None:
    async with open_world(tmp_path / "whole") as whole:
        await fill(whole)
        await whole.forget(session_ids=["s1"])
        expected = {path.name: path.read_text() for path in (whole.folder / "memory").rglob("*.md")}
    async with open_world(tmp_path / "cut") as world:
        await fill(world)
        world.crash_before = step
        with pytest.raises(CrashError):
            await world.forget(session_ids=["s1"])
    async with open_world(tmp_path / "cut") as world:
        await world.forget(session_ids=["s1"])
        assert {path.name: path.read_text() for path in (world.folder / "memory").rglob("*.md")} == expected
        assert world.found(*world.stems()) == []
        assert await world.rows("SELECT count(*) FROM spans WHERE session_id = 's1'") == [(0,)]
        assert await world.rows("SELECT count(*) FROM rewrites") == [(0,)]


@pytest.mark.parametrize("step", STEPS)
async def test_the_same_holds_for_a_query_and_a_participant(tmp_path: Path, step: str) -> None:
    for selectors in ({"query": CANARY}, {"participant": "ana"}):
        base = tmp_path / next(iter(selectors))
        async with open_world(base) as world:
            await fill(world)
            world.crash_before = step
            with pytest.raises(CrashError):
                await world.forget(**selectors)
        async with open_world(base) as world:
            await world.forget(**selectors)
            assert world.found(*world.stems()) == []
            left = await world.rows("SELECT count(*) FROM spans WHERE session_id = 's1'")
            assert left == [(0,)] if "participant" in selectors else left


async def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        before, rows = world.tree(), await world.dump()
        for selectors in (
            {"session_ids": ["s1"]},
            {"query": CANARY},
            {"paths": (TODAY,)},
            {"participant": "ana"},
        ):
            planned = await world.plan(**selectors)
            assert planned.dry_run
            assert planned.receipt.lines > 0
            assert world.tree() == before
            assert await world.dump() == rows


async def test_what_went_is_what_a_dry_run_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scrub = Scrubber.scrub
    async with open_world(tmp_path) as world:

        async def scrub_and_follow(*args: Any) -> Any:
            found = await scrub(*args)
            await world.indexer.sync()  # as it follows changes of files while a call goes on
            return found

        monkeypatch.setattr(Scrubber, "scrub", scrub_and_follow)
        await fill(world)
        planned = await world.plan(session_ids=["s1"])
        done = await world.forget(session_ids=["s1"])
        assert planned.receipt.chunks > 0
        assert replace(planned.receipt, vectors=0) == replace(done.receipt, vectors=0)
        assert planned.receipt.vectors >= done.receipt.vectors


async def test_an_unrelated_session_changes_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        before = {path: digest for path, digest in world.tree().items() if path.startswith("workspace")}
        rows = await world.dump()
        forgotten = await world.forget(session_ids=["s"])
        after = {path: digest for path, digest in world.tree().items() if path.startswith("workspace")}
        assert after == before
        assert not any(getattr(forgotten.receipt, name) for name in forgotten.receipt.__slots__)
        now = await world.dump()
        assert now.pop("state.db:session_tombstones")
        rows.pop("state.db:session_tombstones")
        assert now.pop("state.db:turn_answers") == []  # who knows what they hold
        assert rows.pop("state.db:turn_answers")
        assert now == rows


async def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        said = [user("m1", CANARY, world.clock.at)]
        await world.sessions.ingest(caller("t1"), said)
        await world.forget(session_ids=["s1", "t1"])
        again = [user("s1-0", f"again {CANARY}"), user("new", CANARY)]
        appended = await world.sessions.append(caller("s1"), again)
        assert (appended.accepted, {skip.reason for skip in appended.skipped}) == (0, {"forgotten"})
        replayed = await world.sessions.ingest(caller("t1"), said, anew=True)
        assert (replayed.accepted, {skip.reason for skip in replayed.skipped}) == (0, {"forgotten"})
        await world.sync()
        await world.state.checkpoint()
        assert world.found(*world.stems()) == []
    async with open_world(tmp_path) as world:
        for session in ("s1", "t1"):
            appended = await world.sessions.append(caller(session), [user("x", CANARY)])
            assert appended.accepted == 0


async def test_a_forgotten_message_does_not_come_back_with_its_transcript(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        at = world.clock.at
        messages = [user("m1", f"the vault word is {CANARY}", at), user("m2", "and it is new", at)]
        await world.sessions.ingest(caller("t1"), messages)
        await world.sync()
        forgotten = await world.forget(query=f"vault {CANARY}")
        assert forgotten.receipt.messages == 1
        replayed = await world.sessions.ingest(caller("t1"), messages, anew=True)
        assert (replayed.accepted, [(skip.id, skip.reason) for skip in replayed.skipped]) == (
            1,
            [("m1", "forgotten")],
        )
        await world.sync()
        assert world.found(*world.stems()) == []


async def test_a_forgotten_session_keeps_its_taint(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.say("s1", "look this up")
        fetched = Message("t", Role.TOOL, "page", tool_name="web_fetch", tool_network=True)
        await world.sessions.append(caller("s1"), [fetched])
        await world.forget(session_ids=["s1"])
        assert world.sessions.turns.is_tainted(caller("s1"))
        await world.say("s1", "next")
        assert not world.sessions.turns.is_tainted(caller("s1"))
        await world.sessions.append(caller("s1"), [replace(fetched, id="t2")])
        assert world.sessions.turns.is_tainted(caller("s1"))


async def test_by_path_the_whole_file_goes_and_a_folder_with_all_its_files(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        world.write("memory/people/ana.md", f"# Ana\n\n- {CANARY}\n")
        world.write("memory/people/deep/ben.md", f"{CANARY}\n")
        world.write("memory/peoples.md", "- They stay.\n")
        world.write("memory/bytes.md", "x").write_bytes(b"\xff\xfe" + CANARY.encode())
        await world.sync()
        forgotten = await world.forget(paths=("memory/people/", TODAY, "memory/bytes.md", "memory/none.md"))
        assert forgotten.receipt.files_removed == 4
        assert not any(map(world.exists, ("memory/people/ana.md", "memory/people/deep/ben.md", TODAY)))
        assert world.read("memory/peoples.md") == "- They stay.\n"
        assert await world.rows(f"SELECT count(*) FROM spans WHERE path = '{TODAY}'") == [(0,)]
        assert [path for path in world.found(*world.stems()) if path.startswith("workspace")] == []


async def test_a_path_of_a_session_stands_for_the_session(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        await world.forget(paths=("sessions/main/s1",))
        assert world.found(*world.stems()) == []


async def test_by_query_entries_that_hold_every_word_go_whoever_wrote_them(tmp_path: Path) -> None:
    text = (
        "# Notes\n\n"
        "- Ben moved to Lisbon.\n  <!-- importance: 7 -->\n  - with the dog\n"
        "- Ben stays.\n"
        "- Lisbon is warm.\n\n"
        "Ben and Lisbon in\none paragraph.\n\n"
        "End.\n"
    )
    async with open_world(tmp_path) as world:
        world.write("memory/a.md", text)
        world.write("DREAMS.md", "- Lisbon and Ben again\n- other\n")
        await world.say("s1", "Ben likes Lisbon", "Ben likes cake")
        await world.sync()
        forgotten = await world.forget(query="ben lisbon")
        assert world.read("memory/a.md") == "# Notes\n\n- Ben stays.\n- Lisbon is warm.\n\nEnd.\n"
        assert world.read("DREAMS.md") == "- other\n"
        receipt = forgotten.receipt
        assert (receipt.messages, receipt.lines, receipt.page_lines) == (1, 5, 1)
        documents = world.sessions.documents
        (listed,) = await trio.to_thread.run_sync(documents.list)
        read = await trio.to_thread.run_sync(documents.read, listed)
        assert isinstance(read, DocumentText)
        assert read.text == "User: Ben likes cake"
        report = await world.indexer.sync()
        assert (report.added, report.changed, report.removed) == (0, 0, 0)


async def test_a_participant_stands_for_every_session_that_it_wrote_in(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.say("s1", "from bob", sender="bob")
        await world.say("s2", "from Bob", sender="Bob")
        await world.say("s3", "from bobby", sender="bobby")
        await world.note("s1", "- noted for bob")
        await world.note("s2", "- noted for Bob")
        await world.sync()
        forgotten = await world.forget(participant="bob")
        assert forgotten.receipt.sessions == 1
        assert "noted for Bob" in world.read(TODAY)
        assert "noted for bob" not in world.read(TODAY)


async def test_since_narrows_and_alone_takes_all_that_was_recorded(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.say("s1", "early")
        await world.note("s1", "- early note")
        await world.sync()
        world.clock.at += timedelta(hours=2)
        later = world.clock.at
        world.write("memory/hand.md", "- by hand\n")
        await world.sessions.append(caller("s1"), [user("late", "late")])
        await world.note("s1", "- late note")
        await world.note("s2", "- other late note")
        await world.sync()
        await world.forget(session_ids=["s1"], since=later)
        assert world.read(TODAY).endswith("- early note\n- other late note\n")
        listed = world.sessions.list("main")
        assert [one.excluded for one in listed] == [None]
        assert (await world.sessions.append(caller("s1"), [user("later", "x")])).accepted == 1
        await world.sync()
        await world.forget(since=date(2026, 1, 11))
        assert not world.exists(TODAY)
        assert world.read("memory/hand.md") == "- by hand\n"
        assert await world.rows("SELECT count(*) FROM session_texts") == [(0,)]


async def test_an_entry_that_begins_with_somebody_elses_line_stays_but_for_the_lines(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.note("s1", "- mine\n  and more")
        world.write(TODAY, world.read(TODAY).replace("- mine", "- by hand\n- mine") + "  by hand too\n")
        await world.sync()
        text = world.read(TODAY).replace("- mine\n  and more", "- theirs\n  and more")
        world.write(TODAY, text)
        forgotten = await world.forget(session_ids=["s1"])
        assert "and more" not in world.read(TODAY)
        assert "- theirs\n  by hand too\n" in world.read(TODAY)
        assert [kept.where for kept in forgotten.kept] == [f"{TODAY}#L4"]


async def test_a_text_that_waits_to_be_written_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "")

    async with open_world(tmp_path) as world:
        with monkeypatch.context() as full:
            full.setattr(ahead, "append_note", fail)
            full.setattr(ahead, "complete_note", fail)
            await world.note("s1", f"- {CANARY} waits")
            await world.note("s2", f"- {CANARY} here\n- and this stays")
            assert world.notes.waiting == 2
            forgotten = await world.forget(session_ids=["s1"])
            assert forgotten.receipt.spooled == 1
            assert world.notes.waiting == 1
            await world.forget(query=CANARY)
            assert world.found(*world.stems()) == []
        await world.notes.reconcile()
        assert world.read(TODAY) == "# 2026-01-11 (Europe/Vienna)\n\n- and this stays\n"
        await world.sync()
        assert await world.rows("SELECT count(*) FROM spans WHERE session_id = 's1'") == [(0,)]


async def test_a_repeated_call_is_a_new_one_once_its_answer_is_forgotten(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.notes.append(caller("s1"), text="- one", request_key="k")
        await world.notes.flush_append(caller("s1"), cycle_id="c", text="- two", request_key="f")
        await world.sync()
        forgotten = await world.forget(session_ids=["s1"])
        assert forgotten.receipt.request_keys == 2
        assert forgotten.receipt.flush_texts == 1
        for table in ("appends", "request_keys", "flush_texts", "flush_cycles", "spans", "sketches"):
            assert await world.rows(f"SELECT count(*) FROM {table}") == [(0,)], table
        assert not world.exists(TODAY)


async def test_reported_writes_go_with_their_session_curated_ones_too(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        before = "- by hand\n"
        after = f"{before}- told by the session {CANARY}\n"
        world.write("MEMORY.md", before)
        await world.sync()
        world.write("MEMORY.md", after)
        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (before, after)]
        await world.notes.observe(caller("s1"), "MEMORY.md", *hashes)
        await world.sync()
        forgotten = await world.forget(session_ids=["s1"])
        assert world.read("MEMORY.md") == before
        assert forgotten.receipt.observed_writes == 1


async def test_databases_that_were_set_aside_go(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        for name in ("index-1.db.damaged-1Z", "index-1.db.damaged-1Z-wal", "index-1.db.building-1"):
            (tmp_path / "state" / name).write_text(CANARY)
        forgotten = await world.forget(query=CANARY)
        assert forgotten.receipt.leftovers == 3
        assert world.found(*world.stems()) == []


async def test_a_canary_among_much_else_leaves_no_trace_in_raw_bytes(tmp_path: Path) -> None:
    words = [f"word{number:05}" for number in range(4000)]
    async with open_world(tmp_path) as world:
        for number in range(150):
            lines = [f"- {' '.join(words[(number * 37 + at) % 4000] for at in range(12))}" for _ in range(30)]
            if number % 3 == 0:
                lines.insert(number % 30, f"- secret {CANARY} number {number} {words[number]}")
            world.write(f"memory/n{number:03}.md", "\n".join(lines) + "\n")
            if number % 50 == 0:
                await world.sync()
        for number in range(60):
            await world.say(f"s{number}", f"said {CANARY} {words[number]}", *words[number : number + 40])
        await world.sync()
        assert len(world.found(*world.stems())) > 50
        forgotten = await world.forget(query=CANARY)
        assert (forgotten.receipt.lines, forgotten.receipt.messages) == (50, 60)
        assert world.found(*world.stems()) == []
        assert "secret" not in world.read("memory/n003.md")


async def test_what_stays_is_told(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "book.md").write_text(f"- {CANARY}\n")
    async with open_world(tmp_path) as world:
        (world.folder / ".git").mkdir()
        await fill(world)
        await world.sessions.append(caller("child", parent="s1"), [user("c", "work")])
        forgotten = await world.forget(session_ids=["s1"], query=CANARY, paths=("extra/lib/other.md",))
        where = {kept.where for kept in forgotten.kept}
        assert where == {".git", "sessions/main/child", "extra/lib/book.md", "extra/lib/other.md"}
        assert (tmp_path / "library" / "book.md").read_text() == f"- {CANARY}\n"


async def test_what_cannot_be_selected_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for selectors in ({}, {"query": "..."}):
            with pytest.raises(InvalidParamsError):
                await world.plan(**selectors)
            with pytest.raises(InvalidParamsError):
                await world.forget(**selectors)
        for path in ("../x.md", "AGENTS.md", "memory/.dreams/", "/etc/", "memory/../", "docs/"):
            with pytest.raises(DeniedError):
                await world.forget(paths=(path,))


async def test_two_at_once_and_a_second_time_are_the_same(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(world.forget, session_ids=["s1"]))
            nursery.start_soon(partial(world.forget, query=CANARY))
            nursery.start_soon(partial(world.forget, session_ids=["s2"]))
        assert world.found(*world.stems()) == []
        assert not world.exists(TODAY)
        again = await world.forget(session_ids=["s1"])
        assert not any(getattr(again.receipt, name) for name in again.receipt.__slots__)


async def test_a_long_note_loses_its_lines_and_no_others(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.note("s1", "- from the session\n" * 20)
        own = world.read(TODAY).splitlines()[2:]
        lines = [f"- line {number} of a long note" for number in range(10_000)]
        mixed = list(lines)
        for number, line in enumerate(own):
            mixed.insert(number * 400, line)
        world.write(TODAY, "\n".join(mixed) + "\n")
        await world.sync()
        forgotten = await world.forget(session_ids=["s1"])
        assert forgotten.receipt.lines == 20
        assert world.read(TODAY) == "\n".join(lines) + "\n"


async def test_a_clock_that_was_set_back_leaves_nothing_behind(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        world.clock.at -= timedelta(days=400)
        await world.forget(session_ids=["s1"])
        assert world.found(*world.stems()) == []
        for table in ("spans", "appends"):
            assert await world.rows(f"SELECT count(*) FROM {table} WHERE session_id = 's1'") == [(0,)]


async def test_what_a_session_writes_while_it_is_forgotten_keeps_its_record(tmp_path: Path) -> None:
    """A line whose record went would count as written by hand."""
    async with open_world(tmp_path) as world:
        await fill(world)

        async with trio.open_nursery() as nursery:

            def write_late(step: str) -> None:
                if step == "ledger":
                    world.clock.at += timedelta(seconds=1)
                    nursery.start_soon(world.note, "s1", "- written meanwhile")

            world.on_step = write_late
            await world.forget(session_ids=["s1"])
        assert "written meanwhile" in world.read(TODAY)
        await world.sync()
        rows = await world.rows("SELECT count(*) FROM spans WHERE session_id = 's1' AND present = 1")
        assert rows == [(1,)]


async def test_what_is_kept_in_mind_of_an_open_cycle_is_dropped(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.say("s1", f"walnut {CANARY} deploys")
        await world.notes.flush_append(caller("s1"), cycle_id="c", text="- nothing much")
        assert CANARY in repr(vars(world.notes._flushes))
        await world.forget(session_ids=["s1"])
        assert CANARY not in repr(vars(world.notes._flushes))


async def test_a_transcript_is_told_and_not_taken_in_again(tmp_path: Path) -> None:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    (folder / "t1.jsonl").write_text(
        json.dumps({"type": "session", "id": "t1", "timestamp": "2026-01-11T10:00:00Z"})
        + "\n"
        + transcript_line("m1", f"{CANARY} in a transcript")
    )
    async with open_world(tmp_path) as world:
        watched = TranscriptFolders(world.state, world.sessions, [TranscriptFolder(folder)], ConstantRng())
        await watched.look()
        await world.sync()
        assert await world.indexed(CANARY)
        forgotten = await world.forget(session_ids=["t1"])
        assert [kept.where for kept in forgotten.kept] == ["t1.jsonl"]
        with (folder / "t1.jsonl").open("a") as transcript:
            transcript.write(transcript_line("m2", f"more {CANARY}"))
        await watched.look()
        await world.sync()
        assert not await world.indexed(CANARY)
        assert world.found(*world.stems()) == ["transcripts/t1.jsonl"]
    async with open_world(tmp_path) as world:  # the file is read through again
        await world.state.write(lambda connection: connection.execute("DELETE FROM transcripts"))
        await TranscriptFolders(world.state, world.sessions, [TranscriptFolder(folder)], ConstantRng()).look()
        assert world.found(*world.stems()) == ["transcripts/t1.jsonl"]


def transcript_line(id_: str, text: str) -> str:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return (
        json.dumps({"type": "message", "id": id_, "timestamp": "2026-01-11T10:00:01Z", "message": message})
        + "\n"
    )


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_sessions_wrote_each_other_between_only_one_is_forgotten(
    tmp_path: Path, seed: int
) -> None:
    """Every line has the word of its session."""
    rng = random.Random(seed)
    shapes = (
        "- {0} item",
        "- {0} item\n  - {0} sub-item\n\n  {0} more",
        "{0} paragraph\n{0} of two lines",
        "## {0} heading\n\n- {0} under it",
        "## {0} heading\n- Label: {0}\n- Other: {0}",
        "{0} code:\n\n{1}\n{0} in it\n{1}",
        "<!-- {0} comment -->\n- {0} commented <!-- importance: 3 -->",
        "1. {0} first\n2. {0} second",
        "***\n\n{0} after a rule",
    )
    async with open_world(tmp_path) as world:
        for number in range(40):
            session = rng.choice(["s1", "s2", "s3"])
            await world.note(session, rng.choice(shapes).format(f"{session}word{number % 7}", "```"))
            if number % 15 == 0:
                await world.sync()
        await world.sync()
        before = solid(world.read(TODAY))
        await world.forget(session_ids=["s1"])
        after = solid(world.read(TODAY))
        assert world.found(b"s1word") == []
        others = [line for line in before if "word" in line and "s1word" not in line]
        assert [line for line in after if "word" in line] == others
        rows = await world.rows("SELECT DISTINCT session_id FROM spans WHERE present > 0 ORDER BY 1")
        assert rows == [("s2",), ("s3",)]
        await world.forget(session_ids=["s2", "s3"])
        assert not world.exists(TODAY)


def solid(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("step", STEPS)
async def test_of_equal_lines_of_several_sessions_only_those_of_one_go(tmp_path: Path, step: str) -> None:
    async with open_world(tmp_path) as world:
        for session in ("s1", "s2", "s1", "s3"):
            await world.note(session, f"- the same\n- of {session}")
        await world.sync()
        world.crash_before = step
        with pytest.raises(CrashError):
            await world.forget(session_ids=["s1"])
    async with open_world(tmp_path) as world:
        await world.forget(session_ids=["s1"])
        assert solid(world.read(TODAY))[1:] == ["- the same", "- of s2", "- the same", "- of s3"]
        await world.forget(session_ids=["s3"])
        assert solid(world.read(TODAY))[1:] == ["- the same", "- of s2"]
