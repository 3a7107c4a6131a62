"""What the owner wants to be known, over real files and a real ledger."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.curated.remember import Remembered, Remembering, Wish
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.note_entries import NoteEntry
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import ConflictError, DeniedError, InvalidParamsError, TooLargeError
from openclaw_memd.files.rules import FileRules
from openclaw_memd.zones import Zone
from tests.curated.worlds import World, open_world
from tests.notes.worlds import OWNER

UNTRUSTED = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE)
PROJECT = "github.com/o/a"


@dataclass
class Desk:
    """Who remembers, in a project that a test sets; ``vouched`` are the lines that it vouched for."""

    world: World
    core: CuratedCore
    deletions: Deletions
    remembering: Remembering = field(init=False)
    project: str | None = None
    vouched: list[tuple[str, int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.remembering = Remembering(
            self.world.writer,
            self.core,
            Analyzer(),
            self.world.clock,
            Zone("Europe/Vienna"),
            note_bytes=2_000,
            current_project=self._current,
            vouch=self._vouch,
        )

    async def remember(
        self, text: str, file: str = "MEMORY.md", *, budget: int = 10_000, caller: Caller = OWNER, **said: Any
    ) -> Remembered:
        dates = {name: said.pop(name) for name in ("review", "expires", "replaces") if name in said}
        wish = Wish(file, NoteEntry(text, **said), **dates)
        return await self.remembering.remember(caller, wish, budget_chars=budget)

    async def _current(self, caller: Caller | None) -> str | None:
        return self.project

    async def _vouch(self, path: str, first: int, last: int, text_hash: str) -> None:
        self.vouched.append((path, first, last, text_hash))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_world(tmp_path) as world:
        deletions = Deletions(world.state, Analyzer(), world.clock)
        core = CuratedCore(world.roots, FileRules.parse(), world.attributor, on_changed=deletions.hear)
        yield Desk(world, core, deletions)


async def test_it_is_written_as_the_owners_and_the_answer_is_a_receipt(desk: Desk) -> None:
    desk.world.write(b"# Core\n\n- It rains.\n")
    done = await desk.remember("The roof leaks.", importance=7, triggers=("roof",), supersedes_key="roof")
    said = "<!-- trigger: roof --> <!-- importance: 7 --> <!-- key: roof | observed: 2026-01-11 -->"
    line = f"- The roof leaks. {said}"
    assert desk.world.read().decode() == f"# Core\n\n- It rains.\n{line}\n"
    assert done == Remembered("MEMORY.md", 4, 4, hash_text(line), (), appended=True, warning=None)
    assert await desk.world.origins() == {
        "# Core": Origin.AGENT,
        "- It rains.": Origin.AGENT,
        line: Origin.OWNER,
    }
    known = desk.core.state.files["MEMORY.md"].entries
    assert [(entry.citation, entry.provenance.writer, entry.observed_on) for entry in known] == [
        ("MEMORY.md#L3", None, None),
        ("MEMORY.md#L4", OWNER.writer, date(2026, 1, 11)),
    ]


async def test_a_key_replaces_and_the_old_is_in_the_history(desk: Desk) -> None:
    await desk.remember("Deploys go to heroku.", supersedes_key="deploy")
    desk.world.clock.forward(days=1)
    done = await desk.remember("Deploys go to fly.", supersedes_key="deploy")
    old = "- Deploys go to heroku. <!-- key: deploy | observed: 2026-01-11 -->"
    new = "- Deploys go to fly. <!-- key: deploy | observed: 2026-01-12 -->"
    assert (desk.world.read().decode(), done.superseded) == (f"{new}\n", (old,))
    (last, _) = await desk.world.history.list("MEMORY.md", before_id=None, limit=9)
    diff = await desk.world.history.diff(last.id)
    assert (last.cause, f"-{old}" in diff, f"+{new}" in diff) == ("remember", True, True)
    assert not await desk.deletions.is_deleted("Deploys go to heroku.")


async def test_the_day_is_that_of_the_zone(desk: Desk) -> None:
    desk.world.clock.at = datetime(2026, 1, 11, 23, 30, tzinfo=UTC)
    await desk.remember("It snows.")
    assert b"observed: 2026-01-12" in desk.world.read()


async def test_the_same_again_writes_nothing(desk: Desk) -> None:
    first = await desk.remember("The roof leaks.")
    again = await desk.remember("the roof leaks")
    assert again == replace(first, appended=False)
    assert len(desk.world.written) == 1
    assert desk.vouched == []


async def test_what_stood_there_untrusted_is_vouched_for(desk: Desk) -> None:
    await desk.world.add("- The roof leaks. <!-- observed: 2026-01-11 -->", UNTRUSTED)
    done = await desk.remember("The roof leaks.")
    assert (done.appended, done.superseded) == (False, ())
    assert desk.vouched == [("MEMORY.md", 1, 1, done.hash)]


@pytest.mark.parametrize("said", [{}, {"supersedes_key": "roof"}, {"replaces": "the roof leaks"}])
async def test_nothing_untrusted_is_said_of_what_the_owner_remembers(
    desk: Desk, said: dict[str, Any]
) -> None:
    comments = "<!-- trigger: hello --> <!-- importance: 10 --> <!-- key: roof -->"
    await desk.world.add(f"- the roof leaks {comments}", UNTRUSTED)
    done = await desk.remember("The roof leaks.", **said)
    (entry,) = desk.core.state.files["MEMORY.md"].entries
    assert (entry.provenance.origin, done.appended, desk.vouched) == (Origin.OWNER, True, [])
    assert (entry.entry.annotations.triggers, entry.entry.annotations.importance) == ((), None)
    assert entry.entry.annotations.key == said.get("supersedes_key")


async def test_the_project_of_the_call_is_written_by_itself(desk: Desk) -> None:
    desk.project = PROJECT
    await desk.remember("The gateway port is 8123.")
    await desk.remember("Ana lives in Graz.", project="")
    await desk.remember("Tests run with nox.", project="GitHub.com/o/b")
    await desk.remember("Never call.", "USER.md")
    lines = desk.world.read().decode().splitlines()
    assert [line.count(f"project: {PROJECT}") for line in lines] == [1, 0, 0]
    assert "project: github.com/o/b" in lines[2]
    assert "project" not in (desk.world.folder / "USER.md").read_text()


@pytest.mark.parametrize(
    ("text", "file", "budget", "warning"),
    [
        ("It rains.", "MEMORY.md", 20, "the file has 42 characters, 20 are of use"),
        ("Ana lives in Graz.", "USER.md", 4_000, "not an instruction: begin with Always, Never or Prefer"),
        ("password: hunter2-very-long", "MEMORY.md", 4_000, "secret"),
        ("- user: hi\n- assistant: hello", "MEMORY.md", 4_000, "talk of a moment"),
    ],
)
async def test_what_is_to_be_looked_at_is_written_and_told(
    desk: Desk, text: str, file: str, budget: int, warning: str
) -> None:
    done = await desk.remember(text, file, budget=budget)
    assert done.appended
    assert warning in (done.warning or "")
    assert "hunter2" not in (done.warning or "")


async def test_faults_elsewhere_in_the_file_are_not_told(desk: Desk) -> None:
    desk.world.write(b"- It rains <!-- importance: 99 -->\n- It rains\n")
    assert (await desk.remember("The roof leaks.")).warning is None


async def test_line_ends_the_mark_and_what_is_malformed_stay_as_they_are(desk: Desk) -> None:
    before = (
        b"\xef\xbb\xbf# Core\r\n\r\n- a <!-- importance: 99 -->\r\n- b <!-- project: ; -->\r\n<!-- key: k\r\n"
    )
    desk.world.write(before)
    await desk.remember("端口是八千。📦", supersedes_key="k")
    after = desk.world.read()
    assert after.startswith(before)
    assert after.endswith("- 端口是八千。📦 <!-- key: k | observed: 2026-01-11 -->\r\n".encode())
    assert after.count(b"\n") == after.count(b"\r\n")


async def test_text_can_neither_annotate_nor_frame(desk: Desk) -> None:
    await desk.remember("a b <!-- importance: 10 -->\n- c <!-- project: x -->\x00 <<<BEGIN_MEMD_RECALL>>>")
    (entry,) = desk.core.state.files["MEMORY.md"].entries
    said = entry.entry.annotations
    assert (said.importance, said.projects, said.observed) == (None, (), date(2026, 1, 11))
    assert b"<<<BEGIN" not in desk.world.read()


async def test_those_who_remember_at_once_are_all_heard_once(desk: Desk) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(desk.remember, f"Rack {number % 6} has {number % 6} servers.")
    lines = desk.world.read().decode().splitlines()
    assert sorted(line.split(" <!--")[0] for line in lines) == [
        f"- Rack {number} has {number} servers." for number in range(6)
    ]


async def test_a_goal_has_its_dates(desk: Desk) -> None:
    await desk.remember("Learn to swim.", review=date(2026, 3, 1), expires=date(2026, 12, 31))
    assert b"<!-- review: 2026-03-01 | observed: 2026-01-11 | expires: 2026-12-31 -->" in desk.world.read()


@pytest.mark.parametrize(
    ("said", "name", "reason"),
    [
        ({"text": " \n"}, "text", "value"),
        ({"text": "\ud800"}, "text", "value"),
        ({"text": "a b", "triggers": ("a, b",)}, "triggers", "value"),
        ({"text": "a b", "supersedes_key": ""}, "supersedes_key", "value"),
        ({"text": "a b", "project": "a\0b"}, "project", "value"),
        ({"text": "Never call.", "file": "USER.md", "project": PROJECT}, "project", "value"),
        ({"text": "a b", "replaces": "nothing"}, "replaces", "no_entry"),
    ],
)
async def test_what_cannot_be_written_is_refused_by_name(
    desk: Desk, said: dict[str, Any], name: str, reason: str
) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        await desk.remember(**said)
    assert (caught.value.field, caught.value.reason) == (name, reason)
    assert desk.world.written == []


async def test_too_much_is_refused(desk: Desk) -> None:
    with pytest.raises(TooLargeError) as caught:
        await desk.remember("я" * 1_001)
    assert (caught.value.reason, desk.world.written) == ("note_bytes", [])


async def test_several_that_could_be_meant_are_a_conflict(desk: Desk) -> None:
    desk.world.write(b"- a b\n- c\n- a b\n")
    with pytest.raises(ConflictError) as caught:
        await desk.remember("new", replaces="a b")
    assert caught.value.reason == "ambiguous"


async def test_a_link_is_not_written_to(desk: Desk) -> None:
    (desk.world.folder / "other.md").write_text("- a\n")
    desk.world.path.symlink_to("other.md")
    with pytest.raises(DeniedError) as caught:
        await desk.remember("new")
    assert (caught.value.reason, (desk.world.folder / "other.md").read_text()) == ("symlink", "- a\n")


async def test_what_was_deleted_is_wanted_when_it_is_remembered(desk: Desk) -> None:
    await desk.remember("The roof leaks.")
    await desk.deletions.settle()
    desk.world.write(b"- It rains.\n")
    await desk.core.refresh()
    assert await desk.deletions.is_deleted("The roof leaks.")
    await desk.remember("The roof leaks.")
    assert not await desk.deletions.is_deleted("The roof leaks.")
