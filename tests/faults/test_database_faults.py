"""Every write, sync and truncate of every database fails in turn, once and for ever, in whatever is done.

``MEMD_FAULT_PLACES`` says how many of them fail, spread over a flow; 0 is for all.
"""

import os
from collections.abc import Iterator, Sequence

import apsw
import pytest
from trio.testing import MockClock

from openclaw_memd.errors import UnavailableError
from tests.counts import tell
from tests.dreaming.worlds import World
from tests.faults.flows import CASES, Flow, NightError, Nights
from tests.faults.memories import Place, new_place
from tests.index.faulty_disk import FaultyDisk, faulty_disk

PLACES = int(os.environ.get("MEMD_FAULT_PLACES", "2"))
NEVER = 1_000_000
NO_REASON = "told in its report"
REASONS = {apsw.IOError: "disk_error", apsw.FullError: "disk_full"}

pytestmark = pytest.mark.fault


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    with faulty_disk() as made:
        yield made


@pytest.mark.parametrize(
    "lasting", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["once", "for_ever"]
)
@pytest.mark.parametrize(
    ("kind", "database"), CASES, ids=[f"{kind.__name__}-{database}" for kind, database in CASES]
)
async def test_a_fault_anywhere_harms_nothing_that_was_accepted(
    disk: FaultyDisk, mock_clock: MockClock, kind: type[Flow], database: str, *, lasting: bool
) -> None:
    flow = kind()
    mock_clock.rate = kind.pace
    error = apsw.FullError if lasting else apsw.IOError
    failures = 0
    with new_place() as place:
        count = await operations(flow, place, disk, database)
        assert count, "it writes to this database"
        for turn, at in enumerate(spread(count), start=1):
            async with place.open() as world:
                await flow.prepare(world, turn)
                disk.arm(at, lasting=lasting, error=error, only=database)
                refusal = await attempt(flow, world, turn)
                if refusal is not None:
                    assert disk.failures
                    assert refusal in (REASONS[error], NO_REASON)
                failures += disk.failures
                place.assert_sound()
                disk.disarm()  # before it is closed: apsw raises there what SQLite only notes
            async with place.open() as world:
                assert world.memory.warnings == []
                await flow.check(world)
            place.assert_sound()
    assert failures
    how = "for ever" if lasting else "once"
    tell("disk faults", f"{kind.__name__} {database} {how}: {failures} in {turn} calls, 0 corrupt, 0 lost")


async def attempt(flow: Flow, world: World, turn: int) -> str | None:
    """Do it; the reason of a refusal."""
    try:
        await flow.act(world, turn)
    except UnavailableError as refused:
        flow.refused.append(turn)
        return refused.reason
    except NightError:
        flow.refused.append(turn)
        return NO_REASON
    flow.accepted.append(turn)
    return None


async def operations(flow: Flow, place: Place, disk: FaultyDisk, database: str) -> int:
    """How many operations a turn takes on the database when none fails."""
    async with place.open() as world:
        await flow.prepare(world, 0)
        disk.arm(NEVER, only=database)
        await flow.act(world, 0)
        flow.accepted.append(0)
        count = disk.operations
        disk.disarm()
    async with place.open() as world:
        await flow.check(world)
    return count


def spread(count: int) -> Sequence[int]:
    """Places from the first to the last; later turns may take some operations more or less."""
    if not PLACES or count <= PLACES:
        return range(1, count + 1)
    return sorted({1 + round(number * (count - 1) / (PLACES - 1)) for number in range(PLACES)})


def test_the_flows_reach_every_database() -> None:
    assert {database for _, database in CASES} == {"state.db", "index-1.db", "vectors.db"}
    assert Nights in {kind for kind, _ in CASES}
