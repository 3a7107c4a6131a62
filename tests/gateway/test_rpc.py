import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from openclaw_memd.config.schema import Limits
from openclaw_memd.curated.remember import Remembered, Wish
from openclaw_memd.deep.types import DeepAnswer, DeepRequest
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.first_answers import AnswerKey
from openclaw_memd.recall.types import GetRequest, SearchAnswer, SearchRequest
from openclaw_memd.turn.drafts import Reply, TurnRequest
from tests.gateway.clients import call, dispatching
from tests.gateway.fakes import HIT, FakeAgent, FakeServices, found, never

SECRET = "hunter2-in-a-note"


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


def notification(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def code_and_id(answer: Any) -> tuple[int, object]:
    assert answer["jsonrpc"] == "2.0"
    assert answer["error"]["data"]["kind"]
    assert answer["error"]["data"]["ref"]
    return answer["error"]["code"], answer["id"]


async def test_the_examples_of_the_specification(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        assert code_and_id(await ask({"jsonrpc": "2.0", "method": "foobar", "id": "1"})) == (-32601, "1")
        assert code_and_id(await ask(b'{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]')) == (
            -32700,
            None,
        )
        assert code_and_id(await ask({"jsonrpc": "2.0", "method": 1, "params": "bar"})) == (-32600, None)
        assert code_and_id(await ask(b'[{"jsonrpc": "2.0", "method": "sum", "id": "1"},{"jsonrpc"]')) == (
            -32700,
            None,
        )
        assert code_and_id(await ask([])) == (-32600, None)
        assert [code_and_id(answer) for answer in await ask([1])] == [(-32600, None)]
        assert [code_and_id(answer) for answer in await ask([1, 2, 3])] == [(-32600, None)] * 3
        assert await ask([notification("status"), notification("recall.search", query="x")]) is None
        assert len(services.main.asked) == 1
        assert await ask(notification("status")) is None
        assert await ask(notification("foobar")) is None


async def test_a_mixed_batch_answers_each_element(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        answers = await ask(
            [
                call("status", call_id="1"),
                notification("status"),
                {"foo": "boo"},
                call("foo.get", call_id="5"),
                call("recall.get", call_id="9", path="a"),
                call("recall.get", call_id=None, path=7),
            ]
        )
    assert [answer.get("id") for answer in answers] == ["1", None, "5", "9", None]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32600, -32601, None, -32602]


@pytest.mark.parametrize("call_id", [0, -1, 2**53, 1.5, "", "é\0", None])
async def test_an_id_comes_back_as_it_was(services: FakeServices, call_id: object) -> None:
    async with dispatching(services) as ask:
        assert (await ask(call("status", call_id=call_id)))["id"] == call_id


@pytest.mark.parametrize(
    "message",
    [
        "text",
        7,
        None,
        {},
        {"jsonrpc": "1.0", "method": "status", "id": 1},
        {"method": "status", "id": 1},
        {"jsonrpc": "2.0", "method": None, "id": 1},
        {"jsonrpc": "2.0", "method": "status", "id": True},
        {"jsonrpc": "2.0", "method": "status", "id": [1]},
        {"jsonrpc": "2.0", "method": "status", "id": 1, "params": None},
        {"jsonrpc": "2.0", "method": "status", "id": 1, "params": "x"},
    ],
)
async def test_what_is_no_request_is_told_so(services: FakeServices, message: object) -> None:
    async with dispatching(services) as ask:
        assert code_and_id(await ask(message)) == (-32600, None)


async def test_members_beyond_the_specification_are_ignored(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        assert "result" in await ask({**call("status"), "meta": {"trace": 1}})


async def test_params_are_taken_by_name_only(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        error = (await ask({"jsonrpc": "2.0", "id": 1, "method": "recall.search", "params": ["x"]}))["error"]
        assert (error["code"], error["message"]) == (-32602, "params are taken by name only")
        assert "result" in await ask({"jsonrpc": "2.0", "id": 1, "method": "status", "params": []})
        assert "result" in await ask({"jsonrpc": "2.0", "id": 1, "method": "status"})


async def test_an_unknown_method_is_told_its_nearest_neighbour_only(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        error = (await ask(call("recall.serach")))["error"]
        assert error["message"] == "no such method; nearest known: recall.search"
        assert SECRET not in str(await ask(call(SECRET)))


@pytest.mark.parametrize("name", ["nope", "note", "n", "x" * 5000])
async def test_an_unknown_method_that_is_like_none_is_told_none(services: FakeServices, name: str) -> None:
    async with dispatching(services) as ask:
        assert (await ask(call(name)))["error"]["message"] == "no such method"


async def test_a_key_given_twice_is_refused(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        error = (await ask(b'{"jsonrpc":"2.0","id":1,"method":"status","method":"job.list"}'))["error"]
    assert (error["code"], error["data"]["reason"]) == (-32700, "duplicate_key")


async def test_limits_of_messages(services: FakeServices) -> None:
    async with dispatching(services, depth=5, batch=2, query_bytes=64) as ask:
        deep = (await ask(call("status", context={"channel": {"provider": [[]]}})))["error"]
        assert (deep["code"], deep["data"]["reason"]) == (-32005, "depth")
        long = (await ask([call("status")] * 3))["error"]
        assert (long["code"], long["data"]["reason"]) == (-32005, "batch")
        wordy = (await ask(call("recall.search", query="é" * 33)))["error"]
        assert wordy["code"] == -32005
        assert (wordy["data"]["field"], wordy["data"]["reason"]) == ("query", "query_bytes")
        assert "64" in wordy["message"]
        assert "result" in await ask(call("recall.search", query="é" * 32))


@pytest.mark.parametrize(
    "query",
    ["don't", "a/b.py", "CHG-48213", "C++", "50%", "NOT", "a AND", '"', "(", "*", "x:y", "", "\0\x07\x1b[2J"],
)
async def test_any_text_is_a_query(services: FakeServices, query: str) -> None:
    async with dispatching(services) as ask:
        assert "result" in await ask(call("recall.search", query=query))
    assert isinstance(services.main.asked[0], SearchRequest)
    assert services.main.asked[0].query == query


async def test_a_lone_surrogate_never_reaches_a_search(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        raw = b'{"jsonrpc":"2.0","id":1,"method":"recall.search","params":{"query":"\\ud800"}}'
        assert (await ask(raw))["error"]["code"] == -32700
    assert services.main.asked == []


async def test_an_unforeseen_exception_shows_a_reference_and_nothing_else(services: FakeServices) -> None:
    async def fail(_request: SearchRequest) -> SearchAnswer:
        raise ValueError(f"{SECRET} in /home/me/notes.md")

    services.main.on_search = fail
    with capture_logs() as logs:
        async with dispatching(services) as ask:
            error = (await ask(call("recall.search", query=SECRET)))["error"]
    ref = error["data"]["ref"]
    assert error == {"code": -32603, "message": "internal error", "data": {"kind": "internal", "ref": ref}}
    assert [entry["ref"] for entry in logs if entry["log_level"] == "error"] == [ref]


async def test_a_foreseen_failure_inside_a_nursery_keeps_its_kind(services: FakeServices) -> None:
    async def fail(_request: SearchRequest) -> SearchAnswer:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(raise_unavailable)
        raise AssertionError

    async def raise_unavailable() -> None:
        raise UnavailableError("no provider", reason="refused", retry_after_ms=50)

    services.main.on_search = fail
    async with dispatching(services) as ask:
        error = (await ask(call("recall.search", query="x")))["error"]
    ref = error["data"]["ref"]
    assert error["code"] == -32004
    assert error["data"] == {"kind": "unavailable", "reason": "refused", "retry_after_ms": 50, "ref": ref}


async def test_a_score_that_is_no_number_is_null(services: FakeServices) -> None:
    async def search(_request: SearchRequest) -> SearchAnswer:
        return found(replace(HIT, text_score=math.nan, vector_score=math.inf))

    services.main.on_search = search
    async with dispatching(services) as ask:
        hit = (await ask(call("recall.search", query="x")))["result"]["hits"][0]
    assert (hit["text_score"], hit["vector_score"]) == (None, None)


async def test_an_answer_over_the_limit_is_refused(services: FakeServices) -> None:
    async def search(_request: SearchRequest) -> SearchAnswer:
        return found(replace(HIT, text="x" * 5000))

    services.main.on_search = search
    async with dispatching(services, result_bytes=4096) as ask:
        error = (await ask(call("recall.search", query="x")))["error"]
    assert (error["code"], error["data"]["reason"]) == (-32005, "result_bytes")


async def test_search_gets_what_was_asked_and_the_defaults_of_the_configuration(
    services: FakeServices,
) -> None:
    async with dispatching(services) as ask:
        await ask(call("recall.search", query="x"))
        await ask(
            call(
                "recall.search",
                query="y",
                corpus="all",
                max_results=1,
                min_score=0,
                after="2026-01-01",
                explain=True,
                context={"project_key": "github.com/o/r"},
            )
        )
        await ask(call("recall.get", path="MEMORY.md", lines=2, **{"from": 4}))
    plain, full, window = services.main.asked
    assert isinstance(plain, SearchRequest)
    assert isinstance(full, SearchRequest)
    assert (plain.max_results, plain.min_score, plain.corpus) == (9, 0.5, "memory")
    assert (full.max_results, full.min_score, full.corpus, full.explain) == (1, 0, "all", True)
    assert str(full.after) == "2026-01-01"
    assert full.project_keys == ("github.com/o/r",)
    assert window == GetRequest("MEMORY.md", 4, 2, max_bytes=Limits().result_bytes)


async def test_an_unknown_agent_is_not_found(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        error = (await ask(call("recall.search", query="x", context={"agent": "nobody"})))["error"]
    assert (error["code"], error["data"]["field"]) == (-32001, "agent")


async def test_owner_calls_need_an_owner_when_there_is_a_context(services: FakeServices) -> None:
    owner = {"session_kind": "interactive", "chat_type": "direct", "sender": {"id": "u", "is_owner": True}}
    async with dispatching(services) as ask:
        assert "result" in await ask(call("index.rebuild"))
        assert "result" in await ask(call("index.rebuild", context=owner))
        denied = (await ask(call("index.rebuild", context={**owner, "tainted": True})))["error"]
    assert (denied["code"], denied["data"]["reason"]) == (-32003, "tainted")


async def test_a_batch_runs_at_once(services: FakeServices, autojump_clock: trio.testing.MockClock) -> None:
    async def slow(_request: SearchRequest) -> SearchAnswer:
        await trio.sleep(1)
        return found()

    services.main.on_search = slow
    async with dispatching(services) as ask:
        started = trio.current_time()
        answers = await ask([call("recall.search", call_id=number, query="x") for number in range(16)])
    assert [answer["id"] for answer in answers] == list(range(16))
    assert trio.current_time() - started == pytest.approx(2)  # two rounds of eight, not sixteen


@pytest.mark.parametrize(
    ("params", "limit_s"),
    [({}, 2.0), ({"deadline_ms": 150}, 0.15), ({"deadline_ms": 60_000}, 2.0)],
)
async def test_a_read_is_answered_by_its_deadline(
    services: FakeServices, autojump_clock: trio.testing.MockClock, params: dict[str, int], limit_s: float
) -> None:
    async def search(request: SearchRequest) -> SearchAnswer:
        assert request.deadline_at == pytest.approx(started + limit_s)
        await trio.sleep_forever()
        raise AssertionError

    services.main.on_search = search
    async with dispatching(services) as ask:
        started = trio.current_time()
        error = (await ask(call("recall.search", query="x", **params)))["error"]
    assert (error["code"], error["data"]["kind"]) == (-32007, "deadline")
    assert limit_s <= trio.current_time() - started <= limit_s + 0.05


async def test_work_that_cannot_be_interrupted_delays_no_answer_and_keeps_its_place(
    services: FakeServices, autojump_clock: trio.testing.MockClock
) -> None:
    async def search(_request: SearchRequest) -> SearchAnswer:
        with trio.CancelScope(shield=True):
            await trio.sleep(10)
        return found()

    services.main.on_search = search
    async with dispatching(services, in_flight=1, queue=0) as ask:
        started = trio.current_time()
        late = await ask(call("recall.search", query="x", deadline_ms=150))
        assert late["error"]["code"] == -32007
        assert trio.current_time() - started <= 0.2
        assert (await ask(call("recall.search", query="x")))["error"]["code"] == -32006
        await trio.sleep(10)
        services.main.on_search = None
        assert "result" in await ask(call("recall.search", query="x"))


OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"is_owner": True},
}
REMEMBERED = Remembered("MEMORY.md", 1, 1, "0" * 64, (), appended=True, warning=None)


class KeptAnswers:
    """What was answered first, in memory; to keep an answer takes a moment."""

    def __init__(self) -> None:
        self._kept: dict[AnswerKey, str] = {}

    @asynccontextmanager
    async def turn(self, agent: str, method: str, key: str) -> AsyncIterator[AnswerKey]:
        yield AnswerKey(agent, method, key)

    async def find(self, key: AnswerKey) -> str | None:
        return self._kept.get(key)

    async def keep(self, key: AnswerKey, answer: str) -> None:
        await trio.sleep(0.01)
        self._kept[key] = answer


async def test_a_write_is_cancelled_at_its_deadline_and_what_was_committed_is_answered(
    services: FakeServices, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def remember(_caller: object, wish: Wish, deadline_at: float) -> Remembered:
        if wish.entry.text == "early":
            await trio.sleep_until(deadline_at + 0.001)
            raise AssertionError("it goes on after its time")
        await trio.sleep_until(deadline_at - 0.001)
        with trio.CancelScope(shield=True):  # committed
            await trio.sleep(0.02 if wish.entry.text == "late" else 5)
        return REMEMBERED

    monkeypatch.setattr(services.main, "remember", remember)
    monkeypatch.setattr(FakeAgent, "first_answers", KeptAnswers())
    async with dispatching(services) as ask:

        async def say(text: str) -> Any:
            params = {"text": text, "context": OWNER, "deadline_ms": 50, "request_key": text}
            started = trio.current_time()
            answer = await ask(call("memory.remember", **params))
            assert trio.current_time() - started <= 0.1
            return answer

        assert (await say("early"))["error"]["data"]["kind"] == "deadline"
        assert (await say("late"))["result"]["appended"]
        assert (await say("late"))["result"]["repeated"]
        assert (await say("very late"))["error"]["data"]["kind"] == "deadline"
        await trio.sleep(10)
        assert (await say("very late"))["result"]["repeated"]


async def test_an_answer_that_comes_with_the_deadline_is_not_lost(
    services: FakeServices, autojump_clock: trio.testing.MockClock
) -> None:
    async def search(request: SearchRequest) -> SearchAnswer:
        assert request.deadline_at is not None
        await trio.sleep_until(request.deadline_at)
        return replace(found(), degraded=("deadline",))

    services.main.on_search = search
    async with dispatching(services) as ask:
        answer = await ask(call("recall.search", query="x", deadline_ms=50))
    assert answer["result"]["degraded"] == ["deadline"]


@dataclass
class StuckDeep:
    """Deep recall that cannot be interrupted."""

    deadlines: list[float] = field(default_factory=list)

    async def recall(self, request: DeepRequest) -> DeepAnswer:
        self.deadlines.append(request.deadline_at)
        with trio.CancelScope(shield=True):
            await trio.sleep(60)
        return DeepAnswer("none", "no_match")


@pytest.mark.parametrize(
    ("params", "limit_s"), [({}, 7.0), ({"deadline_ms": 150}, 0.15), ({"timeout_ms": 60_000}, 7.0)]
)
async def test_deep_recall_has_a_deadline_of_its_own_and_is_never_an_error_for_it(
    services: FakeServices, autojump_clock: trio.testing.MockClock, params: dict[str, int], limit_s: float
) -> None:
    services.main.deep = StuckDeep()
    services.main.deep_timeout_ms = 7_000
    async with dispatching(services) as ask:
        started = trio.current_time()
        answer = (await ask(call("recall.deep", text="what did we decide?", **params)))["result"]
        took_s = trio.current_time() - started
    assert (answer["outcome"], answer["reason"], answer["hits"]) == ("timeout", "deadline", [])
    assert services.main.deep.deadlines == [pytest.approx(started + limit_s)]
    assert limit_s <= took_s <= limit_s + 0.05


@dataclass
class StuckTurns:
    """Turns that cannot be interrupted."""

    deadlines: list[float] = field(default_factory=list)

    async def answer(self, request: TurnRequest) -> Reply:
        self.deadlines.append(request.deadline_at)
        with trio.CancelScope(shield=True):
            await trio.sleep(60)
        raise AssertionError


@pytest.mark.parametrize(("params", "limit_s"), [({}, 0.25), ({"deadline_ms": 60}, 0.06)])
async def test_a_message_is_answered_by_its_deadline_with_nothing_rather_than_an_error(
    services: FakeServices, autojump_clock: trio.testing.MockClock, params: dict[str, int], limit_s: float
) -> None:
    services.main.turns = StuckTurns()
    async with dispatching(services) as ask:
        started = trio.current_time()
        answer = (await ask(call("inject.turn", text="hello", turn_id="t1", **params)))["result"]
        took_s = trio.current_time() - started
    assert (answer["context"], answer["intents"], answer["degraded"]) == ("", [], ["deadline"])
    assert answer["escalate"] == {"run": False, "reason": "deadline"}
    assert services.main.turns.deadlines == [pytest.approx(started + limit_s)]
    assert limit_s <= took_s <= limit_s + 0.05


async def test_sync_has_a_deadline_of_its_own_and_jobs_have_none(
    services: FakeServices, autojump_clock: trio.testing.MockClock
) -> None:
    async def slow() -> Any:
        await trio.sleep(60)
        return None

    services.main.on_sync = never
    async with dispatching(services) as ask:
        started = trio.current_time()
        assert (await ask(call("index.sync")))["error"]["code"] == -32007
        assert trio.current_time() - started == pytest.approx(10, abs=0.05)
        services.main.on_sync = slow
        assert "result" in await ask(call("index.rebuild", wait=True))
        assert trio.current_time() - started == pytest.approx(70, abs=0.1)


async def test_a_full_queue_says_when_to_come_back(
    services: FakeServices, autojump_clock: trio.testing.MockClock
) -> None:
    async def slow(_request: SearchRequest) -> SearchAnswer:
        await trio.sleep(1)
        return found()

    services.main.on_search = slow
    answers = []

    async def one() -> None:
        answers.append(await ask(call("recall.search", query="x")))

    async with dispatching(services, in_flight=2, queue=1) as ask, trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(one)
    errors = [answer["error"] for answer in answers if "error" in answer]
    assert len(errors) == 2
    for error in errors:
        assert error["code"] == -32006
        assert error["data"]["retry_after_ms"] > 0


async def test_calls_that_wait_for_a_sync_keep_no_reader_out(services: FakeServices) -> None:
    services.main.on_sync = never
    async with dispatching(services, in_flight=1, queue=0) as ask, trio.open_nursery() as nursery:
        nursery.start_soon(ask, call("index.sync"))
        nursery.start_soon(ask, call("index.rebuild", wait=True))
        await trio.testing.wait_all_tasks_blocked()
        assert "result" in await ask(call("recall.search", query="x"))
        nursery.cancel_scope.cancel()


async def test_a_sync_that_is_not_waited_for_is_a_job(services: FakeServices) -> None:
    async with dispatching(services) as ask:
        job_id = (await ask(call("index.sync", wait=False, force=True)))["result"]["job_id"]
        await services.jobs.get(job_id).wait()
        (job,) = (await ask(call("job.list")))["result"]["jobs"]
    assert (job["id"], job["kind"], job["state"], job["result"]["generation"]) == (job_id, "sync", "done", 7)
    assert services.main.asked == [True]


async def test_jobs_are_listed_and_cancelled(services: FakeServices) -> None:
    services.main.on_sync = never
    async with dispatching(services) as ask:
        first = (await ask(call("index.rebuild")))["result"]["job_id"]
        assert (await ask(call("index.rebuild")))["result"]["job_id"] == first
        await trio.testing.wait_all_tasks_blocked()
        (job,) = (await ask(call("job.list")))["result"]["jobs"]
        assert (job["state"], job["done"], job["total"]) == ("running", 1, 2)
        assert (await ask(call("job.cancel", id=first)))["result"] == {"cancelled": True}
        await trio.testing.wait_all_tasks_blocked()
        assert (await ask(call("job.cancel", id=first)))["result"] == {"cancelled": False}
        assert (await ask(call("job.list", after=first)))["result"] == {"jobs": []}
        assert (await ask(call("job.cancel", id="none")))["error"]["code"] == -32001
        unknown = (await ask(call("job.list", after="none")))["error"]
        assert (unknown["code"], unknown["data"]["field"]) == (-32001, "after")


async def test_every_call_of_a_tainted_context_taints_its_turn(services: FakeServices) -> None:
    tainted = {"session_id": "w5", "tainted": True}
    async with dispatching(services) as ask:
        await ask(call("recall.search", query="x", context={"session_id": "w5"}))
        assert services.main.heard_taint == []
        await ask(call("recall.search", query="x", context=tainted))
        await ask(call("memory.remember", text="x", context=tainted))  # denied, and heard
        assert [caller.session_id for caller in services.main.heard_taint] == ["w5", "w5"]
        await ask(call("session.end", context=tainted))  # sees to turns itself
        assert len(services.main.heard_taint) == 2
