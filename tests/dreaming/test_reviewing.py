"""The review queue, and taking back what a night wrote."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.reviewing import Reviewing
from openclaw_memd.dreaming.undoing import Undoing
from openclaw_memd.errors import InvalidParamsError, NotFoundError, UnavailableError
from tests.dreaming.nights import NOTE, NOW, Nights, open_nights
from tests.notes.worlds import OWNER

POT = "Meter box key is under the blue pot."
PORT = "The gateway listens on port 9400."
OWNER_SAID = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
LATER = NOW + timedelta(days=1)


@dataclass
class Desk:
    nights: Nights
    reviewing: Reviewing

    async def ids(self) -> list[str]:
        return [one.id for one in await self.reviewing.waiting()]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_nights(tmp_path) as nights:
        yield Desk(nights, make_reviewing(nights))


def make_reviewing(nights: Nights) -> Reviewing:
    undoing = Undoing(
        state=nights.world.state,
        core=nights.core,
        writer=nights.world.writer,
        history=nights.world.history,
        deletions=nights.deletions,
        signals=nights.signals,
        analyzer=Analyzer(),
        turn=nights.consolidation.turn,
    )
    return Reviewing(nights.consolidation, undoing, nights.world.clock)


async def test_a_proposal_names_what_would_be_done_and_writes_nothing(desk: Desk) -> None:
    nights = desk.nights
    nights.write("MEMORY.md", "- The office is in Graz. <!-- key: office -->\n")
    before = nights.memory
    chosen = nights.note("The office is in Linz. <!-- key: office -->", POT)
    done = await nights.night(chosen, mode="propose")
    assert nights.memory == before
    assert (done.promoted, list(done.proposed)) == ({}, [one.candidate.key for one in chosen])
    office, pot = sorted(await desk.reviewing.waiting(), key=lambda one: one.content.action, reverse=True)
    assert (office.content.action, office.content.replaces) == ("superseded", ("The office is in Graz.",))
    assert (pot.content.file, pot.content.sources) == ("MEMORY.md", (f"{NOTE}#L2",))
    assert pot.content.lines.startswith(f"<!-- memd:promoted {pot.id} -->\n- {POT} (Source:")
    await nights.night(chosen, mode="propose", run_id="r2", now=LATER)
    assert len(await desk.ids()) == 2, "one for each claim, however often it is proposed"
    known = nights.note("office is in Graz", path="memory/2026-01-10.md")
    done = await nights.night(known, mode="propose", run_id="r3", now=LATER)
    assert (list(done.promoted.values()), nights.memory) == (["merged"], before)
    assert nights.signals.promoted == [known[0].candidate.key]


async def test_what_is_accepted_is_written_as_the_candidate_not_as_the_owners(desk: Desk) -> None:
    nights = desk.nights
    chosen = nights.note(POT, PORT)
    await nights.night(chosen, mode="propose")
    done = await desk.reviewing.accept([chosen[0].candidate.key])
    assert done.accepted == {chosen[0].candidate.key: "added"}
    assert f"- {POT} (Source:" in nights.memory
    assert PORT not in nights.memory
    assert await desk.ids() == [chosen[1].candidate.key]
    assert set((await nights.world.origins()).values()) == {Origin.AGENT}
    assert nights.signals.promoted == [chosen[0].candidate.key]
    with pytest.raises(NotFoundError):
        await desk.reviewing.accept([chosen[0].candidate.key])
    done_again = await nights.night(chosen, run_id="r2", now=LATER)
    assert sorted(done_again.promoted.values()) == ["added", "reconciled"]
    assert nights.memory.count(POT) == 1


async def test_a_proposal_whose_source_is_gone_or_not_trusted_is_not_written(desk: Desk) -> None:
    nights = desk.nights
    chosen = nights.note(POT, PORT)
    await nights.night(chosen, mode="propose")
    nights.write(NOTE, f"- {PORT}\n")
    done = await desk.reviewing.accept([one.candidate.key for one in chosen])
    assert done.rejected == {chosen[0].candidate.key: "source_gone"}
    assert POT not in nights.memory
    assert await desk.ids() == [chosen[0].candidate.key], "it goes on waiting"


async def test_edited_words_are_the_owners(desk: Desk) -> None:
    nights = desk.nights
    (chosen,) = nights.note(POT)
    await nights.night([chosen], mode="propose")
    edited = await desk.reviewing.edit(OWNER, chosen.candidate.key, "Always look under the red pot.")
    assert (edited.content.file, edited.content.edited) == ("USER.md", True)
    assert edited.content.lines.split("\n")[1] == "<!-- observed: 2026-01-11 | status: active -->"
    await nights.night([chosen], mode="propose", run_id="r2", now=LATER)
    (waiting,) = await desk.reviewing.waiting()
    assert waiting.content.text == "Always look under the red pot.", "a night does not take the words back"
    nights.write(NOTE, "- The note is another one by now.\n")
    await desk.reviewing.accept([chosen.candidate.key])
    assert "- Always look under the red pot. <!-- importance: 8 -->" in nights.user
    assert not nights.memory


@pytest.mark.parametrize(
    "text",
    ["", "  \n ", "The password of the router is: hunter2hunter2x", "x" * 801, "User: hi there"],
)
async def test_bad_words_are_refused(desk: Desk, text: str) -> None:
    (chosen,) = desk.nights.note(POT)
    await desk.nights.night([chosen], mode="propose")
    with pytest.raises(InvalidParamsError) as refused:
        await desk.reviewing.edit(OWNER, chosen.candidate.key, text)
    assert refused.value.field == "text"
    with pytest.raises(NotFoundError):
        await desk.reviewing.edit(OWNER, "unknown", "fine words here")


async def test_what_is_rejected_stays_out_in_other_words_and_modes_too(desk: Desk) -> None:
    nights = desk.nights
    chosen = nights.note(POT)
    await nights.night(chosen, mode="propose")
    assert await desk.reviewing.reject(await desk.ids()) == 1
    assert not await desk.ids()
    same = nights.note("The " + POT.lower(), path="memory/2026-01-13.md")
    for mode in ("write", "propose"):
        done = await nights.night([*chosen, *same], run_id=mode, mode=mode, now=LATER)
        assert set(done.rejected.values()) <= {"rejected", "deleted"}
        assert not done.proposed
    assert not nights.memory


async def test_what_is_rejected_after_an_edit_stays_out_in_both_wordings(desk: Desk) -> None:
    nights = desk.nights
    (chosen,) = nights.note(POT)
    await nights.night([chosen], mode="propose")
    await desk.reviewing.edit(OWNER, chosen.candidate.key, "The spare fuse hangs in the attic.")
    await desk.reviewing.reject([chosen.candidate.key])
    others = nights.note(f"The {POT.lower()}", "Spare fuse hangs in the attic!", path="memory/2026-01-13.md")
    done = await nights.night(others, run_id="r2", now=LATER)
    assert list(done.rejected.values()) == ["deleted", "deleted"]


async def test_what_the_file_says_already_is_not_proposed(desk: Desk) -> None:
    nights = desk.nights
    nights.write("MEMORY.md", f"- The {POT.lower()}\n")
    done = await nights.night(nights.note(POT, PORT), mode="propose")
    assert sorted(done.promoted.values()) == ["merged"]
    assert [one.content.text for one in await desk.reviewing.waiting()] == [PORT]


async def test_an_undone_night_leaves_the_files_as_they_were_byte_for_byte(desk: Desk) -> None:
    nights = desk.nights
    before = b"\xef\xbb\xbf# Core\r\n\r\n- The office is in Graz. <!-- key: office -->\r\n"
    nights.world.write(before)
    chosen = nights.note("The office is in Linz. <!-- key: office -->", POT)
    await nights.night(chosen)
    assert nights.world.read() != before
    undone = await desk.reviewing.undo(None)
    assert (undone.run_id, undone.files, undone.undone) == ("r1", ("MEMORY.md",), 2)
    assert nights.world.read() == before
    done = await nights.night(chosen, run_id="r2", now=LATER)
    assert set(done.rejected.values()) <= {"rejected", "deleted"}
    assert nights.world.read() == before, "what was undone stays out"
    with pytest.raises(NotFoundError):
        await desk.reviewing.undo(None)
    with pytest.raises(NotFoundError):
        await desk.reviewing.undo("r1")


async def test_what_was_accepted_one_by_one_is_taken_back_byte_for_byte_too(desk: Desk) -> None:
    nights = desk.nights
    before = b"# Core\n\n- The office is in Graz. <!-- key: office -->\n- It rains in May.\n"
    nights.world.write(before)
    await nights.night(nights.note("The office is in Linz. <!-- key: office -->", POT), mode="propose")
    for proposal in await desk.ids():
        await desk.reviewing.accept([proposal])
    assert nights.world.read() != before
    undone = await desk.reviewing.undo(None)
    assert (undone.files, undone.undone) == (("MEMORY.md",), 2)
    assert nights.world.read() == before


async def test_an_editor_between_two_acceptances_keeps_what_they_wrote(desk: Desk) -> None:
    nights = desk.nights
    nights.write("MEMORY.md", "# Core\n\n- The office is in Graz. <!-- key: office -->\n- It rains in May.\n")
    await nights.night(nights.note("The office is in Linz. <!-- key: office -->", POT), mode="propose")
    first, second = await desk.ids()
    await desk.reviewing.accept([first])
    nights.write("MEMORY.md", nights.memory.replace("May", "June"))
    await desk.reviewing.accept([second])
    assert (await desk.reviewing.undo(None)).undone == 2
    kept = "# Core\n\n- The office is in Graz. <!-- key: office -->\n- It rains in June."
    assert nights.memory.rstrip("\n") == kept


async def test_of_a_file_that_changed_since_only_the_nights_lines_go(desk: Desk) -> None:
    nights = desk.nights
    nights.write("MEMORY.md", "# Core\n\n- It rains in May.\n")
    await nights.night(nights.note(POT, PORT))
    text = nights.memory.replace("- It rains in May.", "- It rains in June.").replace(
        f"- {PORT}", "- The gateway listens on port 9444, I think."
    )
    nights.write("MEMORY.md", text + "\n## Later\n\n- An editor was here.\n")
    undone = await desk.reviewing.undo("r1")
    assert undone.undone == 1, "what somebody edited is theirs"
    assert POT not in nights.memory
    for kept in ("- It rains in June.", "port 9444, I think.", "## Later\n\n- An editor was here.\n"):
        assert kept in nights.memory


async def test_what_was_replaced_comes_back_into_a_file_that_changed_since(desk: Desk) -> None:
    nights = desk.nights
    nights.write("MEMORY.md", "- The office is in Graz. <!-- key: office -->\n- It rains.\n")
    language = (
        "<!-- observed: 2025-12-01 | status: active -->\n- Always answer in English. <!-- key: language -->\n"
    )
    nights.write("USER.md", language)
    orders = await nights.note_as(
        OWNER_SAID,
        "The office is in Linz. <!-- key: office -->",
        "Always answer in German. <!-- key: language -->",
    )
    await nights.night(orders)
    assert "status: superseded" in nights.user
    for file in ("MEMORY.md", "USER.md"):
        nights.write(file, (nights.world.folder / file).read_text() + "\nAn editor was here.\n")
    undone = await desk.reviewing.undo("r1")
    assert undone.undone == 2
    assert nights.memory.startswith("- The office is in Graz. <!-- key: office -->\n- It rains.\n")
    assert nights.user == language + "\nAn editor was here.\n"
    assert "Linz" not in nights.memory
    assert not await nights.deletions.is_deleted("The office is in Graz.")
    assert await nights.deletions.is_deleted("The office is in Linz.")


async def test_all_that_was_replaced_comes_back_into_a_file_that_changed_since(desk: Desk) -> None:
    nights = desk.nights
    two = (
        "- The office is in Graz. <!-- key: office -->\n- It is in Graz, at the river. <!-- key: office -->\n"
    )
    two = "- It was in Wels. <!-- key: office --> <!-- status: superseded -->\n" + two
    rest = "".join(f"- Door {number} has key {number}.\n" for number in range(6))  # so that two may go
    nights.write("MEMORY.md", f"{two}{rest}- It rains.\n")
    await nights.night(nights.note("The office is in Linz. <!-- key: office -->"))
    assert "Graz" not in nights.memory
    nights.write("MEMORY.md", nights.memory.replace("rains", "snows"))
    await desk.reviewing.undo(None)
    assert nights.memory == f"{two}{rest}- It snows.\n"


async def test_an_undoing_that_was_cut_off_keeps_out_what_it_took_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights = desk.nights
    await nights.night(nights.note(POT))
    with monkeypatch.context() as patch:
        patch.setattr(desk.reviewing._undoing, "keep_out", AsyncMock(side_effect=UnavailableError("cut off")))
        with pytest.raises(UnavailableError):
            await desk.reviewing.undo(None)
    assert POT not in nights.memory
    await desk.reviewing.undo(None)
    same = nights.note("The meter box key is under the blue pot!", path="memory/2026-01-13.md")
    done = await nights.night(same, run_id="r2", now=LATER)
    assert list(done.rejected.values()) == ["deleted"]
    assert POT not in nights.memory


async def test_the_last_night_of_two_is_taken_back_with_its_heading(desk: Desk) -> None:
    nights = desk.nights
    await nights.night(nights.note(POT))
    first = nights.memory
    later = nights.note(PORT, path="memory/2026-01-12.md")
    await nights.night(later, run_id="r2", now=LATER)
    title = "# Long-Term Memory\n\n"
    nights.write("MEMORY.md", nights.memory.replace(title, title + "An editor was here.\n\n"))
    await desk.reviewing.undo(None)
    assert nights.memory.rstrip("\n") == first.replace(title, title + "An editor was here.\n\n").rstrip("\n")
    await desk.reviewing.undo(None)
    assert nights.memory.rstrip("\n") == title + "An editor was here."


async def test_the_owner_brings_back_what_was_undone(desk: Desk) -> None:
    nights = desk.nights
    chosen = nights.note(POT)
    await nights.night(chosen)
    await desk.reviewing.undo(None)
    await nights.core.refresh()
    assert await nights.deletions.is_deleted(POT)
    nights.write("MEMORY.md", f"- {POT}\n")
    await nights.core.refresh()
    assert not await nights.deletions.is_deleted(POT)
    assert isinstance(OWNER, Caller)
    assert date(2026, 1, 11) == chosen[0].candidate.noted_on
