"""What is not kept of sessions is not remembered for ever either."""

from datetime import datetime, timedelta, timezone

import pytest

from openclaw_memd.index import ledger_pruning
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger_pruning import LedgerPruning
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.sessions.messages import Message, Role
from openclaw_memd.sessions.outcomes import EndReason
from tests.sessions.worlds import START, World, assistant, caller, tool, user


async def ids(world: World) -> list[str]:
    def read(connection: object) -> list[str]:
        rows = connection.execute("SELECT id FROM session_messages ORDER BY session, seq")  # type: ignore[attr-defined]
        return [id_ for (id_,) in rows]

    return await world.store.read(read)


async def prune(world: World) -> None:
    await LedgerPruning(world.store, world.clock).prune()


@pytest.mark.parametrize("found", [1, 1_000])
async def test_messages_of_which_nothing_is_kept_are_known_for_thirty_days(
    world: World, monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    monkeypatch.setattr(ledger_pruning, "FOUND_ROWS", found)
    await world.sessions.append(caller(), [user("1"), tool("2"), tool("3"), assistant("4"), tool("5")])
    await world.sessions.append(caller("s2"), [tool("1"), tool("2")])
    world.clock.move(days=30)
    await prune(world)
    assert await ids(world) == ["1", "2", "3", "4", "5", "1", "2"]
    world.clock.move(seconds=1)
    await prune(world)
    assert await ids(world) == ["1", "4", "5", "2"]
    before = await world.text("sessions/main/s1")
    again = await world.sessions.append(caller(), [user("1"), assistant("4"), tool("5"), user("6", "new")])
    assert [skip.id for skip in again.skipped] == ["1", "4", "5"]
    assert (await world.text("sessions/main/s1")).startswith(before)


async def test_archived_sessions_cost_a_look_at_documents_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("s1", "s2", "s3"):
        await world.sessions.append(caller(name), [user("1")])
    for name in ("s1", "s2"):
        await world.sessions.end(caller(name), EndReason.NEW)
    await world.sessions.append(caller("s4"), [tool("1")])
    shown: list[str] = []
    show = KnownSessions.show

    def counted(self: KnownSessions, session: object) -> object:
        shown.append(session.session_id)  # type: ignore[attr-defined]
        return show(self, session)  # type: ignore[arg-type]

    monkeypatch.setattr(KnownSessions, "show", counted)
    assert await world.paths() == ["sessions/main/s3"]
    assert shown == ["s3"]


async def test_instants_are_stored_so_that_they_sort(world: World) -> None:
    east, west = timezone(timedelta(hours=9)), timezone(-timedelta(hours=9))
    instants = [
        START - timedelta(hours=1),
        (START - timedelta(minutes=59)).astimezone(east),
        (START - timedelta(minutes=58, microseconds=-1)).astimezone(west),
        START - timedelta(minutes=57, microseconds=1),
    ]
    messages = [Message(str(number), Role.USER, "x", at=at) for number, at in enumerate(instants)]
    await world.sessions.append(caller(), messages)
    query = (
        "SELECT at FROM session_messages UNION SELECT last_at FROM session_parts"
        " UNION SELECT created_at FROM sessions UNION SELECT last_at FROM sessions"
    )
    stamps = await world.store.read(lambda connection: [at for (at,) in connection.execute(query)])
    assert all(stamp == to_stamp(from_stamp(stamp)) for stamp in stamps)
    assert len({len(stamp) for stamp in stamps}) == 1
    assert sorted(stamps) == [to_stamp(at) for at in sorted(datetime.fromisoformat(at) for at in stamps)]
