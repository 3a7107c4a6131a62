"""What takes too long, with a clock that jumps: no answer is late, and none is lost for it."""

from dataclasses import replace

import pytest
import trio

from openclaw_memd.deep.answers import KEPT_S
from openclaw_memd.deep.breaker import COOLDOWN_S, TIMEOUTS
from openclaw_memd.deep.inquiry import PROMPT_CHARS, ROUNDS
from openclaw_memd.domain.audience import OPERATOR, Injection, Notes
from openclaw_memd.domain.recall_query import Turn
from openclaw_memd.errors import DeadlineError, UnavailableError
from openclaw_memd.ports import ChatRequest
from openclaw_memd.recall.types import SearchAnswer, SearchRequest
from tests.deep.fakes import HIT, QuickMemory
from tests.deep.hits import make_hit
from tests.deep.world import OWNER
from tests.fakes import ScriptedChatModel

QUESTION = "what did we decide about the gateway port?"
SEARCH = '{"action":"search","query":"more"}'
GET = '{"action":"get","path":"memory/2026-01-01.md"}'
ANSWER = '{"action":"answer","answer":"port 18789"}'


def hanging() -> ScriptedChatModel:
    model = ScriptedChatModel(otherwise=ANSWER)
    model.hang()
    return model


@pytest.mark.parametrize("within_s", [0.15, 1.0, 15.0])
async def test_a_model_that_hangs_costs_no_more_than_the_deadline(
    autojump_clock: object, within_s: float
) -> None:
    memory = QuickMemory(hanging())
    began_at = trio.current_time()

    answer = await memory.ask(QUESTION, within_s=within_s)

    assert trio.current_time() - began_at <= within_s
    assert (answer.outcome, answer.reason, answer.summary) == ("timeout", "model", "")
    assert answer.hits == (HIT,)
    assert "18789" in answer.context


async def test_a_model_that_answers_after_its_deadline_is_not_waited_for(autojump_clock: object) -> None:
    class Deaf(ScriptedChatModel):
        """Knows no deadline."""

        async def complete(self, request: ChatRequest) -> str:
            return await super().complete(replace(request, deadline_at=float("inf")))

    began_at = trio.current_time()
    answer = await QuickMemory(Deaf([ANSWER], delay_s=60)).ask(QUESTION, within_s=2)

    assert trio.current_time() - began_at <= 2
    assert answer.outcome == "timeout"


@pytest.mark.parametrize("model", [None, ScriptedChatModel(otherwise=ANSWER)], ids=["no model", "model"])
async def test_a_search_that_hangs_costs_no_more_than_the_deadline(
    autojump_clock: object, model: ScriptedChatModel | None
) -> None:
    memory = QuickMemory(model, delay_s=100)
    began_at = trio.current_time()

    answer = await memory.ask(QUESTION, within_s=1)

    assert trio.current_time() - began_at <= 1
    assert (answer.outcome, answer.reason) == ("timeout", "deadline")
    assert answer.hits == ()


async def test_a_search_that_gives_up_leaves_what_was_found(autojump_clock: object) -> None:
    class Tiring(QuickMemory):
        """Its second search gives up."""

        async def search(self, request: SearchRequest) -> SearchAnswer:
            if self.asked:
                raise DeadlineError("not done in time")
            return await super().search(request)

    answer = await Tiring().ask("what did Ada decide about the gateway port?")

    assert (answer.outcome, answer.reason, answer.hits) == ("timeout", "deadline", (HIT,))


@pytest.mark.parametrize(
    ("reason", "told"),
    [("damaged", "damaged"), ("embedding", "embedding"), ("closed", "memory"), (None, "memory")],
)
@pytest.mark.parametrize("model", [None, ScriptedChatModel(otherwise=ANSWER)], ids=["no model", "model"])
async def test_a_memory_that_cannot_be_searched_is_told_and_no_error(
    autojump_clock: object, reason: str | None, told: str, model: ScriptedChatModel | None
) -> None:
    answer = await QuickMemory(model, failure=UnavailableError("no", reason=reason)).ask(QUESTION)

    assert (answer.outcome, answer.reason, answer.hits) == ("unavailable", told, ())


async def test_a_model_that_kept_silent_is_left_alone_for_a_minute(autojump_clock: object) -> None:
    model = hanging()
    memory = QuickMemory(model)
    for _ in range(TIMEOUTS):
        assert (await memory.ask(QUESTION, within_s=1)).reason == "model"

    began_at = trio.current_time()
    refused = await memory.ask(QUESTION)
    assert (refused.outcome, refused.reason, refused.hits) == ("timeout", "breaker", (HIT,))
    assert trio.current_time() == began_at

    model.delay_s = 0.0
    await trio.sleep(COOLDOWN_S)
    assert (await memory.ask(QUESTION)).outcome == "ok"
    await trio.sleep(KEPT_S + 1)
    assert (await memory.ask(QUESTION)).outcome == "ok"


async def test_a_slow_memory_is_not_the_model_s_silence(autojump_clock: object) -> None:
    memory = QuickMemory()

    def search_slowly(_request: ChatRequest) -> str:
        memory.failure = DeadlineError("not done in time")
        return '{"action":"search","query":"more"}'

    memory.model = ScriptedChatModel(otherwise=search_slowly)
    for _ in range(TIMEOUTS + 1):
        answer = await memory.ask(QUESTION)
        assert (answer.outcome, answer.reason, answer.hits) == ("timeout", "deadline", (HIT,))
        memory.failure = None


async def test_what_lane_one_answers_is_skipped(autojump_clock: object) -> None:
    memory = QuickMemory(triggers="gateway")
    view = replace(OPERATOR, injection=Injection.ALL)

    answers = [
        await memory.ask(QUESTION, caller=OWNER, view=view),
        await memory.ask("what did we decide about tea?", caller=OWNER, view=view),
        await memory.ask(QUESTION, caller=OWNER, view=replace(view, injection=Injection.NONE)),
        await memory.ask(QUESTION),
    ]
    memory.triggers_delay_s = 60.0
    began_at = trio.current_time()
    answers.append(await memory.ask(QUESTION, caller=OWNER, view=view, within_s=1))

    assert [answer.reason for answer in answers] == ["strong_hit", None, None, None, None]
    assert trio.current_time() - began_at <= 1


async def test_an_answer_that_is_known_passes_the_breaker(autojump_clock: object) -> None:
    model = ScriptedChatModel(otherwise=ANSWER)
    memory = QuickMemory(model)
    first = await memory.ask(QUESTION)
    model.hang()
    for number in range(TIMEOUTS):
        await memory.ask(f"{QUESTION} {number}", within_s=1)

    assert (await memory.ask("what else did we decide?")).reason == "breaker"
    assert (await memory.ask(QUESTION)).summary == first.summary


async def test_a_model_that_had_no_time_is_not_blamed(autojump_clock: object) -> None:
    memory = QuickMemory(hanging())
    for _ in range(TIMEOUTS + 1):
        assert (await memory.ask(QUESTION, within_s=0.1)).reason == "model"


async def test_the_same_question_again_asks_no_model(autojump_clock: object) -> None:
    model = ScriptedChatModel(otherwise=ANSWER)
    memory = QuickMemory(model)

    first = await memory.ask(QUESTION)
    again = await memory.ask(f"  {QUESTION}")

    assert (again.summary, again.context, again.hits) == (first.summary, first.context, first.hits)
    assert len(model.requests) == 1
    await trio.sleep(KEPT_S + 1)
    await memory.ask(QUESTION)
    assert len(model.requests) == 2


async def test_another_caller_view_or_memory_gets_an_answer_of_its_own(autojump_clock: object) -> None:
    model = ScriptedChatModel(otherwise=ANSWER)
    memory = QuickMemory(model)
    await memory.ask(QUESTION)

    await memory.ask(QUESTION, view=replace(OPERATOR, notes=Notes.OWN))
    await memory.ask(QUESTION, view=replace(OPERATOR, agent="other"))
    await memory.ask(QUESTION, project_keys=("github.com/o/r",))
    memory.version += 1
    await memory.ask(QUESTION)

    assert len(model.requests) == 5


async def test_five_hundred_kilobytes_are_looked_at_from_the_end(autojump_clock: object) -> None:
    memory = QuickMemory()

    answer = await memory.ask("blah " * 100_000 + "\n" + QUESTION)

    assert answer.outcome == "ok"
    assert all(len(request.query) <= 480 for request in memory.asked)


async def test_who_gives_up_leaves_nothing_behind(autojump_clock: object) -> None:
    model = hanging()
    memory = QuickMemory(model)
    for _ in range(TIMEOUTS + 1):
        with trio.move_on_after(0.5):
            await memory.ask(QUESTION)

    model.delay_s = 0.0
    assert (await memory.ask(QUESTION)).outcome == "ok"


async def test_an_answer_of_a_memory_that_changed_meanwhile_is_not_kept(autojump_clock: object) -> None:
    memory = QuickMemory()

    def answer_late(_request: ChatRequest) -> str:
        memory.version += 1
        return ANSWER

    model = ScriptedChatModel([answer_late], otherwise=ANSWER)
    memory.model = model
    await memory.ask(QUESTION)
    await memory.ask(QUESTION)

    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("text", "message"), [("port " * 95, ""), ("<port> " * 95, ""), ('&"port ' * 80, "&" * 3_500)]
)
async def test_a_model_is_shown_no_more_than_it_can_read(
    autojump_clock: object, text: str, message: str
) -> None:
    model = ScriptedChatModel([SEARCH, GET], otherwise=SEARCH)
    hits = tuple(make_hit(text, path=f"memory/2026-01-{day:02}.md", start_line=day) for day in range(1, 29))
    recent = tuple(Turn("user", f"turn {number} " + "word " * 300) for number in range(60))
    memory = QuickMemory(model, hits, read="&" * 4_000)

    await memory.ask(f"{message} {QUESTION}", recent=recent, query_mode="full")

    assert len(model.requests) == ROUNDS
    assert all(len(request.prompt) <= PROMPT_CHARS for request in model.requests)
    assert all(QUESTION in request.prompt for request in model.requests)
    assert all("memory/2026-01-" in request.prompt for request in model.requests)
    assert message or "turn 59 " in model.requests[0].prompt
