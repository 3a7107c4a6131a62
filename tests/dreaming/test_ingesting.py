"""Notes and sessions as signals."""

from datetime import date

import pytest
import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Sender
from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.domain.promotion_score import score_signals
from openclaw_memd.domain.provenance import Origin, SessionKind, is_trusted
from openclaw_memd.dreaming.forgetting import Unwanted
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.recall.types import SearchRequest
from openclaw_memd.sessions.messages import Message, Role
from tests.dreaming.worlds import OWNER, World, open_world, session

WORKAROUND = "When the VPN of the office drops, set the MTU of wg0 to 1380."


def corpus(world: World) -> dict[str, str]:
    folder = world.folder / "memory/.dreams/session-corpus"
    return {path.name: path.read_text() for path in sorted(folder.glob("*"))} if folder.exists() else {}


async def test_a_note_counts_once_a_day_and_what_is_new_in_it_at_once() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The boiler is in the cellar.\n")
        await world.ingest()
        before = await world.rows()
        world.clock.move(hours=3)
        await world.ingest()
        assert await world.rows() == before
        await world.note("memory/2026-01-11.md", "- The boiler is in the cellar.\n- The key is with Ana.\n")
        await world.ingest()
        assert {text: one.signals.dailies for text, one in (await world.candidates()).items()} == {
            "The boiler is in the cellar.": 1,
            "The key is with Ana.": 1,
        }
        world.clock.move(days=1)
        await world.ingest()
        assert {one.signals.dailies for one in await world.signals.candidates()} == {2}


async def test_a_note_for_a_day_to_come_says_nothing_of_use_yet() -> None:
    """It would be read every night until then, and its day would count as one of use."""
    async with open_world() as world:
        await world.note("memory/2026-01-12.md", "- In Auckland it is tomorrow already.\n")
        await world.note("memory/2026-02-24.md", "- The rent is due on this day.\n")
        await world.ingest()
        assert list(await world.candidates()) == ["In Auckland it is tomorrow already."]


async def test_the_newest_notes_come_first_and_the_days_own_before_others() -> None:
    async with open_world() as world:
        for name in ("2026-01-09", "2026-01-11-standup", "2026-01-11", "2026-01-10", "2025-12-20"):
            world.write(f"memory/{name}.md", f"- Something of note number {name.replace('-', ' ')}.\n")
        world.write("memory/deeper/2026-01-11.md", "- Not directly in the folder of notes.\n")
        sources = world.signals.sources
        files = await trio.to_thread.run_sync(sources.list_notes, date(2025, 12, 29))
        assert [file.path.removeprefix("memory/").removesuffix(".md") for file in files] == [
            "2026-01-11",
            "2026-01-11-standup",
            "2026-01-10",
            "2026-01-09",
        ]


async def test_the_caps_of_a_night_hold() -> None:
    async with open_world() as world:
        for day in range(1, 11):
            lines = "".join(f"- Fact {number} of day {day} is noted.\n" for number in range(60))
            world.write(f"memory/2026-01-{day:02}.md", lines)
        assert (await world.ingest()).notes == 10
        counts = [one.path for one in await world.signals.candidates()]
        assert {counts.count(f"memory/2026-01-{day:02}.md") for day in range(1, 11)} == {400 // 10}


async def test_outside_lines_take_no_room_of_others() -> None:
    async with open_world() as world:
        guest = session("a-guest", sender=Sender("u2"))
        for number in range(30):
            await world.say(guest, *(f"Guest {number} says that house {n} is grey." for n in range(10)))
        for number in range(3):
            await world.say(
                session(f"s{number}"), *(f"The roof of house {number}{n} leaks." for n in range(85))
            )
        done = await world.ingest()
        assert done.session_lines == 240
        assert (await world.ingest()).session_lines == 15
        found = await world.signals.candidates()
        assert sum(one.key.startswith("t") for one in found) == 255
        assert sum(one.key.startswith("u") for one in found) == 80


async def test_many_sessions_have_room_for_so_many_lines_together() -> None:
    """Twelve of each would be three hundred: the last ones wait for the next night."""
    async with open_world() as world:
        for number in range(25):
            await world.say(
                session(f"s{number:02}"), *(f"The roof of house {number}{n} leaks." for n in range(12))
            )
        assert (await world.ingest()).session_lines == 240
        assert (await world.ingest()).session_lines == 60


async def test_quarantined_notes_are_not_read_and_handwritten_ones_are_the_agents() -> None:
    async with open_world() as world:
        guest = session("guest", sender=Sender("u2"))
        await world.agent.notes.append(guest, text="- Something that a guest wants to be known.")
        await world.note("memory/2026-01-10.md", "- Something that stands there by hand.\n")
        await world.ingest()
        found = await world.only()
        assert found.text == "Something that stands there by hand."
        assert found.provenance.origin.value == "agent"


async def test_only_interactive_sessions_are_read() -> None:
    async with open_world() as world:
        for kind in SessionKind:
            await world.say(session(f"s-{kind}", session_kind=kind), f"The boiler of house 3 is {kind} now.")
        await world.say(
            session("child", parent_session_id="s-cron"), "The roof of house 3 is a child of cron."
        )
        await world.ingest()
        assert list(await world.candidates()) == ["The boiler of house 3 is interactive now."]


async def test_what_follows_recalled_memory_in_a_turn_is_not_learned() -> None:
    async with open_world() as world:
        await world.say(OWNER, "The boiler of house 3 was replaced.")
        world.agent.hear(OWNER, [Origin.AGENT])
        await world.say(OWNER, "As memory says, the gateway is port 18789.", answer=True)
        await world.say(OWNER, "The roof of house 3 was mended.")
        await world.ingest()
        assert set(await world.candidates()) == {
            "The boiler of house 3 was replaced.",
            "The roof of house 3 was mended.",
        }


async def test_t5_a_quoted_block_of_memory_counts_for_nothing() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The gateway is port 18789.\n")
        found = await world.agent.search(SearchRequest("gateway", min_score=0.0))
        for number in range(20):
            await world.say(session(f"s{number}"), f"{found.context}\n\nAnd the roof number {number} leaks.")
        await world.ingest()
        signals = (await world.candidates())["The gateway is port 18789."].signals
        assert (signals.recalls, signals.queries, signals.dailies) == (0, 0, 1)


async def test_reading_goes_on_where_it_ended() -> None:
    async with open_world() as world:
        await world.say(OWNER, "The boiler of house 3 was replaced.")
        assert (await world.ingest()).session_lines == 1
        assert (await world.ingest()).session_lines == 0
        await world.say(OWNER, "The roof of house 3 was mended.")
        assert (await world.ingest()).session_lines == 1
        await world.end(OWNER)
        assert (await world.ingest()).session_lines == 0
        assert len(await world.candidates()) == 2
        await world.memory.sync()
        assert [hit.path for hit in await world.hits("boiler roof")] == []
        text = corpus(world)
        assert list(text) == ["2026-01-11.txt"]
        assert text["2026-01-11.txt"] == (
            "[sessions/main/owner#L1] The boiler of house 3 was replaced.\n"
            "[sessions/main/owner#L2] The roof of house 3 was mended.\n"
        )


async def test_what_a_rule_excluded_is_read_when_the_rule_is_gone() -> None:
    async with open_world() as world:
        known = world.memory.write_path.sessions.known
        await world.say(OWNER, "The boiler of house 3 was replaced.")
        await world.ingest()
        admitted, known.rules = known.rules, AdmissionRules(sessions=("own*",))
        await world.ingest()
        assert await world.signals.candidates() == []
        known.rules = admitted
        await world.ingest()
        assert list(await world.candidates()) == ["The boiler of house 3 was replaced."]
        assert len("".join(corpus(world).values()).splitlines()) == 1


async def test_a_session_of_which_a_part_was_forgotten_is_read_anew() -> None:
    """What came since stands where something else was read: it must not be taken for that."""
    async with open_world() as world:
        await world.say(OWNER, "The code of the safe is 4411.", "The boiler of house 3 was replaced.")
        await world.ingest()
        await world.agent.forgetting.forget("main", Selectors(query="safe"))
        await world.say(OWNER, "The roof of house 3 was mended.")
        await world.ingest()
        found = await world.candidates()
        assert set(found) == {"The boiler of house 3 was replaced.", "The roof of house 3 was mended."}
        assert {one.signals.dailies for one in found.values()} == {1}


async def test_the_same_words_count_once_a_session_and_day() -> None:
    async with open_world() as world:
        await world.say(OWNER, WORKAROUND, WORKAROUND)
        await world.say(OWNER, f"Noted: {WORKAROUND}", answer=True)
        await world.ingest()
        assert (await world.only()).signals.dailies == 1
        await world.say(session("two"), WORKAROUND.upper())
        await world.ingest()
        assert (await world.only()).signals.dailies == 2


async def test_the_zone_decides_about_days() -> None:
    async with open_world({"time": {"zone": "America/Los_Angeles"}}) as world:
        world.clock.move(hours=17)  # 05:00 on the 12th in UTC
        await world.say(OWNER, WORKAROUND)
        await world.note("memory/2026-01-11.md", "- The boiler is in the cellar.\n")
        await world.ask("boiler cellar")
        await world.ingest()
        found = await world.candidates()
        assert {day for one in found.values() for day in one.signals.days} == {date(2026, 1, 11)}
        assert list(corpus(world)) == ["2026-01-11.txt"]


async def test_three_short_sessions_on_two_days_lead_to_promotion() -> None:
    async with open_world() as world:
        said = (
            WORKAROUND,
            f"It happened again. {WORKAROUND}",
            "When the VPN of the office drops, set the MTU of wg0 to 1380!",
        )
        for number, text in enumerate(said):
            await world.say(session(f"s{number}"), text)
            await world.end(session(f"s{number}"))
            await world.ingest()
            found = await world.candidates()
            assert found[WORKAROUND].signals.queries == (3 if number == 2 else 0)
            world.clock.move(days=1)
        found = await world.candidates()
        signals = found[WORKAROUND].signals
        assert (signals.recalls, signals.queries, len(signals.days)) == (3, 3, 3)
        assert score_signals(signals, world.clock.now()).total >= 0.75
        assert found[WORKAROUND].is_session
        assert found[WORKAROUND].provenance.session_kind is SessionKind.INTERACTIVE


async def test_three_sessions_on_one_day_or_two_sessions_are_too_few() -> None:
    async with open_world() as world:
        for number in range(4):
            await world.say(session(f"s{number}"), WORKAROUND)
        for day in range(3):
            await world.say(OWNER, f"The roof of house 3 leaks when it rains {' ' * day}.")
            await world.say(session("two"), "The roof of house 3 leaks when it rains.")
            await world.ingest()
            world.clock.move(days=1)
        assert {one.signals.queries for one in await world.signals.candidates()} == {0}


async def test_other_numbers_make_another_claim() -> None:
    async with open_world() as world:
        for number in range(3):
            await world.say(session(f"s{number}"), WORKAROUND.replace("1380", f"138{number}"))
            world.clock.move(days=1)
        await world.ingest()
        assert len(await world.candidates()) == 3


async def test_what_is_always_said_is_no_claim() -> None:
    async with open_world() as world:
        for number in range(3):
            caller = session(f"s{number}")
            await world.say(caller, "Run the tests and commit.", "How is the boiler set?")
            await world.say(caller, "Let me know if you need anything else!", answer=True)
            await world.say(caller, "The boiler runs at 55 degrees with profile eco-2.", answer=True)
            world.clock.move(days=1)
        await world.ingest()
        found = await world.candidates()
        assert list(found) == ["The boiler runs at 55 degrees with profile eco-2."]
        assert found["The boiler runs at 55 degrees with profile eco-2."].signals.queries == 3


async def test_outside_words_never_reach_the_corpus_or_a_trusted_claim() -> None:
    async with open_world() as world:
        for number in range(3):
            guest = session(f"g{number}", sender=Sender("u2"))
            await world.say(guest, WORKAROUND)
            world.clock.move(days=1)
        await world.say(OWNER, WORKAROUND)
        await world.ingest()
        found = {one.key[0]: one for one in await world.signals.candidates()}
        assert found["u"].signals.queries == 3
        assert found["t"].signals.queries == 0
        assert is_trusted(found["t"].provenance.origin)
        assert "".join(corpus(world).values()).count("MTU") == 1


async def test_a_read_only_folder_costs_the_corpus_alone() -> None:
    async with open_world() as world:
        machine = world.folder / "memory/.dreams"
        (machine / "session-corpus").write_text("in the way")
        await world.say(OWNER, WORKAROUND)
        await world.ingest()
        assert len(await world.candidates()) == 1


async def test_a_reading_that_was_cut_off_is_done_again_and_nothing_is_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_world() as world:
        await world.say(OWNER, WORKAROUND)
        write = world.memory.state.write

        async def failing(work: object) -> object:
            if corpus(world):
                raise UnavailableError("full", reason="disk_full")
            return await write(work)  # type: ignore[arg-type]

        monkeypatch.setattr(world.memory.state, "write", failing)
        with pytest.raises(UnavailableError):
            await world.ingest()
        monkeypatch.undo()
        assert (await world.rows())["signals"] == []
        await world.ingest()
        assert (await world.only()).signals.dailies == 1
        assert "".join(corpus(world).values()).count(WORKAROUND) == 1


async def test_forgetting_reaches_all_of_it() -> None:
    one = Unwanted(frozenset({SessionKey("main", "one")}))
    async with open_world() as world:
        await world.say(session("one"), WORKAROUND, "The code of the safe is in blue folder 7.")
        await world.say(session("two"), WORKAROUND.replace(".", "!"))
        await world.note("memory/2026-01-11.md", "- The boiler is in the cellar.\n")
        await world.ingest()
        await world.ask("boiler", session("one"))
        plan = await world.signals.forget(one, dry_run=True)
        assert (plan.candidates, plan.signals, plan.corpus_lines) == (1, 3, 2)
        assert len(await world.candidates()) == 3
        done = await world.signals.forget(one)
        assert done == plan
        found = await world.candidates()
        assert set(found) == {WORKAROUND.replace(".", "!"), "The boiler is in the cellar."}
        assert found["The boiler is in the cellar."].signals.recalls == 0
        assert "one" not in "".join(corpus(world).values())
        assert "safe" not in repr(await world.rows())
        taken = await world.signals.forget(Unwanted(takes_path="memory/2026-01-11.md".__eq__), dry_run=True)
        assert taken.candidates == 1
        (world.folder / "memory/2026-01-11.md").write_text("")
        await world.signals.forget(Unwanted(takes_text=lambda text: "MTU" in text))
        assert await world.signals.candidates() == []
        assert corpus(world) == {}
        assert (await world.signals.forget(one)).candidates == 0


async def test_what_is_forgotten_since_an_instant_leaves_what_was_before() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The boiler is in the cellar.\n")
        await world.ask("boiler")
        world.clock.move(days=1)
        await world.note("memory/2026-01-12.md", "- The boiler key is with Ana.\n")
        await world.ask("where is the boiler?")
        since = world.clock.now()
        (world.folder / "memory/2026-01-12.md").write_text("- Nothing more of it.\n")
        text = world.signals.forget(Unwanted(None, takes_text=lambda _text: True, since=since))
        assert (await text).signals == 2
        found = await world.only()
        assert (found.text, found.signals.recalls) == ("The boiler is in the cellar.", 1)


@pytest.mark.parametrize("number", [0, 1])
async def test_a_message_with_wrappers_is_no_claim(number: int) -> None:
    async with open_world() as world:
        texts = (
            "[cron:nightly] Report: 3 backups were made.",
            "Conversation Summary: they spoke of backups.",
        )
        message = Message("m1", Role.USER, texts[number])
        await world.memory.write_path.sessions.append(
            session("s", session_kind=SessionKind.CRON if number == 0 else SessionKind.INTERACTIVE), [message]
        )
        await world.ingest()
        assert await world.signals.candidates() == []
