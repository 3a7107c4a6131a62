"""What is accepted is written exactly once, whatever fails and wherever the process ends."""

import errno
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from openclaw_memd.domain.callers import Caller
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files import notes
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import appends
from openclaw_memd.index.ledger.forgotten_appends import replace_waiting
from openclaw_memd.notes.ahead import FIRST_RETRY_S
from openclaw_memd.notes.types import NoteLimits
from tests.notes.faulty_os import FaultyOs, Killed
from tests.notes.worlds import GUEST, HEADER, OUTSIDE, OUTSIDE_HEADER, OWNER, TODAY, Open, World

TEXT = "- first line\n  second line, with ümlauts"
TEXT_ENTRY = TEXT + "\n"


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> FaultyOs:
    system = FaultyOs()
    monkeypatch.setattr(notes, "os", system)
    return system


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO, errno.EMFILE])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", ["open", "mkdir", "write", "fsync"])
@pytest.mark.parametrize("old", [None, "- old\n", "- old"])
async def test_what_cannot_be_written_is_spooled_and_written_later(
    *, world: World, system: FaultyOs, code: int, after: bool, step: str, old: str | None
) -> None:
    if old is not None:
        world.write(TODAY, old)
    async with world.open() as opened:
        system.faults, system.after = {step: OSError(code, "made to fail")}, after
        done = await opened.writer.append(OWNER, text=TEXT, request_key="k")
        if step == "mkdir" and old is not None:
            assert not done.spooled
            return
        assert (done.appended, done.spooled, done.start_line) == (True, True, None)
        assert opened.writer.waiting == 1
        assert opened.rows("SELECT state FROM appends") == [("spooled",)]
        assert (await opened.writer.append(OWNER, text=TEXT, request_key="k")).spooled
        second = await opened.writer.append(OWNER, text="- later")
        assert second.spooled or step == "mkdir"  # after which the folder is there

        system.heal()
        third = await opened.writer.append(OWNER, text="- last")

        assert not third.spooled
        assert opened.writer.waiting == 0
        again = await opened.writer.append(OWNER, text=TEXT, request_key="k")
        assert (again.repeated, again.spooled) == (True, False)
    text = world.read(TODAY)
    start = HEADER if old is None else old.rstrip() + "\n"
    assert text == start + TEXT_ENTRY + "- later\n- last\n"
    assert again.start_line == start.count("\n") + 1


@pytest.mark.parametrize("room", range(0, len((HEADER + TEXT_ENTRY).encode()), 4))
@pytest.mark.parametrize("old", ["", "- old\n", "- old"])
@pytest.mark.parametrize("restart", [False, True])
async def test_a_text_that_was_cut_off_is_completed(
    world: World, system: FaultyOs, room: int, old: str, restart: bool
) -> None:
    if old:
        world.write(TODAY, old)
    system.room = room
    async with world.open() as opened:
        done = await opened.writer.append(OWNER, text=TEXT)
        if not done.spooled:
            assert room >= len(TEXT.encode())
            return
        assert world.read_bytes(TODAY).startswith(old.encode())
        system.heal()
        if not restart:
            await opened.writer.reconcile()
    async with world.open():
        pass
    start = old.rstrip() + "\n" if old else HEADER
    assert world.read(TODAY) == start + TEXT_ENTRY


@pytest.mark.parametrize("most", [1, 7, 30])
async def test_short_writes_are_continued(world: World, system: FaultyOs, most: int) -> None:
    system.most_bytes = most
    async with world.open() as opened:
        done = await opened.writer.append(OWNER, text=TEXT)
    assert not done.spooled
    assert world.read(TODAY) == HEADER + TEXT_ENTRY


async def test_a_text_that_somebody_wrote_into_is_written_again_whole(world: World, system: FaultyOs) -> None:
    world.write(TODAY, "- old\n")
    write = system.write

    def write_a_piece(descriptor: int, data: bytes) -> int:
        system.write = write  # type: ignore[method-assign]
        done = write(descriptor, data[:8])
        with (world.folder / TODAY).open("a") as file:
            file.write("- outside\n")
        return done

    system.write = write_a_piece  # type: ignore[method-assign]
    async with world.open() as opened:
        done = await opened.writer.append(OWNER, text=TEXT)
    assert world.read(TODAY) == "- old\n- first - outside\n" + TEXT_ENTRY
    assert (done.start_line, done.end_line) == (3, 4)


async def test_an_editor_that_replaces_the_note_meanwhile_loses_nothing(
    world: World, system: FaultyOs
) -> None:
    world.write(TODAY, "- old\n")
    done: list[bool] = []

    def replace_note() -> None:
        if not done:
            done.append(True)
            world.write("memory/new", "- edited\n")
            (world.folder / "memory/new").rename(world.folder / TODAY)

    system.before_write = replace_note
    async with world.open() as opened:
        answer = await opened.writer.append(OWNER, text="- x")
    assert world.read(TODAY) == "- edited\n- x\n"
    assert answer.start_line == 2


async def test_equal_texts_that_were_spooled_are_written_as_often_as_they_were_accepted(
    world: World, system: FaultyOs
) -> None:
    system.room = 0
    async with world.open() as opened:
        for _ in range(3):
            assert (await opened.writer.append(OWNER, text="- same")).spooled
    system.heal()
    async with world.open():
        pass
    async with world.open():
        pass
    assert world.read(TODAY) == HEADER + "- same\n" * 3


async def test_an_equal_text_that_was_written_first_is_not_taken_for_the_one_that_waits(
    world: World, system: FaultyOs
) -> None:
    system.room = 0
    async with world.open() as opened:
        for _ in range(2):
            await opened.writer.append(OWNER, text="- same")
        system.room = len(HEADER) + len("- same\n")
        await opened.writer.reconcile()
        assert opened.rows("SELECT state FROM appends ORDER BY id") == [("written",), ("spooled",)]
    system.heal()
    async with world.open():
        pass
    assert world.read(TODAY) == HEADER + "- same\n" * 2


async def test_an_older_equal_line_is_not_taken_for_a_text_that_was_never_tried(
    world: World, system: FaultyOs
) -> None:
    world.write(TODAY, "- same\n")
    system.faults = {"open": PermissionError(errno.EACCES, "made to fail")}
    async with world.open() as opened:
        assert (await opened.writer.append(OWNER, text="- same")).spooled
    system.heal()
    async with world.open():
        pass
    assert world.read(TODAY) == "- same\n- same\n"


async def test_an_obstacle_that_comes_later_keeps_the_text_waiting(world: World, system: FaultyOs) -> None:
    system.room = 0
    async with world.open() as opened:
        await opened.writer.append(OWNER, text="- x")
        (world.folder / TODAY).unlink()
        (world.folder / TODAY).symlink_to(world.base / "elsewhere")
        system.heal()
        await opened.writer.reconcile()
        assert opened.rows("SELECT state, reason FROM appends") == [("spooled", "symlink")]
        (world.folder / TODAY).unlink()
        await opened.writer.reconcile()
    assert world.read(TODAY) == HEADER + "- x\n"
    assert not (world.base / "elsewhere").exists()


async def test_spooled_texts_are_tried_again_at_growing_intervals(
    world: World, system: FaultyOs, mock_clock: MockClock
) -> None:
    tries: list[float] = []
    system.before_write = lambda: tries.append(mock_clock.current_time())
    system.room = 0

    async def pass_time(opened: Open, seconds: float) -> int:
        """How many tries the time brings; the clock moves only while no thread is at work."""
        before = len(tries)
        for _ in range(round(seconds)):
            mock_clock.jump(1)
            await wait_all_tasks_blocked()
            while opened.writer._ahead.turn.locked():
                await trio.lowlevel.checkpoint()
            await wait_all_tasks_blocked()
        return len(tries) - before

    async with world.open() as opened, trio.open_nursery() as nursery:
        nursery.start_soon(opened.writer.replay)
        await opened.writer.append(OWNER, text="- x")
        await wait_all_tasks_blocked()
        for interval in (1, 2, 4, 8, 16, 32, 60, 60):
            assert await pass_time(opened, interval - 1) == 0
            assert await pass_time(opened, 1) == 1
        system.heal()
        await pass_time(opened, 60)
        assert opened.writer.waiting == 0
        assert world.read(TODAY) == HEADER + "- x\n"

        system.room = 0
        await opened.writer.append(OWNER, text="- y")
        await wait_all_tasks_blocked()
        system.heal()
        await pass_time(opened, 1)
        assert opened.writer.waiting == 0
        nursery.cancel_scope.cancel()


async def test_a_text_that_was_taken_out_while_it_waited_is_not_waited_for(
    world: World, system: FaultyOs, mock_clock: MockClock
) -> None:
    async with world.open() as opened, trio.open_nursery() as nursery:
        nursery.start_soon(opened.writer.replay)
        system.room = 0
        await opened.writer.append(OWNER, text="- x")
        await opened.writer.append(GUEST, text="- y")
        await opened.state.write(partial(replace_waiting, append_id=1, text="", text_hash=""))
        system.heal()
        await wait_all_tasks_blocked()
        mock_clock.jump(FIRST_RETRY_S)
        await wait_all_tasks_blocked()
        while opened.writer._ahead.turn.locked():
            await trio.lowlevel.checkpoint()
        assert opened.writer.waiting == 0
        nursery.cancel_scope.cancel()
    assert world.files() == {TODAY: "", OUTSIDE: OUTSIDE_HEADER + "- y\n"}


@pytest.mark.parametrize("limits", [NoteLimits(spool_texts=2), NoteLimits(spool_bytes=11)])
async def test_a_full_spool_refuses_and_keeps_what_it_has(
    world: World, system: FaultyOs, limits: NoteLimits
) -> None:
    world.limits = limits
    system.room = 0
    async with world.open() as opened:
        for number in range(2):
            assert (await opened.writer.append(OWNER, text=f"- {number}")).spooled
        with pytest.raises(UnavailableError) as refused:
            await opened.writer.append(OWNER, text="- one too many")
        assert refused.value.reason == "spool_full"
        system.heal()
        await opened.writer.reconcile()
        await opened.writer.append(OWNER, text="- 2")
    assert world.read(TODAY) == HEADER + "- 0\n- 1\n- 2\n"


async def test_outside_text_takes_no_room_of_what_is_trusted(world: World, system: FaultyOs) -> None:
    world.limits = NoteLimits(spool_texts=2)
    system.room = 0
    async with world.open() as opened:
        for caller in (GUEST, GUEST, OWNER, OWNER):
            assert (await opened.writer.append(caller, text="- x")).spooled
        for caller in (GUEST, OWNER):
            with pytest.raises(UnavailableError):
                await opened.writer.append(caller, text="- y")


async def test_a_workspace_that_was_taken_away_gets_the_text_when_it_is_back(world: World) -> None:
    async with world.open() as opened:
        world.folder.rmdir()
        assert (await opened.writer.append(OWNER, text="- x")).spooled
        opened.roots.refresh()
        assert (await opened.writer.append(OWNER, text="- y")).spooled
        world.folder.mkdir()
        opened.roots.refresh()
        assert not (await opened.writer.append(OWNER, text="- z")).spooled
    assert world.read(TODAY) == HEADER + "- x\n- y\n- z\n"


async def test_a_ledger_that_cannot_be_written_accepts_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise apsw.FullError("made to fail")

    async with world.open() as opened:
        monkeypatch.setattr(appends, "_add_texts", fail)
        with pytest.raises(UnavailableError) as refused:
            await opened.writer.append(OWNER, text="- x")
    assert refused.value.reason == "disk_full"
    assert world.files() == {}


@pytest.mark.parametrize("error", [apsw.FullError, apsw.ReadOnlyError, apsw.CorruptError])
async def test_a_text_that_cannot_be_marked_is_told_of_and_not_written_again(
    world: World, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise error("made to fail")

    async with world.open() as opened:
        with monkeypatch.context() as patched:
            patched.setattr(appends, "mark_written", fail)
            done = await opened.writer.append(OWNER, text="- x")
            assert (done.spooled, done.start_line) == (False, 3)
            same = await opened.writer.append(OWNER, text="- x")
            assert same.spooled
        await opened.writer.append(OWNER, text="- y")
        assert opened.writer.waiting == 0
    assert world.read(TODAY) == HEADER + "- x\n- x\n- y\n"


KILLS = [
    ("commit", "add", False),
    ("os", "open", False),
    ("os", "open", True),
    ("os", "mkdir", True),
    ("os", "write", False),
    ("os", "write", True),
    ("os", "fsync", False),
    ("os", "fsync", True),
    ("commit", "mark", False),
    ("commit", "mark", True),
]


@pytest.mark.parametrize(("where", "step", "after"), KILLS)
@pytest.mark.parametrize("most", [None, 5])
async def test_an_end_at_any_step_leaves_each_accepted_text_once(
    *,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    system: FaultyOs,
    where: str,
    step: str,
    after: bool,
    most: int | None,
) -> None:
    def ended(work: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            if after:
                work(*given, **named)
            raise Killed

        return call

    with monkeypatch.context() as patched, pytest.raises(Killed):  # noqa: PT012
        async with world.open() as opened:
            if where == "os":
                system.faults, system.after, system.most_bytes = {step: Killed()}, after, most
            elif step == "add":
                patched.setattr(appends, "_add_texts", ended(appends._add_texts))
            else:
                patched.setattr(appends, "mark_written", ended(appends.mark_written))
            await opened.writer.append(GUEST, text=TEXT, request_key="k")
    system.heal()
    async with world.open() as opened:
        accepted = opened.rows("SELECT state FROM appends")
        again = await opened.writer.append(GUEST, text=TEXT, request_key="k")
        assert again.repeated is bool(accepted)
    assert world.read(OUTSIDE) == OUTSIDE_HEADER + TEXT_ENTRY


def lines_of(data: bytes, text: bytes) -> int:
    """How often ``text`` stands in ``data`` from the start of a line."""
    return (b"\n" + data).count(b"\n" + text) if text else 0


ACTIONS = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 2)),
    st.tuples(st.just("outside"), st.sampled_from([b"- out\n", b"torn", "ü\r\n".encode(), b"- same 0\n"])),
    st.tuples(st.just("room"), st.integers(0, 90)),
    st.tuples(st.just("heal"), st.just(0)),
    st.tuples(st.just("fail"), st.sampled_from(["open", "fsync", "write"])),
    st.tuples(st.just("kill"), st.sampled_from(["open", "fsync", "write"])),
    st.tuples(st.just("restart"), st.just(0)),
)


@given(st.lists(ACTIONS, max_size=14))
def test_old_bytes_are_a_prefix_and_each_accepted_text_is_there_once(
    actions: list[tuple[str, Any]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        system = FaultyOs()
        patched.setattr(notes, "os", system)
        trio.run(_live, World(Path(folder)), system, actions)


async def _live(world: World, system: FaultyOs, actions: list[tuple[str, Any]]) -> None:
    accepted: list[str] = []
    outside = 0
    before = b""
    number = 0
    pending = list(actions)
    note = world.folder / TODAY

    def check() -> None:
        nonlocal before
        now = note.read_bytes() if note.exists() else b""
        assert now.startswith(before)
        before = now

    while True:
        try:
            async with world.open() as opened:
                check()
                while pending:
                    action, value = pending.pop(0)
                    match action:
                        case "append":
                            number += 1
                            text = f"- text {number} of {value}\n  and more"
                            known = len(opened.rows("SELECT id FROM appends"))
                            try:
                                await opened.writer.append(OWNER, text=text)
                            finally:
                                if len(opened.rows("SELECT id FROM appends")) > known:
                                    accepted.append(text)
                                check()
                        case "outside":
                            note.parent.mkdir(exist_ok=True)
                            with note.open("ab") as file:
                                file.write(value)
                            outside += 1
                        case "room":
                            system.heal()
                            system.room = value
                        case "heal":
                            system.heal()
                        case "fail":
                            system.faults[value] = OSError(errno.EIO, "made to fail")
                        case "kill":
                            system.faults[value] = Killed()
                        case _:
                            break
                    check()
                else:
                    break
        except Killed:
            check()
            system.heal()
    system.heal()
    async with world.open() as opened:
        assert opened.writer.waiting == 0
        check()
    for text in accepted:
        assert lines_of(before, text.encode() + b"\n") == 1


async def test_one_note_that_fails_holds_up_no_other(world: World, system: FaultyOs) -> None:
    async with world.open() as opened:
        system.room = 0
        await opened.writer.append(OWNER, text="- x")
        system.heal()
        (world.folder / TODAY).unlink()
        (world.folder / TODAY).mkdir()
        done = await opened.writer.append(GUEST, text="- y")
        assert not done.spooled
        assert opened.writer.waiting == 1


async def test_a_damaged_ledger_is_no_answer_that_something_was_accepted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise apsw.CorruptError("made to fail")

    monkeypatch.setattr(appends, "_add_texts", fail)
    async with world.open() as opened:
        with pytest.raises(DamagedError):
            await opened.writer.append(Caller(), text="- x")
    assert world.files() == {}
