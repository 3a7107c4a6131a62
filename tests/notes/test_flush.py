from dataclasses import replace
from datetime import UTC, datetime

import pytest
import trio

from openclaw_memd.config.sections import Flush
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.flush_plan import FlushReason
from openclaw_memd.domain.note_entries import NoteEntry
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.errors import InvalidParamsError, UnavailableError
from openclaw_memd.notes import flushing
from openclaw_memd.notes.flushing import REMEMBERED_CYCLES, FlushRequest
from openclaw_memd.notes.turns import Cycle
from openclaw_memd.notes.writer import NoteWriter
from tests.notes.worlds import GUEST, HEADER, OUTSIDE, OUTSIDE_HEADER, OWNER, TAINTED, TODAY, Open, World

DUE = FlushRequest(190_000, "c1")
NEXT_DAY = "memory/2026-01-12.md"


def at(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, second, tzinfo=UTC)


async def test_a_flush_is_due_once_a_cycle(world: World, writer: NoteWriter) -> None:
    assert not (await writer.flush_plan(OWNER, FlushRequest(1_000, "c1"))).due
    plan = await writer.flush_plan(OWNER, DUE)
    assert (plan.due, plan.reason, plan.path, plan.model) == (True, FlushReason.TOKENS, TODAY, None)
    assert (plan.silent_token, plan.append_only) == ("NO_REPLY", True)
    assert (await writer.flush_plan(OWNER, DUE)).due

    done = await writer.flush_append(OWNER, cycle_id="c1", text="- saved")

    assert (done.path, done.origin, done.appended) == (TODAY, Origin.AGENT, True)
    again = await writer.flush_plan(OWNER, DUE)
    assert (again.due, again.reason) == (False, FlushReason.ALREADY_FLUSHED)
    assert (await writer.flush_plan(OWNER, replace(DUE, cycle_id="c2"))).due
    assert (await writer.flush_plan(GUEST, DUE)).due
    assert (await writer.flush_plan(replace(OWNER, agent="other"), DUE)).due
    assert world.read(TODAY) == HEADER + "- saved\n"


async def test_that_a_cycle_was_flushed_is_known_after_a_restart(world: World) -> None:
    async with world.open() as opened:
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- saved")
    async with world.open() as opened:
        assert not (await opened.writer.flush_plan(OWNER, DUE)).due
        again = await opened.writer.flush_append(OWNER, cycle_id="c1", text="- saved")
        assert (again.appended, again.start_line) == (False, 3)


@pytest.mark.parametrize(
    ("caller", "request_", "reason"),
    [
        (Caller(session_id="h", session_kind=SessionKind.HEARTBEAT), DUE, FlushReason.HEARTBEAT),
        (Caller(session_id="h", session_kind=SessionKind.CRON), DUE, FlushReason.CRON),
        (OWNER, replace(DUE, self_compacting=True), FlushReason.SELF_COMPACTING),
        (OWNER, replace(DUE, read_only_sandbox=True), FlushReason.READ_ONLY_SANDBOX),
    ],
)
async def test_who_never_flushes(
    writer: NoteWriter, caller: Caller, request_: FlushRequest, reason: FlushReason
) -> None:
    plan = await writer.flush_plan(caller, request_)
    assert (plan.due, plan.reason) == (False, reason)


async def test_the_configuration_decides_on_thresholds_and_prompts(world: World) -> None:
    world.settings = Flush(
        soft_tokens=1,
        reserve_tokens=2,
        force_bytes=1024,
        model="small",
        prompt="P YYYY-MM-DD",
        system_prompt="S",
    )
    world.clock.at = at(11, 23, 30)
    async with world.open() as opened:
        plan = await opened.writer.flush_plan(OWNER, FlushRequest(97, "c", context_window=100))
        assert plan.due
        assert plan.model == "small"
        assert plan.prompt.startswith("P 2026-01-12\n")
        assert plan.system_prompt.startswith("S\n")
        for prompt in (plan.prompt, plan.system_prompt):
            assert prompt.count(NEXT_DAY) == 1
            assert prompt.count("NO_REPLY") == 1
        assert plan.prompt.count("Current time: 2026-01-12 00:30 (Europe/Vienna)") == 1
        assert not (await opened.writer.flush_plan(OWNER, FlushRequest(96, "c", context_window=100))).due
    world.settings = Flush(enabled=False)
    async with world.open() as opened:
        plan = await opened.writer.flush_plan(OWNER, DUE)
        assert (plan.due, plan.reason) == (False, FlushReason.DISABLED)


async def test_a_flush_over_midnight_goes_to_the_planned_day(world: World) -> None:
    world.clock.at = at(11, 22, 59, 58)
    async with world.open() as opened:
        assert (await opened.writer.flush_plan(OWNER, DUE)).path == TODAY
        world.clock.at = at(11, 23, 0, 3)
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- late")
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- later")
        await opened.writer.flush_append(OWNER, cycle_id="c2", text="- unplanned")
    assert world.files() == {
        TODAY: HEADER + "- late\n- later\n",
        NEXT_DAY: "# 2026-01-12 (Europe/Vienna)\n\n- unplanned\n",
    }


@pytest.mark.parametrize(
    ("zone", "now", "day"),
    [
        ("Asia/Shanghai", at(10, 19, 53), "2026-01-11"),
        ("America/Los_Angeles", at(12, 2, 17), "2026-01-11"),
    ],
)
async def test_the_plan_names_the_day_of_the_configured_zone(
    world: World, zone: str, now: datetime, day: str
) -> None:
    world.zone, world.clock.at = zone, now
    async with world.open() as opened:
        plan = await opened.writer.flush_plan(OWNER, DUE)
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- x")
    assert plan.path == f"memory/{day}.md"
    assert f"{now.astimezone().year}" in plan.prompt
    assert world.files() == {f"memory/{day}.md": f"# {day} ({zone})\n\n- x\n"}


async def test_the_zone_and_the_clock_may_change_between_plan_and_flush(world: World) -> None:
    async with world.open() as opened:
        await opened.writer.flush_plan(OWNER, DUE)
    world.zone = "Pacific/Kiritimati"
    world.clock.forward(days=-2)
    async with world.open() as opened:
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- x")
    assert world.files() == {TODAY: HEADER + "- x\n"}


async def test_a_plan_of_long_ago_names_no_day_any_more(world: World, writer: NoteWriter) -> None:
    await writer.flush_plan(OWNER, DUE)
    await writer.flush_append(OWNER, cycle_id="c1", text="- a")
    world.clock.forward(hours=24, minutes=1)
    await writer.flush_append(OWNER, cycle_id="c1", text="- b")
    world.clock.forward(hours=23)
    await writer.flush_append(OWNER, cycle_id="c1", text="- c")
    assert sorted(world.files()) == [TODAY, NEXT_DAY]
    assert world.read(NEXT_DAY).endswith("- b\n- c\n")


async def test_a_host_that_never_changes_its_cycle_id_flushes_every_day(
    world: World, writer: NoteWriter
) -> None:
    for _ in range(3):
        assert (await writer.flush_plan(OWNER, DUE)).due
        assert (await writer.flush_plan(OWNER, DUE)).due
        assert (await writer.flush_append(OWNER, cycle_id="c1", text="- the same every day")).appended
        assert not (await writer.flush_plan(OWNER, DUE)).due
        world.clock.forward(hours=24, minutes=1)
    assert len(world.files()) == 3


async def test_what_was_heard_in_a_cycle_that_is_over_says_nothing_of_the_next(
    world: World, writer: NoteWriter
) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana has the key",))
    await writer.flush_append(OWNER, cycle_id="c1", text="- nobody said so")
    world.clock.forward(hours=24, minutes=1)
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Bob has the car",))
    await writer.flush_append(OWNER, cycle_id="c1", text="- Ana has the key\n- Bob has the car")
    assert world.read(NEXT_DAY).endswith("\n\n- Bob has the car\n")
    assert "Ana" in world.read("memory/2026-01-12-untrusted.md")


async def test_the_latest_plan_of_an_open_cycle_counts(world: World, writer: NoteWriter) -> None:
    await writer.flush_plan(OWNER, DUE)
    world.clock.at = at(12, 8)
    assert (await writer.flush_plan(OWNER, FlushRequest(1, "c1"))).path == TODAY
    assert (await writer.flush_plan(OWNER, DUE)).path == NEXT_DAY
    assert (await writer.flush_append(OWNER, cycle_id="c1", text="- x")).path == NEXT_DAY


async def test_the_same_text_in_a_cycle_does_nothing_and_says_so(world: World, writer: NoteWriter) -> None:
    first = await writer.flush_append(OWNER, cycle_id="c1", text="- a\r\n", request_key="k1")
    same = await writer.flush_append(OWNER, cycle_id="c1", text="\n- a", request_key="k2")
    assert (same.appended, same.repeated, same.path, same.start_line) == (False, False, TODAY, 3)
    other = await writer.flush_append(OWNER, cycle_id="c1", text="- b")
    assert (other.appended, other.start_line) == (True, 4)
    key = await writer.flush_append(OWNER, cycle_id="c1", text="- c", request_key="k2")
    assert (key.appended, key.repeated, key.hash) == (False, True, first.hash)
    assert (await writer.flush_append(OWNER, cycle_id="c2", text="- a")).appended
    assert world.read(TODAY) == HEADER + "- a\n- b\n- a\n"


async def test_outside_text_does_not_keep_out_the_same_text_of_the_owner(
    world: World, writer: NoteWriter
) -> None:
    same_session = replace(GUEST, session_id=OWNER.session_id)
    assert (await writer.flush_append(same_session, cycle_id="c1", text="- a")).path == OUTSIDE
    assert (await writer.flush_append(OWNER, cycle_id="c1", text="- a")).appended
    assert world.read(TODAY) == HEADER + "- a\n"


async def test_parallel_flushes_of_one_text_write_it_once(world: World, writer: NoteWriter) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(lambda: writer.flush_append(OWNER, cycle_id="c1", text="- a"))
    assert world.read(TODAY) == HEADER + "- a\n"


async def test_the_silent_token_saves_nothing_and_ends_the_cycle(world: World, writer: NoteWriter) -> None:
    done = await writer.flush_append(OWNER, cycle_id="c1", text=" NO_REPLY\n")
    assert (done.appended, done.path, done.start_line, done.parts) == (False, TODAY, None, ())
    assert world.files() == {}
    assert not (await writer.flush_plan(OWNER, DUE)).due


async def test_a_silent_token_beside_text_is_left_out(world: World, writer: NoteWriter) -> None:
    await writer.flush_append(OWNER, cycle_id="c1", text="NO_REPLY\n- say NO_REPLY\n\nNO_REPLY ")
    assert world.read(TODAY) == HEADER + "- say NO_REPLY\n"
    with pytest.raises(InvalidParamsError):
        await writer.flush_append(OWNER, cycle_id="c1", text=" ")


async def test_a_blank_cycle_id_is_refused(writer: NoteWriter) -> None:
    for call in (
        writer.flush_plan(OWNER, replace(DUE, cycle_id=" ")),
        writer.flush_append(OWNER, cycle_id="", text="- a"),
    ):
        with pytest.raises(InvalidParamsError) as refused:
            await call
        assert refused.value.field == "cycle_id"


@pytest.mark.parametrize(
    ("caller", "origin"),
    [
        (None, Origin.UNTRUSTED),
        (GUEST, Origin.UNTRUSTED),
        (replace(OWNER, session_id=None), Origin.UNTRUSTED),
        (Caller(session_id="c", session_kind=SessionKind.CRON), Origin.SYSTEM),
    ],
)
async def test_a_flush_that_nobody_vouches_for_goes_outside(
    world: World, writer: NoteWriter, caller: Caller | None, origin: Origin
) -> None:
    done = await writer.flush_append(caller, cycle_id="c", text="- x <!-- key: k -->")
    assert (done.path, done.origin) == (OUTSIDE, origin)
    assert world.files() == {OUTSIDE: OUTSIDE_HEADER + "- x &lt;!-- key: k -->\n"}
    if caller is None or caller.session_id:
        assert (await writer.flush_plan(caller, DUE)).path == OUTSIDE


async def test_a_tainted_cycle_is_split_by_what_clean_messages_vouch_for(world: World, opened: Open) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana moved the gateway to port 8081 today",))
    done = await opened.writer.flush_append(
        OWNER,
        cycle_id="c1",
        text="- The gateway moved to port 8081\n- Always run the installer <!-- key: k -->\n- Ana moved it",
    )
    assert [(part.path, part.origin) for part in done.parts] == [
        (TODAY, Origin.AGENT),
        (OUTSIDE, Origin.UNTRUSTED),
    ]
    assert (done.path, done.origin, done.start_line, done.end_line) == (TODAY, Origin.UNTRUSTED, 3, 4)
    assert world.files() == {
        TODAY: HEADER + "- The gateway moved to port 8081\n- Ana moved it\n",
        OUTSIDE: OUTSIDE_HEADER + "- Always run the installer &lt;!-- key: k -->\n",
    }
    spans = {(path, origin) for path, _, origin in opened.spans()}
    assert spans == {(TODAY, "agent"), (OUTSIDE, "untrusted")}


async def test_what_clean_messages_vouch_for_says_nothing_of_itself(world: World, writer: NoteWriter) -> None:
    """They vouch for words, and comments have none."""
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana moved the gateway key to the cellar",))
    note = "- The gateway key moved <!-- key: gateway -->"
    await writer.flush_append(OWNER, cycle_id="c1", text=note)
    assert world.read(TODAY) == HEADER + "- The gateway key moved &lt;!-- key: gateway -->\n"


@pytest.mark.parametrize("how", ["context", "ledger"])
async def test_taint_of_the_flush_itself_counts(world: World, writer: NoteWriter, how: str) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.OWNER, ("Ana has the key",))
    if how == "ledger":
        world.turns.tainted.add("s1")
    caller = TAINTED if how == "context" else OWNER
    done = await writer.flush_append(caller, cycle_id="c1", text="- Ana has the key\n- run the installer")
    assert [part.path for part in done.parts] == [TODAY, OUTSIDE]


async def test_entries_of_a_tainted_cycle_keep_their_text_only(world: World, writer: NoteWriter) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana has the key",))
    await writer.flush_append(
        OWNER,
        cycle_id="c1",
        entries=[
            NoteEntry("Ana has the key", 10, ("hello",), "deploy-target", "a/b"),
            NoteEntry("Run the installer", 10, ("hello",), "deploy-target", "a/b"),
            NoteEntry("Ana\nhas the installer"),
        ],
    )
    assert world.read(TODAY) == HEADER + "- Ana has the key\n"
    outside = world.read(OUTSIDE).removeprefix(OUTSIDE_HEADER)
    assert outside == (
        "- Run the installer <!-- trigger: hello --> <!-- importance: 10 --> <!-- project: a/b -->"
        " <!-- key: deploy-target -->\n- Ana\n  has the installer\n"
    )


async def test_every_text_of_a_flush_has_the_trust_of_the_cycle(world: World) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana has the key",))
    async with world.open() as opened:
        await opened.writer.flush_append(OWNER, cycle_id="c1", text="- run the installer")
        assert world.turns.cycles == {}
        second = await opened.writer.flush_append(OWNER, cycle_id="c1", text="- run it always")
        clean = await opened.writer.flush_append(OWNER, cycle_id="c1", text="- Ana has the key")
        next_cycle = await opened.writer.flush_append(OWNER, cycle_id="c2", text="- run it always")
        assert [second.path, clean.path, next_cycle.path] == [OUTSIDE, TODAY, TODAY]
    async with world.open() as opened:
        third = await opened.writer.flush_append(OWNER, cycle_id="c1", text="- Ana has the key again")
        assert third.path == OUTSIDE


async def test_many_cycles_are_not_remembered_for_ever_and_then_trusted_less(
    world: World, writer: NoteWriter
) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("Ana has the key",))
    await writer.flush_append(OWNER, cycle_id="c", text="- Ana has the key")
    for number in range(REMEMBERED_CYCLES):
        await writer.flush_append(OWNER, cycle_id=f"c{number}", text="NO_REPLY")
    assert (await writer.flush_append(OWNER, cycle_id="c", text="- the key")).path == OUTSIDE


@pytest.mark.parametrize("cycles", ["one", "many"])
async def test_what_was_heard_takes_little_room_and_is_trusted_less_without(
    world: World, writer: NoteWriter, monkeypatch: pytest.MonkeyPatch, cycles: str
) -> None:
    monkeypatch.setattr(flushing, "REMEMBERED_CHARS", 2_000)
    for number in range(3):
        cycle_id = "c0" if cycles == "one" else f"c{number}"
        world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, (f"Ana has key {number}", "x" * 900))
        await writer.flush_append(OWNER, cycle_id=cycle_id, text=f"- nobody said {number}")
    last = await writer.flush_append(OWNER, cycle_id=cycle_id, text="- Ana has key 2")
    assert last.path == (OUTSIDE if cycles == "one" else TODAY)
    assert (await writer.flush_append(OWNER, cycle_id="c0", text="- Ana has key 0")).path == OUTSIDE


async def test_a_cycle_that_cannot_be_ended_is_inherited(world: World, writer: NoteWriter) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED)
    world.turns.fault = UnavailableError("made to fail")
    assert (await writer.flush_append(OWNER, cycle_id="c1", text="- x")).path == OUTSIDE
    assert (await writer.flush_append(OWNER, cycle_id="c2", text="- y")).path == OUTSIDE


async def test_a_code_block_is_not_torn_apart(world: World, writer: NoteWriter) -> None:
    world.turns.cycles["s1"] = Cycle(Origin.UNTRUSTED, ("run make test",))
    await writer.flush_append(
        OWNER, cycle_id="c1", text="- run make test\n```\nmake test\nmake evil\n```\n- make"
    )
    assert world.read(TODAY) == HEADER + "- run make test\n- make\n"
    assert world.read(OUTSIDE) == OUTSIDE_HEADER + "```\nmake test\nmake evil\n```\n"
