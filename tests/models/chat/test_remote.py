"""The chat model over HTTP against a real server on loopback, with virtual time."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.domain.secrets import MASK, mask_secrets
from openclaw_memd.models.chat.remote import RemoteChatModel, RemoteChatSettings
from openclaw_memd.models.recovery import DENIED_S
from openclaw_memd.ports import ChatModel, ChatModelError
from tests.contracts import (
    ANSWER_SCHEMA,
    HUGE_ANSWER,
    ChatBehaviour,
    ChatModelContract,
    MakeChatModel,
    question,
)
from tests.fakes import ConstantRng, TrioClock
from tests.models.servers import Provider, Reply, refusal, serving

FOUND = '{"found": true}'


def completion(content: object = FOUND, **message: object) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    return Reply(body=json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


class ChatProvider(Provider):
    """Answers with ``completion()``, unless it is told otherwise."""

    def __init__(self) -> None:
        super().__init__(completion())
        self.models: list[RemoteChatModel] = []

    def model(self, **changes: object) -> RemoteChatModel:
        settings = replace(RemoteChatSettings(self.server.url + "/v1/", "judge"), **changes)  # type: ignore[arg-type]
        made = RemoteChatModel(settings, mask=mask_secrets, clock=TrioClock(), rng=ConstantRng())
        self.models.append(made)
        return made


@pytest.fixture
async def provider() -> AsyncIterator[ChatProvider]:
    made = ChatProvider()
    async with serving(made.answer) as made.server:
        yield made
        for model in made.models:
            await model.aclose()


class TestContract(ChatModelContract):
    @pytest.fixture
    def make_chat(self, provider: ChatProvider) -> MakeChatModel:
        replies: dict[ChatBehaviour, Reply] = {
            "answers": completion(),
            "hangs": Reply(hang=True),
            "blank": completion(" \n"),
            "huge": completion(HUGE_ANSWER),
            "fails": refusal(400),
        }

        async def make(behaviour: ChatBehaviour) -> ChatModel:
            provider.otherwise = replies[behaviour]
            return provider.model()

        return make


async def failure_of(model: ChatModel, **how: Any) -> ChatModelError:
    with pytest.raises(ChatModelError) as caught:
        await model.complete(question(**how))
    return caught.value


async def test_says_what_the_api_expects(provider: ChatProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-1")
    model = provider.model(api_key_env="SOME_KEY")

    await model.complete(question("Who moved?", schema=True))

    (received,) = provider.server.received
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.headers["authorization"] == "Bearer sk-1"
    assert received.json == {
        "model": "judge",
        "messages": [
            {"role": "system", "content": "Answer in one line."},
            {"role": "user", "content": "Who moved?"},
        ],
        "max_tokens": 64,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": ANSWER_SCHEMA},
        },
    }


async def test_no_secret_leaves_the_machine(provider: ChatProvider) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    request = replace(question(f"The token is {secret}."), system=f"password: hunter22hunter\n{secret}")

    await provider.model().complete(request)

    sent = provider.server.received[0].body.decode()
    assert secret not in sent
    assert "hunter22hunter" not in sent
    assert MASK in json.loads(sent)["messages"][1]["content"]


@pytest.mark.parametrize(
    "refused",
    [
        refusal(400, message="response_format.type json_schema is not supported"),
        refusal(422, message="extra fields"),
        refusal(500, message="grammar: unexpected keyword"),
    ],
)
async def test_a_server_that_takes_no_schema_is_told_in_words(provider: ChatProvider, refused: Reply) -> None:
    provider.script = [refused]
    provider.otherwise = completion(f"```json\n{FOUND}\n```")
    model = provider.model()

    assert await model.complete(question(schema=True)) == FOUND
    assert await model.complete(question(schema=True)) == FOUND

    first, second, third = provider.bodies
    assert "response_format" in first
    assert "response_format" not in second
    assert json.dumps(ANSWER_SCHEMA) in second["messages"][0]["content"]
    assert third == second, "what was learned is kept"


async def test_speaks_the_dialect_of_newer_models(provider: ChatProvider) -> None:
    provider.script = [
        refusal(400, message="'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        refusal(400, message="'temperature' does not support 0 with this model."),
    ]
    model = provider.model()

    assert await model.complete(question(schema=True)) == FOUND

    last = provider.bodies[-1]
    assert last["max_completion_tokens"] == 64
    assert "response_format" in last
    assert not last.keys() & {"max_tokens", "temperature"}


async def test_a_request_that_is_refused_whatever_is_left_out_is_an_error(provider: ChatProvider) -> None:
    provider.otherwise = refusal(400, message="no")
    model = provider.model()

    assert (await failure_of(model, schema=True)).failure == "refused"
    assert len(provider.bodies) == 2
    assert "response_format" in provider.bodies[0]
    provider.otherwise = completion()
    await model.complete(question(schema=True))
    assert "response_format" in provider.bodies[-1], "it was not the schema, so it stays"


async def test_waits_as_the_provider_asks_when_there_is_time(
    provider: ChatProvider, clock: MockClock
) -> None:
    provider.script = [refusal(429, headers={"retry-after": "7"})]
    began_at = trio.current_time()

    assert await provider.model().complete(question(within_s=20)) == FOUND
    assert 7 <= trio.current_time() - began_at < 8


async def test_does_not_ask_before_the_time_that_the_provider_named(
    provider: ChatProvider, clock: MockClock
) -> None:
    provider.script = [refusal(429, headers={"retry-after": "60"})]
    model = provider.model()
    began_at = trio.current_time()

    assert (await failure_of(model)).failure == "unavailable"
    assert (await failure_of(model)).failure == "unavailable"
    assert trio.current_time() - began_at < 1, "nobody waits for nothing"
    assert len(provider.bodies) == 1
    assert model.status().state == "degraded"
    await trio.sleep(60)
    assert await model.complete(question()) == FOUND
    assert model.status().state == "ready"


async def test_a_refused_key_is_not_tried_again_and_again(provider: ChatProvider, clock: MockClock) -> None:
    provider.script = [refusal(401)]
    model = provider.model()

    assert "check the key" in str(await failure_of(model))
    await failure_of(model)
    assert len(provider.bodies) == 1
    await trio.sleep(DENIED_S)
    assert await model.complete(question()) == FOUND


async def test_a_key_that_is_missing_is_told_and_nothing_is_sent(
    provider: ChatProvider, tmp_path: Path
) -> None:
    model = provider.model(api_key_file=str(tmp_path / "none"))

    assert "API key file" in str(await failure_of(model))
    assert provider.bodies == []


async def test_one_answer_takes_at_most_its_time(provider: ChatProvider, clock: MockClock) -> None:
    provider.otherwise = Reply(stall=True, body=b"{")
    began_at = trio.current_time()

    assert (await failure_of(provider.model(timeout_s=3.0), within_s=600)).failure == "timeout"
    assert 3 <= trio.current_time() - began_at < 4


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply(body=b"<html>"), "invalid"),
        (Reply(body=b"[" * 100_000), "invalid"),
        (Reply(body=b'{"choices": []}'), "invalid"),
        (Reply(body=b'{"choices": [{"message": 5}]}'), "invalid"),
        (completion(None), "invalid"),
        (completion({"text": "x"}), "invalid"),
        (completion(None, refusal="I will not."), "refused"),
        (refusal(400, message="This model's maximum context length is 8 tokens"), "too_large"),
        (Reply(200, b"{", cut=True), "unavailable"),
        (Reply(302, headers={"location": "http://127.0.0.1:1/"}), "unavailable"),
    ],
)
async def test_what_is_no_answer_is_told_apart(provider: ChatProvider, reply: Reply, failure: str) -> None:
    provider.otherwise = reply

    assert (await failure_of(provider.model())).failure == failure


async def test_an_answer_in_parts_is_put_together(provider: ChatProvider) -> None:
    parts = [{"type": "text", "text": "It is "}, {"type": "image"}, 7, {"type": "text", "text": "Ada."}]
    provider.otherwise = completion(parts)

    assert await provider.model().complete(question()) == "It is Ada."


async def test_a_server_that_is_not_there(clock: MockClock) -> None:
    settings = RemoteChatSettings("http://127.0.0.1:9/v1", "judge")
    model = RemoteChatModel(settings, mask=mask_secrets, clock=TrioClock(), rng=ConstantRng())

    assert "it cannot be reached" in str(await failure_of(model))
    await model.aclose()
