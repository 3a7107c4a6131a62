"""Midnight and another zone, on a real daemon: the day of a note is the day in the configured zone."""

import struct
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder
from tests.faults.disks import small_disk
from tests.faults.late_clock import AHEAD, CLOCK_AHEAD
from tests.notes.worlds import OWNER as OWNER_CALLER
from tests.notes.worlds import World

FIRST = "Pacific/Kiritimati"  # UTC+14
LAST = "Etc/GMT+12"  # UTC-12: never the same date
DAY_S = 86_400
OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}

pytestmark = pytest.mark.fault


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


def make_zone(folder: Path, name: str, offset_s: int) -> None:
    """A zone file with this offset from UTC (RFC 9636, version 1)."""
    header = struct.pack(">4s c 15x 6l", b"TZif", b"\0", 0, 0, 0, 0, 1, 4)
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(header + struct.pack(">lbb", offset_s, 0, 0) + b"TST\0")


def before_midnight(folder: Path, inside: tuple[str, ...] = ()) -> RunningDaemon:
    """A daemon, to be started, in a zone whose midnight is half an hour away."""
    now = datetime.now(UTC)
    before_s = AHEAD.seconds // 2
    since_midnight_s = now.hour * 3600 + now.minute * 60 + now.second
    offset_s = (DAY_S - before_s - since_midnight_s + DAY_S // 2) % DAY_S - DAY_S // 2
    make_zone(folder, "Test/Near", offset_s)
    env = PATIENT | {
        "PYTHONTZPATH": str(folder),
        "MEMD_TIME__ZONE": "Test/Near",
        CLOCK_AHEAD: str(folder / "ahead"),
    }
    return RunningDaemon(folder, env=env, command=(*inside, sys.executable, "-m", "tests.faults.late_clock"))


def pass_midnight(daemon: RunningDaemon) -> None:
    """Set the daemon's clock forward."""
    Path(daemon.env[CLOCK_AHEAD]).touch()


def append(daemon: RunningDaemon, text: str) -> str:
    path: str = daemon.call("note.append", context=OWNER, text=text)["path"]
    return path


def day_of(path: str) -> date:
    return date.fromisoformat(path.removeprefix("memory/").removesuffix(".md"))


@pytest.mark.slow
def test_another_zone_after_a_kill_names_another_day_and_a_flush_keeps_its_own(folder: Path) -> None:
    daemon = RunningDaemon(folder, env=PATIENT | {"MEMD_TIME__ZONE": FIRST})
    with daemon:
        plan = daemon.call("flush.plan", context=OWNER, projected_tokens=180_000, cycle_id="1")
        first = append(daemon, "- firstword")
        daemon.kill()
    assert plan["due"]
    daemon = RunningDaemon(folder, env=PATIENT | {"MEMD_TIME__ZONE": LAST})
    with daemon:
        last = append(daemon, "- lastword")
        flushed = daemon.call("flush.append", context=OWNER, text="- flushedword", cycle_id="1")
        daemon.settle()

        assert day_of(first) - day_of(last) >= timedelta(days=1)
        assert flushed["path"] == plan["path"] == first
        text = (daemon.workspace / first).read_text(encoding="utf-8")
        assert text == f"# {day_of(first)} ({FIRST})\n\n- firstword\n- flushedword\n"
        text = (daemon.workspace / last).read_text(encoding="utf-8")
        assert text == f"# {day_of(last)} ({LAST})\n\n- lastword\n"
        assert daemon.search_paths("lastword") == [last]


@pytest.mark.slow
def test_midnight_passes_while_it_runs(folder: Path) -> None:
    with before_midnight(folder) as daemon:
        first = append(daemon, "- firstword")
        plan = daemon.call("flush.plan", context=OWNER, projected_tokens=180_000, cycle_id="1")
        assert plan["path"] == first
        others = [append(daemon, f"- number{number}") for number in range(3)]
        pass_midnight(daemon)
        last = append(daemon, f"- number{len(others)}")
        flushed = daemon.call("flush.append", context=OWNER, text="- flushedword", cycle_id="1")
        daemon.settle()

        assert set(others) == {first}
        assert day_of(last) - day_of(first) == timedelta(days=1)
        assert flushed["path"] == first
        bullets = "".join(f"- number{number}\n" for number in range(len(others)))
        text = (daemon.workspace / first).read_text(encoding="utf-8")
        assert text == f"# {day_of(first)} (Test/Near)\n\n- firstword\n{bullets}- flushedword\n"
        text = (daemon.workspace / last).read_text(encoding="utf-8")
        assert text == f"# {day_of(last)} (Test/Near)\n\n- number{len(others)}\n"


@pytest.mark.slow
def test_a_text_that_waits_over_midnight_goes_to_the_day_it_was_said(folder: Path) -> None:
    with small_disk(folder / "ws") as disk, before_midnight(folder, disk.inside) as daemon:
        first = append(daemon, "- firstword")
        disk.protect("memory")
        waiting = daemon.call("note.append", context=OWNER, text="- waitingword")
        assert (waiting["path"], waiting["spooled"]) == (first, True)
        said = [append(daemon, f"- number{number}") for number in range(3)]
        assert set(said) == {first}
        pass_midnight(daemon)
        said.append(append(daemon, f"- number{len(said)}"))
        daemon.kill()
        daemon.start()
        disk.release("memory")
        daemon.wait_until(lambda: bool(daemon.agent()["spool"]["items"] == 0))

        bullets = "".join(f"- number{number}\n" for number in range(len(said) - 1))
        text = (disk.seen / first).read_text(encoding="utf-8")
        assert text == f"# {day_of(first)} (Test/Near)\n\n- firstword\n- waitingword\n{bullets}"
        text = (disk.seen / said[-1]).read_text(encoding="utf-8")
        assert text == f"# {day_of(said[-1])} (Test/Near)\n\n- number{len(said) - 1}\n"


async def test_a_clock_that_is_set_back_repeats_no_write(tmp_path: Path) -> None:
    """No real daemon: its clock cannot be set."""
    world = World(tmp_path)
    async with world.open() as opened:
        first = await opened.writer.append(OWNER_CALLER, text="- firstword", request_key="k")
        world.clock.forward(days=-2)
    async with world.open() as opened:
        again = await opened.writer.append(OWNER_CALLER, text="- firstword", request_key="k")
        other = await opened.writer.append(OWNER_CALLER, text="- otherword", request_key="other")
        world.clock.forward(days=2)
        last = await opened.writer.append(OWNER_CALLER, text="- otherword", request_key="other")

    assert (again.repeated, again.path) == (True, first.path)
    assert day_of(first.path) - day_of(other.path) == timedelta(days=2)
    assert (last.repeated, last.path) == (False, first.path), "a key holds for a day"
    assert {path: text.count("- ") for path, text in world.files().items()} == {first.path: 2, other.path: 1}
