"""What waits to be recorded."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Channel
from openclaw_memd.domain.provenance import Origin, SessionKind, Source
from openclaw_memd.dreaming import recalls as module
from openclaw_memd.dreaming import signals
from openclaw_memd.dreaming.recalls import MOST_WAITING, OPERATOR, Recalls
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.recall.types import GetAnswer
from openclaw_memd.sessions.known import KnownSessions
from tests.dreaming.worlds import OWNER, open_world, record_recall, session
from tests.gateway.fakes import HIT

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)
DAY = date(2026, 1, 11)
WEB = replace(HIT, origin=Origin.UNTRUSTED)


@pytest.fixture
def recalls() -> Recalls:
    return Recalls(KnownSessions(AdmissionRules()))


def test_there_is_room_for_so_many_and_outside_hits_give_way(recalls: Recalls) -> None:
    for number in range(MOST_WAITING):
        recalls.hear(None, f"question {number}", [WEB], day=DAY, at=AT)
    assert not recalls.hear(None, "more", [WEB], day=DAY, at=AT)
    assert recalls.lost == 0
    assert recalls.hear(None, "mine", [WEB, HIT], day=DAY, at=AT)
    heard = recalls.take(MOST_WAITING)
    assert len(heard) == MOST_WAITING // 2 + 1
    assert len(heard[-1].shown) == 1
    for number in range(MOST_WAITING + 3):
        recalls.hear(None, f"question {number}", [HIT], day=DAY, at=AT)
    assert recalls.lost == 3


def test_what_could_not_be_recorded_comes_first_again(recalls: Recalls) -> None:
    for question in ("one", "two", "three"):
        recalls.hear(None, question, [HIT], day=DAY, at=AT)
    taken = recalls.take(2)
    recalls.put_back(taken)
    assert [one.question for one in recalls.take(9)] == ["one", "two", "three"]


def test_imports_and_other_folders_are_no_memory_of_days(recalls: Recalls) -> None:
    for source in (Source.IMPORTS, Source.EXTRA):
        assert not recalls.hear(None, "q", [replace(HIT, source=source)], day=DAY, at=AT)


def test_a_call_without_context_is_the_operators_and_a_channel_is_a_session(recalls: Recalls) -> None:
    assert recalls.session_of(None) == OPERATOR
    channel = Channel("chat", None, "c1")
    found = recalls.session_of(replace(OWNER, session_id=None, channel=channel))
    assert found is not None
    assert found != recalls.session_of(replace(OWNER, session_id=None, channel=Channel("chat", None, "c2")))


def test_a_channel_of_a_scheduled_run_is_none(recalls: Recalls) -> None:
    caller = replace(OWNER, session_id=None, channel=Channel("chat", None, "c1"))
    assert recalls.session_of(replace(caller, session_kind=SessionKind.CRON)) is None
    assert recalls.session_of(replace(caller, session_kind=SessionKind.UNKNOWN)) is None


def test_the_last_question_of_few_sessions_is_known(
    recalls: Recalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ASKING", 2)
    for name in ("one", "two", "three"):
        recalls.hear(session(name), "q", [HIT], day=DAY, at=AT)
    answer = GetAnswer("ok", HIT.path, "text", 1, 4, 9)
    heard = [recalls.hear_get(session(name), answer, day=DAY, at=AT) for name in ("one", "two", "three")]
    assert heard == [False, True, True]


async def test_what_is_near_by_meaning_alone_is_credited_by_its_line() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The key is with Ana.\n- The boiler is grey.\n")
        (hit,) = await world.hits("key")
        near = replace(hit, text_score=None, vector_score=0.9, best_line=2)
        await record_recall(world.signals, OWNER, "what colour has the heating?", [near])
        assert list(await world.candidates()) == ["The boiler is grey."]


async def test_a_hit_credits_claims_of_its_own_trust_alone() -> None:
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The key is with Ana.\n")
        hits = [replace(hit, origin=Origin.UNTRUSTED) for hit in await world.hits("key")]
        await record_recall(world.signals, OWNER, "key", hits)
        await world.get("memory/2026-01-11.md")
        assert await world.candidates() == {}


async def test_a_full_disk_delays_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QUIET_S", "RETRY_S"):
        monkeypatch.setattr(signals, name, 0.0)
    async with open_world() as world:
        await world.note("memory/2026-01-11.md", "- The gateway listens on port 18789.\n")
        hits = await world.hits("gateway")
        write, faults = world.memory.state.write, [UnavailableError("full", reason="disk_full")]

        async def failing(work: object) -> object:
            if faults:
                raise faults.pop()
            return await write(work)  # type: ignore[arg-type]

        monkeypatch.setattr(world.memory.state, "write", failing)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.signals.run)
            world.signals.hear(OWNER, "gateway", hits)
            with trio.fail_after(30):
                while not await world.memory.state.read(_count_signals):
                    pass
            assert not faults
            nursery.cancel_scope.cancel()


def _count_signals(connection: Connection) -> int:
    return len(connection.execute("SELECT 1 FROM signals").fetchall())
