"""What was accepted is there once, whatever ends the process or the call."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.session_rows import SessionKey
from tests.sessions.worlds import World, assistant, caller, open_world, tool, user

PATH = "sessions/main/s1"
ROUNDS = 8

CHILD = """
import sys
from pathlib import Path
import trio
from tests.sessions.worlds import caller, open_world, user

async def main():
    async with open_world(Path(sys.argv[1])) as world:
        number = sum(summary.messages for summary in world.sessions.list())
        while True:
            await world.sessions.append(caller(), [user(str(n), f"number {n}") for n in (number, number + 1)])
            number += 2
            print(number, flush=True)

trio.run(main)
"""


@pytest.mark.slow
@pytest.mark.crash
def test_a_kill_at_any_moment_loses_and_doubles_nothing(tmp_path: Path) -> None:
    accepted = 0
    for round_ in range(ROUNDS):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        assert child.stdout is not None
        for _ in range(3 + round_):
            accepted = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        accepted = int(rest[-1]) if rest else accepted

    async def look() -> None:
        async with open_world(tmp_path) as world:
            lines = (await world.text(PATH)).split("\n")
            assert lines == [f"User: number {number}" for number in range(len(lines))]
            assert len(lines) >= accepted
            assert len(lines) % 2 == 0

    trio.run(look)


class BrokenError(Exception):
    pass


def fail(_connection: apsw.Connection) -> None:
    raise BrokenError


async def test_a_call_that_fails_changes_neither_the_ledger_nor_what_is_known(world: World) -> None:
    await world.sessions.ingest(caller(), [user("1", "one")])
    before = world.sessions.list()
    with pytest.raises(BrokenError):
        await world.sessions.ingest(caller(), [user("2", "two"), tool("3", network=True)], fail)
    with pytest.raises(BrokenError):
        await world.sessions.remove(SessionKey("main", "s1"), fail)
    assert world.sessions.list() == before
    assert not world.sessions.turns.taint().is_now
    assert await world.text(PATH) == "User: one"
    assert (await world.sessions.append(caller(), [user("2", "two")])).accepted == 1


async def test_what_else_is_to_be_stored_is_stored_in_the_same_transaction(world: World) -> None:
    await world.store.write(lambda connection: connection.execute("CREATE TABLE cursors (at)").fetchall())

    def note(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO cursors VALUES (7)")

    await world.sessions.ingest(caller(), [user("1")], note)
    await world.sessions.ingest(caller(), [user("1")], note)
    await world.sessions.ingest(caller(), [], note)
    await world.sessions.remove(SessionKey("main", "s1"), note)
    rows = await world.store.read(lambda connection: connection.execute("SELECT at FROM cursors").fetchall())
    assert len(rows) == 4


async def test_a_transcript_that_is_made_anew_leaves_nothing_of_what_was_before(world: World) -> None:
    await world.sessions.ingest(caller(), [user("1", "old"), tool("2", network=True)])
    (before,) = await world.listed()
    with pytest.raises(BrokenError):
        await world.sessions.ingest(caller(), [user("1", "new")], fail, anew=True)
    assert await world.text(PATH) == "User: old"

    await world.sessions.ingest(caller(), [user("1", "new")], anew=True)
    (after,) = await world.listed()
    assert await world.text(PATH) == "User: new"
    assert after.stamp != before.stamp
    assert world.sessions.list()[0].messages == 1

    await world.sessions.ingest(caller(), [], anew=True)
    assert world.sessions.list() == ()
    assert world.hints[-1] == frozenset({PATH})


async def test_a_call_that_is_cancelled_is_done_or_not_and_known_as_it_is(world: World) -> None:
    messages = [user(str(number)) for number in range(300)]
    for number in range(0, 300, 3):
        with trio.move_on_after(0.0005 * (number % 7)):
            await world.sessions.append(caller(), messages[number : number + 3])
    known = sum(summary.messages for summary in world.sessions.list())
    await world.sessions.load()
    assert sum(summary.messages for summary in world.sessions.list()) == known
    assert known % 3 == 0
    for number in range(0, 300, 3):
        await world.sessions.append(caller(), messages[number : number + 3])
    (summary,) = world.sessions.list()
    assert summary.messages == 300


async def test_calls_at_once_come_one_after_another(world: World) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(50):
            batch = [user(f"u{number}", f"question {number}"), assistant(f"a{number}", f"answer {number}")]
            nursery.start_soon(world.sessions.append, caller(f"s{number % 2}"), batch)
    for name in ("s0", "s1"):
        lines = (await world.text(f"sessions/main/{name}")).split("\n")
        asked = [line.split()[-1] for line in lines[::2]]
        assert asked == [line.split()[-1] for line in lines[1::2]]
        assert len(set(asked)) == 25


async def test_a_short_message_does_not_overtake_a_long_one(world: World) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(world.sessions.append, caller(), [user("1", "first " * 10_000)])
        await wait_all_tasks_blocked()
        nursery.start_soon(world.sessions.append, caller(), [user("2", "second")])
    lines = (await world.text(PATH)).split("\n")
    assert lines[0].startswith("User: first first")
    assert lines[-1] == "User: second"


async def test_a_ledger_that_cannot_be_written_takes_nothing_in(world: World) -> None:
    await world.sessions.append(caller(), [user("1")])
    await world.store.maintain(lambda writer: writer.pragma("query_only", "on"))
    with pytest.raises(UnavailableError):
        await world.sessions.append(caller(), [user("2"), tool("3", network=True)])
    with pytest.raises(UnavailableError):
        await world.sessions.end(caller())
    assert not world.sessions.turns.taint().is_now
    await world.store.maintain(lambda writer: writer.pragma("query_only", "off"))
    assert (await world.sessions.append(caller(), [user("2")])).accepted == 1


async def test_what_is_removed_is_gone_from_every_table(world: World) -> None:
    await world.sessions.ingest(caller("s1"), [user("1", "xyzzy")])
    await world.sessions.append(caller("s2"), [user("1", "stays")])
    for name in ("s1", "s2", "nobody"):  # the host told what was said in s2, which is not a transcript's
        await world.sessions.remove(SessionKey("main", name))
    tables = ("sessions", "session_places", "session_messages", "session_texts", "session_parts")

    def count(connection: apsw.Connection) -> list[int]:
        return [connection.execute(f"SELECT count(*) FROM {table}").get for table in tables]

    assert await world.store.read(count) == [1] * 5
    await world.store.checkpoint()
    assert b"xyzzy" not in world.store.path.read_bytes()


async def test_many_messages_of_many_sessions_are_read_at_the_start(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for number in range(200):
            await world.sessions.append(caller(f"s{number}"), [user("1"), assistant("2")])
        listed = world.sessions.list(limit=1_000)
    async with open_world(tmp_path) as world:
        assert world.sessions.list(limit=1_000) == listed
        assert len(listed) == 200
        first = world.sessions.list(limit=150)
        rest = world.sessions.list(after=SessionKey(first[-1].agent, first[-1].session_id))
        assert (*first, *rest) == listed
        assert world.sessions.list("other") == ()
