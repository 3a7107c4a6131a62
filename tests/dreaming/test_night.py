"""Whole nights on a real workspace: what is read, staged, promoted, shown, and told."""

import errno
import json
import threading
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, date, datetime
from typing import Any
from unittest.mock import AsyncMock

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.daemon.chatting import AgentChat
from openclaw_memd.domain.dream_pages import read_diary
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.dreaming.diary import GENERIC
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.errors import ConflictError, UnavailableError
from openclaw_memd.ports import ChatModelError
from tests.dreaming.worlds import World, open_world, session
from tests.fakes import ScriptedChatModel

PORT = "The gateway listens on port 18789 in the blue cabinet."
QUESTIONS = (
    "gateway port",
    "where is the blue cabinet",
    "which port does the gateway use",
    "gateway listens",
)
NOTE = "memory/2026-01-11.md"


def settings(**more: Any) -> Mapping[str, Any]:
    return {"agents": {"main": {"dreaming": more}}}


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with open_world() as opened:
        yield opened


async def ask_for_port(world: World) -> None:
    """Four questions on three days, whose answer stands in one note."""
    await world.note(NOTE, f"- {PORT}\n- Tickets go to the travel desk.\n")
    for number, question in enumerate(QUESTIONS):
        await world.ask(question, session(f"s{number}"))
        if number < 2:
            world.clock.move(days=1)


def dreams(world: World) -> Any:
    return world.memory.dreaming.dreams


def text(world: World, path: str) -> str:
    place = world.folder / path
    return place.read_text() if place.exists() else ""


async def test_what_was_asked_for_on_several_days_is_promoted_and_explained(world: World) -> None:
    """Four questions on three days: promoted, with each gate and its value."""
    await ask_for_port(world)

    report = await dreams(world).run()

    assert report.deep is not None
    assert (report.deep.promoted, report.deep.excluded) == (1, {"recalls": 1})
    first, second = report.deep.candidates
    assert (first.action, first.excluded) == ("added", None)
    assert [(gate.gate, gate.passed) for gate in first.gates] == [
        ("signals", True),
        ("recalls", True),
        ("queries", True),
        ("age", True),
        ("score", True),
    ]
    assert second.excluded == "recalls"
    assert text(world, "MEMORY.md").count(PORT) == 1
    assert f"{NOTE}#L1" in text(world, "MEMORY.md")
    assert "travel desk" not in text(world, "MEMORY.md")


async def test_every_page_is_written_and_a_second_night_changes_nothing(world: World) -> None:
    await ask_for_port(world)
    await dreams(world).run()
    await dreams(world).pages.settle()
    day = "2026-01-13"

    page = text(world, "DREAMS.md")
    assert f"- Candidate: {PORT}" in page
    assert "### Possible Lasting Truths" in page
    assert f"- `+` MEMORY.md: {PORT}" in page
    assert [(entry.day, entry.run_id is None) for entry in read_diary(page)] == [(date(2026, 1, 13), False)]
    for phase in ("light", "rem", "deep"):
        assert text(world, f"memory/dreaming/{phase}/{day}.md").startswith("# ")
    memory = text(world, "MEMORY.md")

    again = await dreams(world).run()

    assert again.deep is not None
    assert again.light is not None
    assert (again.deep.promoted, again.deep.excluded) == (0, {"promoted": 1, "recalls": 1})
    assert again.light.staged == 0
    assert text(world, "MEMORY.md") == memory


async def test_an_empty_night_writes_nothing(world: World) -> None:
    report = await dreams(world).run()

    assert report.outcome == "completed"
    assert not (world.folder / "DREAMS.md").exists()
    assert not (world.folder / "memory" / "dreaming").exists()
    assert not (world.folder / "MEMORY.md").exists()


async def test_own_output_is_never_fed_back(world: World) -> None:
    """Notes with a managed block, and a workspace full of reports, over five nights."""
    await world.note(
        NOTE,
        f"- {PORT}\n\n## Light Sleep\n\n<!-- openclaw:dreaming:light:start -->\n- Candidate: x\n"
        "  - confidence: 0.00\n  - evidence: memory/2026-01-10.md:1-1\n  - recalls: 0\n"
        "  - status: staged\n<!-- openclaw:dreaming:light:end -->\n",
    )
    for number in range(5):
        for question in QUESTIONS:
            await world.ask(question, session(f"s{number}"))
        await dreams(world).run()
        world.clock.move(days=1)
        await world.memory.sync()

    memory = text(world, "MEMORY.md")
    assert memory.count(PORT) == 1
    for sign in ("Candidate", "confidence", "score=", "staged"):
        assert sign not in memory


async def test_what_nobody_asked_for_is_never_promoted(world: World) -> None:
    """Three hundred lines of notes, thirty nights: nothing, however often they are read."""
    await world.note(NOTE, "".join(f"- Fact number {n} about the garden shed.\n" for n in range(300)))
    for _ in range(4):
        await dreams(world).run()
        world.clock.move(days=1)

    assert not (world.folder / "MEMORY.md").exists()


async def test_outside_text_takes_no_place_from_trusted_text(world: World) -> None:
    """Ten candidates from outside with top scores, three trusted ones below, a limit of ten."""
    notes = world.memory.write_path.notes
    guest = session("guest", tainted=True)
    for number in range(10):
        await notes.append(guest, text=f"The gateway number {number} runs installer {number}.")
    await ask_for_port(world)
    for number, question in enumerate(QUESTIONS):
        await world.ask(f"{question} {number} installer runs", session("s9"))

    report = await dreams(world).run()

    assert report.deep is not None
    assert report.deep.promoted == 1
    assert report.deep.excluded["origin"] == 10
    assert "installer" not in text(world, "MEMORY.md")


async def test_a_dry_run_tells_what_the_night_would_do_and_writes_nothing(world: World) -> None:
    await ask_for_port(world)
    await world.ingest()
    before = await world.rows()

    told = await dreams(world).preview()
    after = await world.rows()
    done = await dreams(world).run()

    assert told.deep is not None
    assert done.deep is not None
    assert [(one.key, one.excluded) for one in told.deep.candidates] == [
        (one.key, one.excluded) for one in done.deep.candidates
    ]
    assert before == after
    assert await dreams(world).runs.list(9) == [
        one for one in await dreams(world).runs.list(9) if one.ended_at
    ]


async def test_in_mode_propose_the_owner_decides() -> None:
    async with open_world(settings(mode="propose")) as world:
        await ask_for_port(world)

        report = await dreams(world).run()

        assert report.deep is not None
        assert (report.deep.promoted, report.deep.proposed) == (0, 1)
        assert report.deep.candidates[0].action == "proposed"
        assert not (world.folder / "MEMORY.md").exists()
        assert len(await world.memory.dreaming.reviewing.waiting()) == 1


async def test_in_mode_off_a_run_by_hand_writes_nothing_at_all() -> None:
    async with open_world(settings(mode="off")) as world:
        await ask_for_port(world)
        rows, files = await world.rows(), sorted(world.folder.rglob("*"))

        report = await dreams(world).run()

        assert (await world.rows(), sorted(world.folder.rglob("*"))) == (rows, files)
        assert await dreams(world).runs.list(9) == []

        assert report.deep is not None
        assert report.deep.candidates[0].excluded is None
        assert not (world.folder / "MEMORY.md").exists()
        assert world.memory.dreaming.schedule.next_at() is None


async def test_one_phase_alone(world: World) -> None:
    await ask_for_port(world)

    report = await dreams(world).run(("light",))

    assert report.light is not None
    assert (report.rem, report.deep) == (None, None)
    assert not (world.folder / "MEMORY.md").exists()


async def test_a_page_that_is_a_link_stops_nothing(world: World) -> None:
    elsewhere = world.folder / "elsewhere.txt"
    elsewhere.write_text("mine\n")
    (world.folder / "DREAMS.md").symlink_to(elsewhere)
    await ask_for_port(world)

    report = await dreams(world).run()

    assert report.problems == ("dreams_file: symlink",)
    assert PORT in text(world, "MEMORY.md")
    assert elsewhere.read_text() == "mine\n"
    assert text(world, "memory/dreaming/deep/2026-01-13.md")


async def test_marks_wait_for_the_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full, what light chose is chosen again by the next night."""
    await ask_for_port(world)

    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(dreams(world).pages.files, "edit", fail)
        first = await dreams(world).run(("light", "rem"))
    second = await dreams(world).run(("light", "rem"))

    assert first.problems == ("dreams_file: disk_error",)
    assert first.light == second.light
    assert second.light is not None
    assert second.light.staged == 2
    (port,) = [one for one in await world.signals.candidates() if one.text == PORT]
    assert (port.signals.light_hits, port.signals.rem_hits) == (1, 1)


async def test_dates_that_have_come_are_reported(world: World) -> None:
    world.write(
        "MEMORY.md",
        "- Learn to sail. <!-- review: 2026-01-05 -->\n- The fair is on. <!-- expires: 2026-01-10 -->\n"
        "- Learn to dive. <!-- review: 2026-01-12 -->\n- The sale is on. <!-- expires: 2026-01-11 -->\n"
        "- Learn to ski. <!-- review: 2026-01-11 -->\n",  # today
    )
    await world.memory.sync()

    report = await dreams(world).run()

    assert report.deep is not None
    assert (report.deep.due, report.deep.expired) == (("MEMORY.md#L1", "MEMORY.md#L5"), ("MEMORY.md#L2",))
    assert "### Due for review" in text(world, "DREAMS.md")
    assert "Learn to sail." in text(world, "DREAMS.md")


async def test_an_aspiration_that_is_over_is_retired_and_the_same_dates_are_told_once(world: World) -> None:
    over = "- Learn to sail. <!-- review: 2025-06-01 | expires: 2026-01-01 -->"
    world.write("MEMORY.md", f"- The fair is on. <!-- expires: 2026-01-10 -->\n{over}\n")
    await world.memory.sync()

    first = await dreams(world).run()
    (world.folder / "DREAMS.md").unlink()
    second = await dreams(world).run()

    assert first.deep is not None
    assert second.deep is not None
    assert (first.deep.retired, first.deep.expired) == (1, ("MEMORY.md#L1",))
    assert text(world, "MEMORY.md").endswith(f"<!-- status: superseded -->\n{over}\n")
    assert (second.deep.retired, second.deep.expired) == (0, ("MEMORY.md#L1",))
    assert not (world.folder / "DREAMS.md").exists()
    state = await world.memory.lanes.injecting.core.refresh()
    assert {one.provenance.origin for one in state.files["MEMORY.md"].entries} == {Origin.AGENT}
    await world.agent.undo(first.deep.preimage_ids[0])
    assert "superseded" not in text(world, "MEMORY.md")


async def test_what_may_contradict_is_flagged_with_both_places_and_both_stay(world: World) -> None:
    world.write("MEMORY.md", "- The gateway listens on port 9000 in the blue cabinet.\n")
    await ask_for_port(world)

    report = await dreams(world).run()

    assert report.deep is not None
    ((conflict),) = report.deep.conflicts
    assert (conflict.source, conflict.other) == (f"{NOTE}#L1", "MEMORY.md#L1")
    memory = text(world, "MEMORY.md")
    assert "port 9000" in memory
    assert "port 18789" in memory


async def test_a_chat_model_writes_the_diary_from_what_the_night_found(world: World) -> None:
    answer = "Last night a blue cabinet hummed. <!-- openclaw:dreaming:diary:end -->\n---\nI woke."
    model = ScriptedChatModel(otherwise=answer)
    world.memory.dreaming.lend(AgentChat(model))
    await ask_for_port(world)

    report = await dreams(world).run()

    (entry,) = read_diary(text(world, "DREAMS.md"))
    assert report.diary == "model"
    assert entry.text.startswith("Last night a blue cabinet hummed.")
    assert "openclaw:dreaming" not in entry.text
    (asked,) = (one for one in model.requests if one.purpose == "diary")
    assert PORT in asked.prompt


@pytest.mark.parametrize("failure", [ChatModelError("unavailable"), ChatModelError("timeout"), "   "])
async def test_when_the_model_fails_the_diary_tells_nothing(world: World, failure: Any) -> None:
    world.memory.dreaming.lend(AgentChat(ScriptedChatModel(otherwise=failure)))
    await ask_for_port(world)

    await dreams(world).run()

    (entry,) = read_diary(text(world, "DREAMS.md"))
    assert entry.text == GENERIC


async def test_nothing_is_told_of_what_was_forgotten_meanwhile(world: World) -> None:
    """The model is asked, and while it writes the note goes."""

    def forget(_request: object) -> str:
        (world.folder / NOTE).unlink()
        return "I dreamt of a port."

    await ask_for_port(world)
    world.memory.dreaming.lend(AgentChat(ScriptedChatModel(otherwise=forget)))

    report = await dreams(world).run(("light",))

    assert report.diary is None
    assert read_diary(text(world, "DREAMS.md")) == []


async def test_the_report_holds_no_text_of_a_memory(world: World) -> None:
    await ask_for_port(world)
    report = await dreams(world).run()

    (run,) = await dreams(world).runs.list(1)
    assert run.report is not None
    assert "cabinet" not in run.report
    assert "travel" not in run.report
    assert await dreams(world).runs.report(report.run_id) == report
    assert json.loads(run.report)["deep"]["candidates"]


async def test_one_night_at_a_time_and_a_dead_one_is_gone_on_with(world: World) -> None:
    """A run that stops giving signs of life does not block the next; one that lives does."""
    runs = dreams(world).runs
    alive = await runs.begin("schedule", ("light", "rem", "deep"), date(2026, 1, 11))
    assert alive is not None
    await runs.note_done(alive, "light")

    with pytest.raises(ConflictError):
        await dreams(world).run()
    world.clock.move(minutes=3)
    next_run = await runs.begin("schedule", ("light", "rem", "deep"), date(2026, 1, 11))

    assert next_run is not None
    assert next_run.phases == ("rem", "deep")
    assert {run.outcome for run in await runs.list(9)} == {"interrupted", None}


@pytest.mark.parametrize("is_concluded", [False, True], ids=["written", "concluded"])
async def test_a_night_that_is_killed_after_it_wrote_is_known_told_and_undone(
    world: World, monkeypatch: pytest.MonkeyPatch, is_concluded: bool
) -> None:
    """Whatever was left is taken up: marks, report, page and diary; and it can be undone."""
    await ask_for_port(world)
    before = text(world, "MEMORY.md")

    async def die(*_arguments: object, **_more: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if is_concluded:
            patch.setattr(world.memory.dreaming.dreams._phases._dating, "look", die)
        else:
            patch.setattr(world.signals, "mark_promoted", die)
        patch.setattr(dreams(world).runs, "end", AsyncMock())
        with pytest.raises(BaseExceptionGroup):
            await dreams(world).run()
    await dreams(world).runs.load()  # as the next process does
    written = text(world, "MEMORY.md")
    assert PORT in written

    state = await dreams(world).state()
    assert (state.promoted, state.last and state.last.outcome) == (1, "interrupted")
    (promoted,) = [one for one in await dreams(world).candidates() if PORT in one.candidate.text]
    assert promoted.excluded == "promoted"
    report = await dreams(world).report(None)
    assert report is not None
    assert report.deep is not None
    assert (report.outcome, report.deep.promoted) == ("interrupted", 1)
    assert "## Deep Sleep" not in text(world, "DREAMS.md")

    last = await dreams(world).run()
    assert last.finishes == (report.run_id,)
    assert "- Promoted 1 into the curated files." in text(world, "DREAMS.md")
    assert PORT in text(world, "memory/dreaming/deep/2026-01-13.md")
    assert text(world, "MEMORY.md") == written
    assert (await dreams(world).run()).finishes == ()

    undone = await world.memory.dreaming.reviewing.undo(report.run_id)
    assert undone.undone == 1
    assert text(world, "MEMORY.md") == before


async def test_a_long_night_shows_that_it_lives(world: World, autojump_clock: MockClock) -> None:
    """Twenty minutes of work: nobody else may begin meanwhile, and it ends as its own."""
    runs = dreams(world).runs
    run = await runs.begin("schedule", ("deep",), date(2026, 1, 11))
    assert run is not None
    refused = []

    async def work() -> NightReport:
        for _ in range(20):
            world.clock.move(minutes=1)
            await trio.sleep(60)
            refused.append(await runs.begin("schedule", ("deep",), date(2026, 1, 12)))
        raise UnavailableError("the end")

    with pytest.raises(UnavailableError):
        await runs.keep_alive(run, work)

    assert refused == [None] * 20


async def test_a_cancelled_run_by_hand_is_over(world: World) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        with trio.CancelScope(shield=True):
            run = await dreams(world).runs.begin("call", ("deep",), date(2026, 1, 11))
        assert run is not None
        await dreams(world)._sweep(run, lambda _done, _total=None: None)

    assert [one.outcome for one in await dreams(world).runs.list(1)] == ["cancelled"]
    assert (await dreams(world).run()).outcome == "completed"


async def test_a_night_that_fails_says_why_and_the_next_one_goes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask_for_port(world)

    async def fail(*_arguments: object, **_more: object) -> None:
        raise UnavailableError("the disk is full", reason="disk_full")

    with monkeypatch.context() as patch:
        patch.setattr(world.signals, "stage", fail)
        with pytest.raises(UnavailableError):
            await dreams(world).run()

    assert [run.outcome for run in await dreams(world).runs.list(9)] == ["failed"]
    assert not (world.folder / "MEMORY.md").exists()
    assert PORT in text(world, "DREAMS.md")  # what was shown already stays, and is made anew
    done = await dreams(world).run()
    assert done.deep is not None
    assert done.deep.promoted == 1
    assert text(world, "DREAMS.md").count("## Light Sleep") == 1


async def test_the_schedule_dreams_as_a_job_once_a_date(world: World) -> None:
    """From the time to the promotion, over the parts as the daemon wires them."""
    schedule = world.memory.dreaming.schedule
    (plan,) = schedule._plans
    await schedule._look(plan)  # from here on it counts
    await ask_for_port(world)
    async with trio.open_nursery() as nursery:
        await nursery.start(dreams(world)._jobs.run)
        await schedule._look(plan)
        await schedule._look(plan)
        nursery.cancel_scope.cancel()

    runs = await dreams(world).runs.list(9)
    assert [(run.cause, run.outcome, run.local_date) for run in runs] == [
        ("schedule", "completed", date(2026, 1, 13))
    ]
    assert PORT in text(world, "MEMORY.md")
    (job,) = dreams(world)._jobs.all()
    assert (job.kind, job.state, job.done, job.total) == ("dream", "done", 5, 5)
    assert schedule.next_at() == datetime(2026, 1, 14, 3, tzinfo=UTC)
    status = await world.agent.dream_status()
    assert {phase.last_date for phase in status.phases} == {date(2026, 1, 13)}


async def test_a_finished_night_is_told_even_when_nothing_happened(world: World) -> None:
    events = world.memory._outside.events.subscribe(["dream.finished"])

    await dreams(world).run()
    event, _ = await events.next()

    assert event.facts["outcome"] == "completed"
    assert event.private == {"promoted": 0, "proposed": 0}


async def test_it_is_known_what_a_model_told_of(world: World) -> None:
    """So that an entry of the diary can go with what it is about."""
    world.memory.dreaming.lend(AgentChat(ScriptedChatModel(otherwise="A blue cabinet hummed.")))
    await ask_for_port(world)
    report = await dreams(world).run()
    (key,) = (one.key for one in await world.signals.candidates() if one.text == PORT)

    assert await dreams(world).runs.that_told([key]) == [report.run_id]
    assert await dreams(world).runs.that_told(["t0"]) == []


async def test_explaining(world: World) -> None:
    await ask_for_port(world)
    await world.ingest()
    before = await dreams(world).explain("which gateway port")
    desk = await dreams(world).explain("travel desk")
    await dreams(world).run()
    after = await dreams(world).explain("gateway listens")
    nothing = await dreams(world).explain("zebra crossing")

    assert before.judged is not None
    assert before.judged.candidate.text == PORT
    assert before.citation is None
    assert desk.judged is not None
    assert desk.judged.excluded == "recalls"
    assert after.citation is not None
    assert after.citation.startswith("MEMORY.md#L")
    assert (nothing.judged, nothing.citation) == (None, None)


async def test_a_night_that_also_retired_something_is_undone_byte_for_byte(world: World) -> None:
    over = "- Learn to sail. <!-- review: 2025-06-01 | expires: 2026-01-01 -->"
    await ask_for_port(world)
    world.write("MEMORY.md", f"{over}\n")
    await world.memory.sync()
    await dreams(world).run()
    assert PORT in text(world, "MEMORY.md")

    await world.memory.dreaming.reviewing.undo(None)

    assert text(world, "MEMORY.md") == f"<!-- status: superseded -->\n{over}\n"


async def test_what_was_tidied_away_from_one_note_stands_in_another(world: World) -> None:
    await ask_for_port(world)
    await world.note("memory/2026-01-12.md", f"- {PORT}\n")
    await world.ask("gateway", session("s9"))
    await world.note(NOTE, "- Nothing of that.\n")

    report = await dreams(world).run()

    assert report.deep is not None
    assert (report.deep.promoted, report.deep.setbacks) == (1, {})
    assert "(Source: memory/2026-01-12.md#L1)" in text(world, "MEMORY.md")


async def test_a_proposal_names_the_note_that_still_says_it() -> None:
    async with open_world(settings(mode="propose")) as world:
        await ask_for_port(world)
        await world.note("memory/2026-01-12.md", f"- {PORT}\n")
        await world.ask("gateway", session("s9"))
        await world.note(NOTE, "- Nothing of that.\n")
        await dreams(world).run()
        reviewing = world.memory.dreaming.reviewing
        (proposal,) = await reviewing.waiting()

        done = await reviewing.accept([proposal.id])

        assert (list(done.accepted.values()), done.rejected) == (["added"], {})
        assert "(Source: memory/2026-01-12.md#L1)" in text(world, "MEMORY.md")


async def test_what_passes_every_gate_and_stands_nowhere_is_told_so(world: World) -> None:
    await ask_for_port(world)
    await dreams(world).run(("light", "rem"))
    assert (await dreams(world).explain("gateway port")).setback is None
    await world.note(NOTE, "- Nothing of that.\n")

    found = await dreams(world).explain("gateway port")

    assert found.judged is not None
    assert (found.judged.excluded, found.citation, found.setback) == (None, None, "source_gone")


async def test_explaining_leaves_the_loop_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()

    def compare(*_texts: object) -> bool:
        threads.add(threading.get_ident())
        return False

    monkeypatch.setattr("openclaw_memd.dreaming.dreams.says_same", compare)
    world.write("MEMORY.md", "- Rain comes from the west.\n")
    await dreams(world).explain("zebra crossing")

    assert threads
    assert threading.get_ident() not in threads


async def test_lines_that_are_gone_take_no_place_night_after_night() -> None:
    async with open_world(settings(limit=1)) as world:
        await world.note(NOTE, "- The gateway listens on port 18000 in the blue cabinet.\n")
        for day in range(3):
            for number, question in enumerate(QUESTIONS):
                await world.ask(question, session(f"s{number}"))
            world.clock.move(days=1 if day < 2 else 0)
        await world.note(NOTE, "- Nothing of that.\n")
        await world.note("memory/2026-01-12.md", "- The boiler key hangs at hook 9400.\n")
        for number, question in enumerate(("boiler key", "hook 9400", "where hangs the key")):
            await world.ask(question, session(f"b{number}"))
            await world.ask(question, session(f"c{number}"))

        report = await dreams(world).run()

        assert report.deep is not None
        assert (report.deep.promoted, report.deep.setbacks) == (1, {"source_gone": 1})
        assert "limit" not in report.deep.excluded
        assert "hook 9400" in text(world, "MEMORY.md")


async def test_a_second_run_on_a_day_leaves_the_report_of_the_first(world: World) -> None:
    await ask_for_port(world)
    first = await dreams(world).run()
    world.clock.move(hours=1)
    await world.note("memory/2026-01-12.md", "- The ladder of hut 9 leans on the birch.\n")
    await world.ask("ladder of hut 9", session("s8"))
    second = await dreams(world).run()

    report = text(world, "memory/dreaming/light/2026-01-13.md")
    assert report.count("<!-- memd:dream ") == 2
    one, two = report.split("\n---\n")
    assert first.run_id in one
    assert PORT in one
    assert second.run_id in two
    assert "ladder" in two


async def test_a_night_that_failed_or_was_cancelled_is_told_of(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[NightReport] = []
    monkeypatch.setattr(dreams(world), "_on_finished", told.append)
    night = dreams(world)._night
    monkeypatch.setattr(night._ingestion, "ingest", AsyncMock(side_effect=UnavailableError("full")))
    with pytest.raises(UnavailableError):
        await dreams(world).run()

    hangs = trio.Event()

    async def hang(_now: datetime) -> None:
        hangs.set()
        await trio.sleep_forever()

    monkeypatch.setattr(night._ingestion, "ingest", hang)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dreams(world).run)
        await hangs.wait()
        nursery.cancel_scope.cancel()
    assert [(one.outcome, one.deep) for one in told] == [("failed", None), ("cancelled", None)]
    assert {run.id for run in await dreams(world).runs.list(2)} == {one.run_id for one in told}


async def test_what_was_aside_of_a_page_goes_when_its_task_ends(world: World) -> None:
    (world.folder / "DREAMS.md").write_text("mine\n")
    await ask_for_port(world)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(dreams(world).pages.run)
        await trio.testing.wait_all_tasks_blocked()
        await dreams(world).run()
        nursery.cancel_scope.cancel()
    assert [path.name for path in world.folder.iterdir() if path.name.startswith(".memd-")] == []
