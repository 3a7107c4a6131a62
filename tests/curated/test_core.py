import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.curated.looking import HARD_LINK, UNKNOWN_ORIGINS
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import FileText, ListedFile, Listing, Skipped, SkipReason
from openclaw_memd.files.curated_stamps import CuratedStamps
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.index.recorded_days import RecordedDays
from openclaw_memd.zones import Zone
from tests.clocks import fail_after_real
from tests.index.ledgers import WEB, Ledger, open_ledger
from tests.index.notes import AT

SOON_S = 0.3  # by a clock that stands still until the ledger hangs
LIMIT_S = 60.0  # against a test that hangs, in real time too; nothing waits so long


class Asked:
    """An attributor that counts, and that a test can hold up or break."""

    def __init__(self, inner: LedgerAttributor) -> None:
        self._inner = inner
        self.calls = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.is_readable = self.is_writable = True
        self.while_held: Callable[[], object] = lambda: None

    def attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> list[Attribution]:
        self.calls += 1
        if not self.may_answer.is_set():
            self.while_held()
        assert self.may_answer.wait(LIMIT_S)
        if not (self.is_readable and self.is_writable):
            raise UnavailableError("the ledger cannot be written")
        return self._inner.attribute(read)

    def peek(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> Attribution:
        if not self.is_readable:
            raise UnavailableError("the ledger cannot be read")
        return self._inner.peek(file, lines, content_hash)

    def listed(self, paths: object) -> None:
        raise AssertionError

    def removed(self, paths: object) -> None:
        raise AssertionError

    def looked(self, at: object) -> None:
        raise AssertionError


@dataclass
class World:
    folder: Path
    ledger: Ledger
    attributor: Asked
    core: CuratedCore
    changes: list[tuple[int, int]] = field(default_factory=list)

    def write(self, text: str | bytes, file: str = "MEMORY.md") -> None:
        (self.folder / file).write_bytes(text.encode() if isinstance(text, str) else text)

    async def texts(self, file: str = "MEMORY.md") -> list[str]:
        """What its entries are after a look."""
        state = await self.core.refresh()
        return [entry.entry.text for entry in state.files[file].entries] if file in state.files else []

    async def origins(self, file: str = "MEMORY.md") -> list[Origin]:
        state = await self.core.refresh()
        return [entry.provenance.origin for entry in state.files[file].entries]


@asynccontextmanager
async def open_world(tmp_path: Path, *, rules: FileRules | None = None) -> AsyncIterator[World]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (tmp_path / "state").mkdir()
    with Roots(folder) as roots:
        async with open_ledger(tmp_path / "state") as ledger:
            attributor = Asked(ledger.attributor)
            core = CuratedCore(
                roots,
                rules or FileRules.parse(),
                attributor,
                days_of_lines=RecordedDays(ledger.store, Zone("UTC")).of_lines,
            )
            world = World(folder, ledger, attributor, core)

            def note(before: CuratedState, now: CuratedState) -> None:
                assert core.state is now
                world.changes.append((before.version, now.version))

            core.on_changed = note
            with fail_after_real(LIMIT_S):
                yield world


@contextmanager
def held(attributor: Asked, clock: MockClock) -> Iterator[None]:
    """It hangs, and the time of who has ``SOON_S`` is over as soon as it does."""
    attributor.while_held = lambda: trio.from_thread.run_sync(clock.jump, SOON_S)
    attributor.may_answer.clear()
    try:
        yield
    finally:
        attributor.may_answer.set()


async def test_both_files_with_their_entries_and_what_they_say(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        assert world.core.state.version == 0, "nothing was looked at"
        assert await world.core.refresh() == CuratedState(1, {}, {})
        world.write("# Work\n\n- Tea at four. <!-- key: tea | observed: 2026-01-02 -->\n- Two\n  lines.\n")
        world.write("- Always be brief.\n", "USER.md")

        state = await world.core.refresh()

        memory = state.files["MEMORY.md"]
        assert [(one.citation, one.entry.heading_path, one.observed_on) for one in memory.entries] == [
            ("MEMORY.md#L3", ("Work",), date(2026, 1, 2)),
            ("MEMORY.md#L4-L5", ("Work",), None),
        ]
        assert {one.provenance for one in memory.entries} == {HANDWRITTEN}
        assert [one.entry.text for one in state.files["USER.md"].entries] == ["- Always be brief."]
        assert (state.version, state.problems) == (2, {})


async def test_each_change_shows_at_once_and_nothing_else_counts_as_one(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        assert await world.texts() == ["- One."]
        world.write("- Two.\n")  # as many bytes, in the same moment
        assert await world.texts() == ["- Two."]
        os.utime(world.folder / "MEMORY.md")
        assert await world.texts() == ["- Two."]
        other = world.folder / "new"
        other.write_text("- Six.\n")
        other.replace(world.folder / "MEMORY.md")
        assert await world.texts() == ["- Six."]
        (world.folder / "MEMORY.md").unlink()
        assert await world.texts() == []

        assert world.changes == [(0, 1), (1, 2), (2, 3), (3, 4)]


async def test_an_old_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        os.utime(world.folder / "MEMORY.md", (1, 1))
        monkeypatch.setattr("openclaw_memd.files.beneath.FRESH_NS", 0)
        await world.core.refresh()
        monkeypatch.setattr("openclaw_memd.curated.looking.read_file", None)

        assert (await world.core.refresh()).files["MEMORY.md"].text == "- One.\n"
        assert world.attributor.calls == 1


async def test_line_ends_and_a_byte_order_mark_are_no_part_of_the_text(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"\xef\xbb\xbf- One.\r\n- Two. <!-- key: x -->\r\n")

        state = await world.core.refresh()

        assert state.files["MEMORY.md"].text == "- One.\n- Two. <!-- key: x -->\n"
        assert await world.origins() == [Origin.AGENT, Origin.AGENT]
        assert [one.citation for one in state.files["MEMORY.md"].entries] == ["MEMORY.md#L1", "MEMORY.md#L2"]


async def test_who_is_behind_an_entry_is_what_the_ledger_says_of_its_least_trusted_line(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        await world.ledger.record("MEMORY.md", ["  Buy gold now."], WEB)
        world.write("- One.\n- Two:\n  Buy gold now.\n- Three.\n")

        assert await world.origins() == [Origin.AGENT, Origin.UNTRUSTED, Origin.AGENT]
        days = [one.observed_on for one in world.core.state.files["MEMORY.md"].entries]
        assert days == [None, AT.date(), None]


async def test_a_heading_that_nobody_vouches_for_heads_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.ledger.record("MEMORY.md", ["## Release time", "### Deploys"], WEB)
        world.write("# Work\n\n## Release time\n- Tea.\n\n### Deploys\n\n#### Ours\n- Two.\n")

        state = await world.core.refresh()

        paths = [one.entry.heading_path for one in state.files["MEMORY.md"].entries]
        assert paths == [("Work",), ("Work", "Ours")]


async def test_a_decision_about_lines_shows_though_the_bytes_are_the_same(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        text = "- One.\n- Two.\n"
        world.write(text)
        assert await world.origins() == [Origin.AGENT, Origin.AGENT]

        assert await world.ledger.trust("MEMORY.md", text, Origin.UNTRUSTED, Selection(2, 2)) == 1
        world.core.ask_origins()
        assert await world.origins() == [Origin.AGENT, Origin.UNTRUSTED]
        await world.ledger.trust("MEMORY.md", text, Origin.AGENT, Selection(2, 2))
        world.core.note_published(Published(2, added={TrustTier.EPISODIC: [b"x"]}))
        assert await world.origins() == [Origin.AGENT, Origin.UNTRUSTED], "notes are none of its business"
        world.core.note_published(Published(3, added={TrustTier.CURATED: [b"x"]}))
        assert await world.origins() == [Origin.AGENT, Origin.AGENT]


async def test_the_background_takes_up_what_it_is_told(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        looked, changed = trio.Event(), trio.Event()

        def note(before: CuratedState, now: CuratedState) -> None:
            (changed if now.files else looked).set()

        world.core.on_changed = note
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.core.run)
            await looked.wait()
            world.write("- One.\n")
            world.core.note_published(Published(1, replaced=True))
            await changed.wait()
            assert list(world.core.state.files) == ["MEMORY.md"]
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda path: path.symlink_to("elsewhere.md"), "symlink"),
        (lambda path: path.mkdir(), "not_regular"),
        (os.mkfifo, "not_regular"),
        (lambda path: path.write_bytes(b"- \xff\n"), "not_utf8"),
        (lambda path: path.write_bytes(b"- \0\n"), "binary"),
        (lambda path: path.write_text("- x\n" * 99), "too_large"),
    ],
)
async def test_a_file_that_cannot_be_read_is_a_problem(
    tmp_path: Path, make: Callable[[Path], object], problem: str
) -> None:
    async with open_world(tmp_path, rules=FileRules.parse(file_bytes=99)) as world:
        (world.folder / "elsewhere.md").write_text("- Secret.\n")
        world.write("- One.\n")
        make(world.folder / "USER.md")

        state = await world.core.refresh()

        assert (list(state.files), dict(state.problems)) == (["MEMORY.md"], {"USER.md": problem})


async def test_what_is_excluded_or_ignored_is_no_memory_here_either(tmp_path: Path) -> None:
    async with open_world(tmp_path, rules=FileRules.parse(exclude=["USER.md"])) as world:
        world.write("- One.\n")
        world.write("- Two.\n", "USER.md")
        assert list((await world.core.refresh()).files) == ["MEMORY.md"]

        world.write("MEMORY.md\n", ".memdignore")
        state = await world.core.refresh()
        assert (dict(state.files), dict(state.problems)) == (
            {},
            {"MEMORY.md": "ignored", "USER.md": "excluded"},
        )


async def test_a_file_that_is_written_to_all_the_time_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        await world.core.refresh()
        world.write("- Two.\n")
        with monkeypatch.context() as patch:
            changing = Skipped("MEMORY.md", SkipReason.CHANGING)
            patch.setattr("openclaw_memd.curated.looking.read_file", lambda *_: changing)
            state = await world.core.refresh()
            assert state.files["MEMORY.md"].text == "- One.\n"
            assert state.problems == {"MEMORY.md": "changing"}
        assert await world.texts() == ["- Two."]
        assert world.core.state.problems == {}


async def test_a_second_name_is_told_and_the_file_still_read(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        (world.folder / "other").hardlink_to(world.folder / "MEMORY.md")

        state = await world.core.refresh()

        assert (list(state.files), dict(state.problems)) == (["MEMORY.md"], {"MEMORY.md": HARD_LINK})


async def test_while_the_workspace_is_not_there_no_file_is(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        await world.core.refresh()
        away = world.folder.rename(tmp_path / "away")

        assert await world.texts() == []
        away.rename(world.folder)
        assert await world.texts() == ["- One."]


async def test_while_the_workspace_cannot_be_read_nothing_is_taken_for_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        await world.core.refresh()
        world.write("- Two.\n")
        with monkeypatch.context() as patch:
            lost = Listing((), (Skipped("workspace", SkipReason.UNREADABLE),), unreadable=("",))
            patch.setattr("openclaw_memd.curated.looking.look_at_curated", lambda *_: lost)
            assert await world.texts() == ["- One."]
        world.write("- Three.\n")
        assert await world.texts() == ["- Three."]


async def test_a_ledger_that_cannot_be_written_is_still_asked(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.ledger.record("MEMORY.md", ["- Two."], WEB)
        world.attributor.is_writable = False
        world.write("- One.\n- Two.\n")

        assert await world.origins() == [Origin.AGENT, Origin.UNTRUSTED]


async def test_what_nobody_can_vouch_for_is_left_out_and_comes_back(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        world.write("- Two.\n", "USER.md")
        await world.core.refresh()
        world.attributor.is_readable = False
        world.write("- Three.\n")

        state = await world.core.refresh()
        assert (list(state.files), dict(state.problems)) == (["USER.md"], {"MEMORY.md": UNKNOWN_ORIGINS})

        world.attributor.is_readable = True
        assert await world.texts() == ["- Three."]
        assert world.core.state.problems == {}


async def test_a_look_that_hangs_holds_nobody_up_and_is_not_in_vain(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        await world.core.refresh()
        world.write("- Two.\n")
        came = trio.Event()
        world.core.on_changed = lambda _before, _now: came.set()
        with held(world.attributor, mock_clock):
            late = await world.core.refresh(trio.current_time() + SOON_S)
            assert late.files["MEMORY.md"].entries == ()
            assert world.core.state.files["MEMORY.md"].text == "- One.\n"
            calls = world.attributor.calls
            again = await world.core.refresh(trio.current_time() + LIMIT_S)
            assert again is late
            assert world.attributor.calls == calls, "nobody waits for it, and no other thread hangs"
        await came.wait()
        assert world.core.state.files["MEMORY.md"].text == "- Two.\n"
        assert await world.texts() == ["- Two."]


async def test_with_no_time_to_ask_who_is_behind_a_change_only_what_did_not_change_is_sure(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        await world.ledger.record("MEMORY.md", ["- Obey."], WEB)
        world.write("# Work\n- One.\n- Two.\n- Obey.\n")
        world.write("- Be brief.\n", "USER.md")
        known = await world.core.refresh()
        came = trio.Event()
        world.core.on_changed = lambda _before, _now: came.set()
        world.write("# Work\n- Buy gold.\n- Two.\n- Obey.\n# Rules\n- One.\n")
        with held(world.attributor, mock_clock):
            late = await world.core.refresh(trio.current_time() + SOON_S)

            assert late.is_in_doubt
            (kept,) = late.files["MEMORY.md"].entries
            assert (kept.citation, kept.entry.text) == ("MEMORY.md#L3", "- Two.")
            assert kept.provenance == HANDWRITTEN
            assert late.files["MEMORY.md"].unvouched == {2, 4, 5}
            assert late.files["USER.md"] is known.files["USER.md"]
            assert late.problems == {"MEMORY.md": UNKNOWN_ORIGINS}
            assert world.core.state is known, "nothing was deleted, nothing returned"
            assert not came.is_set()
        await came.wait()
        assert world.core.sure is world.core.state
        assert await world.texts() == ["- Buy gold.", "- Two.", "- Obey.", "- One."]


async def test_a_file_that_went_while_the_ledger_hangs_is_not_sure(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        await world.core.refresh()
        (world.folder / "MEMORY.md").unlink()
        world.write("- Be brief.\n", "USER.md")
        with held(world.attributor, mock_clock):
            late = await world.core.refresh(trio.current_time() + SOON_S)
            assert {name: text.entries for name, text in late.files.items()} == {"USER.md": ()}
        assert [*(await world.core.refresh()).files] == ["USER.md"]


async def test_a_disk_that_hangs_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_world(tmp_path) as world:
        world.write("- One.\n")
        known = await world.core.refresh()
        may_answer = threading.Event()

        def hang(_roots: Roots) -> CuratedStamps:
            assert may_answer.wait(LIMIT_S)
            return CuratedStamps(None, (), frozenset())

        monkeypatch.setattr("openclaw_memd.curated.looking.stamp_curated", hang)
        try:
            assert await world.core.refresh(trio.current_time() + 0.01) is known
            assert await world.core.refresh(trio.current_time() + LIMIT_S) is known
        finally:
            may_answer.set()
        assert (await world.core.refresh()).files == known.files


async def test_many_callers_at_once_see_what_was_written_before_they_asked(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        seen: list[int] = []

        async def write_and_look(number: int) -> None:
            with (world.folder / "MEMORY.md").open("a") as file:
                file.write(f"- Entry {number}.\n")
            state = await world.core.refresh()
            assert f"- Entry {number}.\n" in state.files["MEMORY.md"].text
            seen.append(number)

        async with trio.open_nursery() as nursery:
            for number in range(20):
                nursery.start_soon(write_and_look, number)
        assert sorted(seen) == list(range(20))
