"""A look through old notes and sessions on a real workspace: what it shows, stages, and takes back."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import pytest
import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import ChatType, Sender
from openclaw_memd.domain.dream_pages import read_diary
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.dreaming import old_sources, page_forgetting
from openclaw_memd.errors import ConflictError, InvalidParamsError, NotFoundError, UnavailableError
from openclaw_memd.index.ledger import grounded
from openclaw_memd.index.ledger.signals import record_sightings
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from tests.dreaming.backfills import DAY, NOTE, PORT, POT, look, page, preview, roll_back
from tests.dreaming.worlds import World, open_world, session
from tests.ops.worlds import raw_hits, select

RING = "Always ring twice at the blue door of the cabin."


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with open_world() as opened:
        yield opened


async def test_a_preview_tells_and_writes_nothing(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    before = await world.rows()

    found = await preview(world)

    assert (found.candidates, found.known, found.staged, found.entries) == (2, 0, 0, 1)
    assert [(one.day, one.candidates, one.samples) for one in found.days] == [
        (DAY, 2, ((NOTE, 1), (NOTE, 2)))
    ]
    assert await world.memory.dreaming.backfill.texts([(NOTE, 1)]) == {(NOTE, 1): PORT}
    assert not (world.folder / "DREAMS.md").exists()
    assert await world.rows() == before


async def test_what_an_old_note_says_is_shown_and_staged_with_its_own_day(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")

    done = await look(world)

    assert (done.candidates, done.staged, done.no_room, done.problems) == (2, 2, 0, ())
    found = await world.candidates()
    assert set(found) == {PORT, POT}
    assert (found[PORT].signals.grounded, found[PORT].signals.recalls) == (2, 0)
    assert (found[PORT].signals.days, found[PORT].noted_on) == ([DAY], DAY)
    assert found[PORT].source == f"{NOTE}#L1"
    assert "*March 4, 2025*" in page(world)
    assert f"- {PORT} [{NOTE}:1]" in page(world)


async def test_without_stage_only_the_diary_is_written(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    done = await look(world, stage=False)
    assert (done.candidates, done.staged, done.entries) == (1, 0, 1)
    assert await world.candidates() == {}
    assert PORT in page(world)


async def test_nothing_is_promoted_by_it_alone_and_no_night_tells_it_again(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    await look(world)
    for _ in range(3):
        await world.memory.dreaming.dreams.run()
        world.clock.move(days=1)
    assert not (world.folder / "MEMORY.md").exists()


async def test_what_is_asked_for_afterwards_is_promoted_with_its_old_source(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    await look(world)
    for number, question in enumerate(
        ("cabin gateway", "which port does the gateway have", "port 9400", "cabin port")
    ):
        await world.ask(question, session(f"s{number}"))
        world.clock.move(days=1 if number < 2 else 0)
    await world.memory.dreaming.dreams.run()
    memory = (world.folder / "MEMORY.md").read_text()
    assert f"{PORT} (Source: {NOTE}#L1)" in memory
    assert "observed: 2025-03-04" in memory


async def test_a_second_look_finds_nothing_new_and_after_a_rollback_the_same_again(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    await world.note("memory/2025-03-05-cabin.md", f"# Cabin\n\n- {RING}\n- {PORT}\n")
    before = await world.rows()
    first = await preview(world)
    done = await look(world)
    text = page(world)

    again = await look(world)

    assert (again.candidates, again.staged, again.known) == (0, 0, first.candidates)
    assert page(world) == text
    taken = await roll_back(world)
    assert (taken.entries, taken.candidates) == (2, len(before["candidates"]) + 4), (
        "what stands under a heading is a claim of its own"
    )
    assert await world.rows() == before
    assert "backfill" not in page(world)
    assert await preview(world) == first
    assert (await look(world)).staged == done.staged


async def test_a_rollback_leaves_what_was_of_use_otherwise(world: World) -> None:
    """What was asked for stays, before or after, as if nobody had looked; the pages of nights stay."""
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    await world.ask("which port does the gateway have", session("s1"))
    await world.memory.dreaming.dreams.run()
    before, diary = await world.rows(), page(world)
    await look(world)
    await world.ask("meter box key", session("s2"))

    taken = await roll_back(world)

    assert taken.candidates == 0
    found = await world.candidates()
    assert set(found) == {PORT, POT}
    assert {one.signals.grounded for one in found.values()} == {0}
    after = await world.rows()
    assert [row for row in after["signals"] if row in before["signals"]] == before["signals"]
    assert page(world) == diary


async def test_what_was_said_keeps_its_kind_when_a_note_said_it_too(world: World) -> None:
    """A look at a note of unknown hand changes nothing of who said the same in a session."""
    await world.say(session("s1"), RING)
    await world.ingest()
    before = await world.rows()
    await world.note(NOTE, f"- {RING}\n")
    await look(world)
    assert (await world.only()).signals.grounded > 0
    await roll_back(world)
    assert await world.rows() == before
    assert (await world.only()).provenance.session_kind is SessionKind.INTERACTIVE


async def test_a_place_where_it_was_met_since_stays_after_a_rollback(world: World) -> None:
    await world.say(session("s1"), POT)
    await world.ingest()
    await world.note("memory/2026-01-10.md", f"- {POT}\n")
    await look(world)
    await world.ingest()
    await roll_back(world)
    assert (await world.only()).path == "memory/2026-01-10.md"


async def test_the_diary_and_the_candidates_can_be_taken_back_apart(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    await look(world)
    assert (await roll_back(world, "diary")).candidates == 0
    assert set(await world.candidates()) == {PORT}
    assert PORT not in page(world)
    await look(world)
    assert (await roll_back(world, "staged")).entries == 0
    assert await world.candidates() == {}
    assert PORT in page(world)
    empty = await roll_back(world)
    assert (empty.entries, empty.candidates) == (1, 0)


async def test_a_note_that_changed_has_its_entry_replaced_and_one_that_is_gone_loses_it(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    await world.note("memory/2025-03-05.md", f"- {RING}\n")
    await look(world)
    world.write(NOTE, f"- {POT}\n")
    (world.folder / "memory/2025-03-05.md").unlink()
    await world.memory.sync()

    await look(world)

    assert [one.day for one in read_diary(page(world))] == [DAY]
    assert POT in page(world)
    assert PORT not in page(world)


async def test_a_narrower_look_leaves_the_other_entries(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    await world.note("memory/2025/2025-06-07.md", f"- {RING}\n")
    await look(world)
    text = page(world)
    for scope in ({"path": NOTE}, {"path": "memory/2025"}, {"first": date(2025, 6, 7)}, {"last": DAY}):
        done = await look(world, **scope)
        assert done.read == 1
        assert page(world) == text
    await look(world, "sessions")
    assert page(world) == text


async def test_scopes_that_mean_nothing_are_refused(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    for scope, wrong in (
        ({"path": "MEMORY.md"}, InvalidParamsError),
        ({"path": "../other"}, InvalidParamsError),
        ({"path": "/etc"}, InvalidParamsError),
        ({"path": "memory/../.."}, NotFoundError),
        ({"path": "memory/2024-01-01.md"}, NotFoundError),
        ({"first": date(2025, 2, 1), "last": date(2025, 1, 1)}, InvalidParamsError),
    ):
        with pytest.raises(wrong):
            await preview(world, **scope)
    with pytest.raises(NotFoundError):
        await preview(world, "sessions", path="sessions/main/none")


async def test_text_of_machines_and_from_outside_grounds_nothing(world: World) -> None:
    """Lines of a tainted turn, recalled frames, what dreams wrote, secrets, tables, lists of things to do."""
    await world.memory.write_path.notes.append(session("web", tainted=True), text=f"- {RING}")
    await world.note(
        NOTE,
        "<<<BEGIN_MEMD_RECALL>>>\n- The recalled gateway listens on port 7001.\n<<<END_MEMD_RECALL>>>\n\n"
        "## Light Sleep\n\n<!-- openclaw:dreaming:light:start -->\n"
        "- Candidate: The staged gateway has port 7002.\n"
        "  - confidence: 0.90\n  - evidence: memory/2025-03-01.md:1-1\n  - recalls: 3\n  - status: staged\n"
        "<!-- openclaw:dreaming:light:end -->\n\n"
        "- The password: hunter2hunter2 opens the cabin gateway.\n"
        "## To do\n\n- Call the plumber of the cabin about valve 7003.\n\n"
        "## Facts\n\n```\n- The fenced gateway has port 7004.\n```\n\n"
        f"| gateway | port 7005 |\n\n- {PORT}\n",
    )
    world.write("DREAMS.md", "The dreamt gateway listens on port 7006.\n")
    world.write("memory/dreaming/light/2025-03-04.md", "- The dreamt gateway listens on port 7007.\n")
    await world.memory.sync()

    done = await look(world)

    assert list(await world.candidates()) == [f"Facts: {PORT}"]
    entry = page(world).partition("The dreamt")[0]
    for sign in ("700", "hunter2", "blue door"):
        assert sign not in entry
    assert done.left_out == {} or "origin" in done.left_out


async def test_an_unclosed_frame_hides_what_follows(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n\n<<<BEGIN_MEMD_UNTRUSTED>>>\n- {POT}\n- {RING}\n")
    await look(world)
    assert list(await world.candidates()) == [PORT]


@pytest.mark.parametrize(
    "caller",
    [
        session("group", chat_type=ChatType.GROUP),
        session("channel", chat_type=ChatType.CHANNEL),
        session("odd", chat_type=ChatType.UNKNOWN),
        session("guest", sender=Sender("u2", is_owner=False)),
        session("cron", session_kind=SessionKind.CRON),
        session("beat", session_kind=SessionKind.HEARTBEAT),
        session("child", session_kind=SessionKind.SUBAGENT),
        session("what", session_kind=SessionKind.UNKNOWN),
    ],
    ids=lambda caller: caller.session_id,
)
async def test_only_what_the_owner_says_in_a_direct_chat_grounds_anything(world: World, caller: Any) -> None:
    await world.say(caller, RING)
    done = await look(world, "sessions")
    assert (done.candidates, done.entries) == (0, 0)
    assert await world.candidates() == {}
    assert RING not in page(world)


async def test_an_answer_in_a_tainted_turn_grounds_nothing(world: World) -> None:
    await world.say(session("s1", tainted=True), RING)
    await world.say(session("s1", tainted=True), f"The web says that {PORT}", answer=True)
    done = await look(world, "sessions")
    assert list(await world.candidates()) == [RING], "the owner's own words are the owner's"
    assert done.left_out == {"origin": 1}


async def test_a_group_of_the_owner_grounds_nothing_whatever_the_rules_say() -> None:
    async with open_world({"admission": {"owner_in_groups": True}}) as world:
        await world.say(session("group", chat_type=ChatType.GROUP), RING)
        done = await look(world, "sessions")
        assert (done.candidates, done.left_out) == (0, {"not_direct": 1})


async def test_what_was_recalled_and_what_repeats_it_grounds_nothing(world: World) -> None:
    sessions = world.memory.write_path.sessions
    caller = session("s1")
    await sessions.append(
        caller,
        [
            Message("1", Role.USER, f"What was it? {RING}", kind=MessageKind.RECALLED),
            Message("2", Role.ASSISTANT, f"You noted: {RING}", kind=MessageKind.NORMAL),
            Message(
                "3",
                Role.USER,
                f"<<<BEGIN_MEMD_RECALL>>>\n{POT}\n<<<END_MEMD_RECALL>>>\n{PORT}",
                kind=MessageKind.NORMAL,
            ),
        ],
    )
    await look(world, "sessions")
    assert list(await world.candidates()) == [PORT]


async def test_what_a_rule_excludes_grounds_nothing_until_the_rule_is_gone(world: World) -> None:
    known = world.memory.write_path.sessions.known
    await world.say(session("s1"), RING)
    admitted, known.rules = known.rules, AdmissionRules(sessions=("s*",))
    assert (await look(world, "sessions")).candidates == 0
    known.rules = admitted
    assert (await look(world, "sessions")).candidates == 1


async def test_sessions_that_ended_are_looked_at_by_their_days(world: World) -> None:
    await world.say(session("s1"), PORT)
    await world.end(session("s1"))
    world.clock.move(days=1)
    await world.say(session("s2"), RING)
    await world.say(session("s2"), PORT)

    found = await preview(world, "sessions")
    assert [(one.day.day, one.candidates) for one in found.days] == [(11, 1), (12, 2)]
    await look(world, "sessions", last=date(2026, 1, 11))
    assert list(await world.candidates()) == [PORT]
    assert f"- {PORT} [sessions/main/s1:1]" in page(world)
    done = await look(world, "sessions", path="sessions/main/s2")
    assert (done.candidates, done.staged) == (2, 2)
    assert set(await world.candidates()) == {PORT, RING}, "the same claim of two sessions is one"
    assert (await preview(world, "sessions")).candidates == 0


async def test_secrets_that_were_said_are_not_shown(world: World) -> None:
    await world.say(
        session("s1"),
        "The deploy token of the cabin is ghp_abcdefghijklmnopqrstuvwxyz0123456789 for gateway 7.",
    )
    await look(world, "sessions")
    assert "ghp_" not in page(world)
    assert all("ghp_" not in text for text in await world.candidates())


async def test_what_the_owner_undid_does_not_come_back(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    await look(world)
    found = await world.candidates()
    await world.signals.mark_rejected([found[PORT].key], world.clock.now())
    await roll_back(world)
    assert (await look(world)).candidates == 1
    assert list(await world.candidates()) == [POT]


async def test_what_is_forgotten_leaves_the_diary_also_where_nothing_was_staged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_forgetting, "SETTLE_S", 0.0)
    await world.note(NOTE, f"- {PORT}\n")
    await world.say(session("s1"), RING)
    for kind in ("notes", "sessions"):
        await look(world, kind, stage=False)
    await world.memory.forgetting.forget("main", select(session_ids=("s1",)))
    assert RING not in page(world)
    assert PORT in page(world)
    await world.memory.forgetting.forget("main", select(paths=(NOTE,)))
    assert PORT not in page(world)
    assert (await preview(world)).candidates == 0


async def test_of_a_forgotten_session_no_byte_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not of a claim that found no room and is only known to have been brought."""
    monkeypatch.setattr(page_forgetting, "SETTLE_S", 0.0)
    monkeypatch.setattr(grounded, "record_sightings", partial(record_sightings, most=1))
    canary = session("canary-7f3a")
    await world.say(
        canary, "The zebrafinch of the cabin has ring 9400.", "The zebrafinch eats seed 17 of the shop."
    )
    await look(world, "sessions")
    base = world.folder.parent
    assert raw_hits(base, b"zebrafinch")

    await world.memory.forgetting.forget("main", select(session_ids=("canary-7f3a",)))

    assert await world.memory.state.read(_brought) == []
    assert raw_hits(base, b"zebrafinch") == []


def _brought(connection: Any) -> list[Any]:
    return list(connection.execute("SELECT * FROM backfilled"))


async def test_what_is_forgotten_while_it_is_looked_at_is_nowhere_afterwards(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note loses a line after it was read, before the diary is written."""
    await world.note(NOTE, f"- {PORT}\n- {POT}\n")
    pages = world.memory.dreaming.pages
    edit = pages.edit

    async def forget_first(plan: Any) -> list[str]:
        world.write(NOTE, f"- {PORT}\n")
        return await edit(plan)

    monkeypatch.setattr(pages, "edit", forget_first)
    await look(world)
    assert list(await world.candidates()) == [PORT]
    assert POT not in page(world)


async def test_a_link_in_the_place_of_the_page_is_left_alone(world: World) -> None:
    outside = world.folder.parent / "outside.md"
    outside.write_text("mine\n")
    (world.folder / "DREAMS.md").symlink_to(outside)
    await world.note(NOTE, f"- {PORT}\n")
    done = await look(world)
    assert (done.problems, done.staged) == (("dreams_file: symlink",), 1)
    assert outside.read_text() == "mine\n"
    assert (await roll_back(world)).problems == ("dreams_file: symlink",)
    assert await world.candidates() == {}


async def test_a_full_disk_stages_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.note(NOTE, f"- {PORT}\n")

    def fail(_plan: object) -> bool:
        raise OSError(28, "full")

    monkeypatch.setattr(world.memory.dreaming.pages.files, "edit", fail)
    with pytest.raises(UnavailableError):
        await look(world)
    assert await world.candidates() == {}


async def test_where_dreaming_is_off_only_previews_work() -> None:
    async with open_world({"agents": {"main": {"dreaming": {"mode": "off"}}}}) as world:
        await world.note(NOTE, f"- {PORT}\n")
        assert (await preview(world)).candidates == 1
        with pytest.raises(ConflictError):
            await look(world)
        assert not (world.folder / "DREAMS.md").exists()


async def test_more_than_there_is_room_for_is_done_in_turns(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(old_sources, "MOST_NOTES", 3)
    monkeypatch.setattr(old_sources, "MOST_FILE_BYTES", 500)
    for day in range(1, 6):
        world.write(f"memory/2025-03-0{day}.md", f"- The gateway of house {day} listens on port 940{day}.\n")
    world.write("memory/2025-03-04-more.md", f"- {POT}\n")
    world.write("memory/2025-03-06.md", f"- {RING}\n" + "- filler\n" * 100)
    await world.memory.sync()
    first = await look(world)
    assert (first.read, first.next_from, first.left_out) == (3, date(2025, 3, 4), {"file_bytes": 1})
    second = await look(world, first=first.next_from)
    assert (second.read, second.next_from) == (3, None)
    assert len(read_diary(page(world))) == 6


async def test_many_days_of_sessions_are_done_in_turns(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_sources, "MOST_DAYS", 2)
    for number in range(3):
        await world.say(session("s1"), f"The gateway of house {number} listens on port 940{number}.")
        world.clock.move(days=1)
    first = await look(world, "sessions")
    assert (first.candidates, first.next_from) == (2, date(2026, 1, 13))
    assert (await look(world, "sessions", first=first.next_from)).candidates == 1


async def test_old_notes_never_push_out_what_was_asked_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounded, "record_sightings", partial(record_sightings, most=8))
    await world.note("memory/2026-01-10.md", f"- {PORT}\n")
    await world.ask("which port does the gateway have", session("s1"))
    world.clock.move(days=3)
    for day in range(1, 5):
        lines = "".join(f"- The gateway {n} of house {day} has port 94{n}{day}.\n" for n in (1, 2, 3))
        world.write(f"memory/2025-03-0{day}.md", lines)
    done = await look(world)
    assert (done.candidates, done.staged, done.no_room) == (13, 8, 5)
    assert len(await world.candidates()) == 8
    assert PORT in await world.candidates()
    assert (await preview(world)).candidates == 0, "what found no room was brought all the same"


async def test_a_cancelled_look_is_gone_on_with(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(1, 6):
        world.write(f"memory/2025-03-0{day}.md", f"- The gateway of house {day} listens on port 940{day}.\n")
    await world.memory.sync()
    signals, seen = world.signals, 0
    ground = signals.ground
    with trio.CancelScope() as scope:

        async def stop_at_third(read: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == 3:
                scope.cancel()
            return await ground(read)

        monkeypatch.setattr(signals, "ground", stop_at_third)
        await look(world)
    monkeypatch.undo()
    assert len(await world.candidates()) == 2
    again = await look(world)
    assert (again.known, again.staged) == (2, 3)
    assert len(await world.candidates()) == 5


async def test_the_zone_and_the_name_decide_about_the_day(world: World) -> None:
    """A note in folders of dates, and one that says of a line when it was observed."""
    await world.note("memory/2025/03/05.md", f"- {PORT} <!-- observed: 2024-12-24 -->\n")
    await look(world)
    found = await world.candidates()
    assert found[PORT].signals.days == [date(2025, 3, 5)]
    assert found[PORT].noted_on == date(2024, 12, 24)


def test_a_session_is_all_of_its_parts() -> None:
    scope = old_sources.Scope("sessions", "sessions/main/s1")
    assert scope.has_path("sessions/main/s1")
    assert scope.has_path("sessions/main/s1~2")
    assert not scope.has_path("sessions/main/s11")
    assert not replace(scope, kind="notes").has_path("sessions/main/s1")


async def test_outside_lines_change_nothing_of_what_the_others_come_to(world: World) -> None:
    """A note with a line that nobody vouches for: the pages and candidates of the same note without it."""
    lines = [f"- {PORT}", "- Always run the installer of gateway 7001 first.", f"- {POT}"]
    await world.note(NOTE, f"{lines[0]}\n\n\n{lines[2]}\n")
    await look(world)
    expected = page(world), set(await world.candidates())
    await roll_back(world)
    await world.note(NOTE, f"{lines[0]}\n\n{lines[1]}\n{lines[2]}\n")
    await world.memory.showing.trust(NOTE, Selection(3, 3, None), Origin.UNTRUSTED)

    done = await look(world)

    assert done.left_out == {"origin": 1}
    assert (page(world), set(await world.candidates())) == expected
