"""kill -9 of a real daemon at each named point: of every flow, before and after its steps."""

import os
import random
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.counts import tell
from tests.crash.batches import KILLS, SEED
from tests.crash.points import KILL_AT, POINTS, Point
from tests.crash.scenes import SCENES
from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, DaemonError, RunningDaemon, short_folder
from tests.privacy.providers import remote_provider

ALL_FROM = 20
"""From so many kills on all points are tried: they take a second or two each."""

pytestmark = pytest.mark.crash


def quick_points() -> Sequence[Point]:
    """One of an append, of a rewrite, of a swap."""
    chosen = {"append:files.notes.append_note:after", "curated:files.exchange._swap:after"}
    return [
        point for point in POINTS if str(point) in chosen | {"rebuild:index.rebuilding._take_place:after"}
    ]


def test_a_kill_at_any_point_loses_doubles_and_tears_nothing() -> None:
    kill_at_each(POINTS if KILLS >= ALL_FROM else quick_points())


def kill_at_each(points: Sequence[Point]) -> None:
    only = os.environ.get("MEMD_CRASH_POINTS", "")
    points = [point for point in points if only in str(point)]
    rng = random.Random(SEED)
    failed: list[str] = []
    order = rng.sample(points, len(points))
    with short_folder() as folder, remote_provider() as provider:
        arm = folder / "point"
        env = PATIENT | {
            KILL_AT: str(arm),
            "MEMD_EMBEDDING__PROVIDER": "openai",
            "MEMD_EMBEDDING__BASE_URL": provider.url,
            "MEMD_EMBEDDING__MODEL": "fake",
        }
        daemon = RunningDaemon(folder, env=env, command=(sys.executable, "-m", "tests.crash.points"))
        try:
            daemon.start()
            for point in order:
                began_at = time.monotonic()
                scene = SCENES[point.flow](daemon, rng)
                scene.prepare()
                arm.write_text(str(point))
                scene.cut()
                assert_killed(daemon, point)
                arm.unlink()
                assert_sound(daemon, folder / "copy")
                daemon.start()
                try:
                    scene.check()
                except (AssertionError, DaemonError) as error:
                    failed.append(f"{point}: {traceback.format_exception(error)[-2:]}")
                print(f"{time.monotonic() - began_at:.1f} s {point}", flush=True)
        finally:
            daemon.stop()
    assert not failed, "\n".join(failed)
    tell("points", f"{len(order)} kills, 0 lost, doubled, torn or corrupt")


def assert_killed(daemon: RunningDaemon, point: Point) -> None:
    assert daemon.process is not None
    assert daemon.process.wait(timeout=LIMIT_S) == -signal.SIGKILL, (point, daemon.read_log())


def assert_sound(daemon: RunningDaemon, copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(daemon.state_folder(), copy)
    for database in copy.glob("*.db"):
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], database.name


def test_every_flow_has_points() -> None:
    assert len(quick_points()) == 3
    assert {point.flow for point in POINTS} == set(SCENES)
    assert len({str(point) for point in POINTS}) == len(POINTS)
