"""The chat model of attached runtimes: who is asked, and who next."""

import math

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.models.chat.answers import FAIR_S
from openclaw_memd.models.chat.runtime import REST_S, AttachedRuntimes, RuntimeChatModel
from openclaw_memd.ports import ChatModel, ChatModelError, ChatRequest
from tests.contracts import HUGE_ANSWER, ChatBehaviour, ChatModelContract, MakeChatModel, question

FOUND = '{"found": true}'


class Runtime:
    """Says what it is told to, after ``delay_s``."""

    def __init__(self, answer: str | ChatModelError, *, name: str = "big", delay_s: float = 0.0) -> None:
        self.models = (name, "small")
        self.has_room = True
        self.answer = answer
        self.delay_s = delay_s
        self.asked: list[str] = []

    async def ask(self, request: ChatRequest) -> str:
        self.asked.append(request.prompt)
        await trio.sleep(self.delay_s)
        if isinstance(self.answer, ChatModelError):
            raise self.answer
        return self.answer


class TestContract(ChatModelContract):
    @pytest.fixture
    def make_chat(self) -> MakeChatModel:
        answers: dict[ChatBehaviour, str | ChatModelError] = {
            "blank": " \n",
            "huge": HUGE_ANSWER,
            "fails": ChatModelError("unavailable", "the runtime is gone"),
        }

        async def make(behaviour: ChatBehaviour) -> ChatModel:
            runtimes = AttachedRuntimes()
            delay_s = math.inf if behaviour == "hangs" else 0.0
            runtimes.attach(Runtime(answers.get(behaviour, FOUND), delay_s=delay_s))
            return RuntimeChatModel(runtimes)

        return make


@pytest.fixture
def runtimes() -> AttachedRuntimes:
    return AttachedRuntimes()


async def test_nobody_attached_is_unavailable_at_once(runtimes: AttachedRuntimes) -> None:
    model = RuntimeChatModel(runtimes)

    assert (model.status().state, model.model_id) == ("idle", None)
    with pytest.raises(ChatModelError) as caught:
        await model.complete(question())
    assert caught.value.failure == "unavailable"


async def test_the_newest_is_asked_and_the_one_before_when_it_left(runtimes: AttachedRuntimes) -> None:
    model = RuntimeChatModel(runtimes)
    old, new = Runtime("old", name="old"), Runtime("new", name="new")
    runtimes.attach(old)
    runtimes.attach(new)

    assert await model.complete(question()) == "new"
    assert model.model_id == "runtime:new"
    assert runtimes.detach(new)
    assert not runtimes.detach(new)
    assert await model.complete(question()) == "old"
    runtimes.attach(new)
    runtimes.attach(old)
    assert await model.complete(question()) == "old", "who attaches again is the newest"


@pytest.mark.parametrize(
    "bad", ["", HUGE_ANSWER, ChatModelError("unavailable")], ids=["blank", "huge", "gone"]
)
async def test_a_failure_goes_to_the_next_and_the_failed_one_rests(
    runtimes: AttachedRuntimes, autojump_clock: MockClock, bad: str | ChatModelError
) -> None:
    model = RuntimeChatModel(runtimes)
    old, new = Runtime("old"), Runtime(bad)
    runtimes.attach(old)
    runtimes.attach(new)

    assert [await model.complete(question()) for _ in range(3)] == ["old"] * 3
    assert len(new.asked) == 1
    await trio.sleep(REST_S + 1)
    await model.complete(question())
    assert len(new.asked) == 2, "it gets another chance"


async def test_a_silent_one_costs_one_call(runtimes: AttachedRuntimes, autojump_clock: MockClock) -> None:
    model = RuntimeChatModel(runtimes)
    runtimes.attach(Runtime("old"))
    runtimes.attach(Runtime("late", delay_s=math.inf))

    with pytest.raises(ChatModelError) as caught:
        await model.complete(question(within_s=5))
    assert caught.value.failure == "timeout"
    assert trio.current_time() == 5
    assert await model.complete(question(within_s=5)) == "old"


async def test_one_that_had_no_time_is_not_blamed(
    runtimes: AttachedRuntimes, autojump_clock: MockClock
) -> None:
    model = RuntimeChatModel(runtimes)
    runtimes.attach(Runtime("late", delay_s=math.inf))

    with pytest.raises(ChatModelError):
        await model.complete(question(within_s=FAIR_S - 1))
    assert model.status().state == "ready"
    with pytest.raises(ChatModelError):
        await model.complete(question(within_s=FAIR_S))
    assert model.status().state == "degraded"


async def test_one_answer_takes_at_most_its_time(
    runtimes: AttachedRuntimes, autojump_clock: MockClock
) -> None:
    model = RuntimeChatModel(runtimes, timeout_s=3.0)
    runtimes.attach(Runtime("late", delay_s=math.inf))

    with pytest.raises(ChatModelError):
        await model.complete(question(within_s=600))
    assert trio.current_time() == 3.0


async def test_one_that_failed_is_still_asked_when_there_is_no_other(
    runtimes: AttachedRuntimes, autojump_clock: MockClock
) -> None:
    model = RuntimeChatModel(runtimes)
    runtime = Runtime(ChatModelError("unavailable"))
    runtimes.attach(runtime)
    with pytest.raises(ChatModelError):
        await model.complete(question())
    assert model.status().state == "degraded"

    runtime.answer = "better"
    assert await model.complete(question()) == "better"
    assert model.status().state == "ready"


async def test_who_has_room_comes_before_who_has_none(runtimes: AttachedRuntimes) -> None:
    model = RuntimeChatModel(runtimes)
    busy = Runtime("busy")
    busy.has_room = False
    runtimes.attach(Runtime("free"))
    runtimes.attach(busy)

    assert await model.complete(question()) == "free"
