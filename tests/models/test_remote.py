"""The HTTP embedder against a real server on loopback, with virtual time."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.models.http import is_loopback
from openclaw_memd.models.recovery import DENIED_S, MOST_REST_S
from openclaw_memd.models.remote import RemoteEmbedder, RemoteSettings
from openclaw_memd.ports import Embedder, EmbedderError
from tests.contracts import EmbedderContract
from tests.fakes import ConstantRng, TrioClock
from tests.models.servers import Provider, Received, Reply, embeddings, refusal, serving


class EmbeddingProvider(Provider):
    """Gives right vectors, unless ``script`` says otherwise."""

    def __init__(self) -> None:
        super().__init__(lambda received: embeddings(received.json["input"], dims=self.dims))
        self.dims = 32
        self.embedders: list[RemoteEmbedder] = []

    @property
    def inputs(self) -> list[list[str]]:
        return [body["input"] for body in self.bodies]

    def embedder(self, **changes: object) -> RemoteEmbedder:
        settings = replace(RemoteSettings(base_url=self.server.url + "/v1", model="fake"), **changes)  # type: ignore[arg-type]
        made = RemoteEmbedder(settings, mask=mask_secrets, clock=TrioClock(), rng=ConstantRng())
        self.embedders.append(made)
        return made


@pytest.fixture
async def provider() -> AsyncIterator[EmbeddingProvider]:
    made = EmbeddingProvider()
    async with serving(made.answer) as made.server:
        yield made
        for embedder in made.embedders:
            await embedder.aclose()


class TestContract(EmbedderContract):
    @pytest.fixture
    async def embedder(self, provider: EmbeddingProvider) -> Embedder:
        return provider.embedder()


async def test_speaks_as_the_settings_say(
    provider: EmbeddingProvider, clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-1")
    embedder = provider.embedder(
        api_key_env="SOME_KEY",
        headers={"x-team": "memory"},
        dims=32,
        query_type="query",
        passage_type="document",
    )

    await embedder.embed(["a question"], kind="query")
    await embedder.embed(["a note"], kind="passage")

    first, second = provider.server.received
    assert (first.method, first.path) == ("POST", "/v1/embeddings")
    assert first.headers["authorization"] == "Bearer sk-1"
    assert first.headers["x-team"] == "memory"
    assert first.json == {"model": "fake", "input": ["a question"], "dimensions": 32, "input_type": "query"}
    assert second.json["input_type"] == "document"


async def test_nothing_is_sent_before_there_is_something_to_embed(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder(dims=32)

    assert embedder.status().state == "idle"
    assert embedder.model_id
    assert (await embedder.embed([], kind="query")).shape == (0, 32)
    assert provider.server.received == []


async def test_the_identity_holds_everything_that_changes_vectors(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    identities = {
        provider.embedder(**changes).model_id
        for changes in (
            {"dims": 32},
            {"dims": 64},
            {"dims": 32, "model": "m"},
            {"dims": 32, "query_type": "q"},
        )
    }

    assert len(identities) == 4


async def test_other_dimensions_are_another_model(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()
    assert embedder.model_id is None
    await embedder.embed(["a note"], kind="passage")
    before = embedder.model_id

    provider.dims = 16
    await embedder.embed(["a note"], kind="passage")

    assert embedder.status().dims == 16
    assert before != embedder.model_id


async def test_a_limit_per_minute_is_waited_for_and_queries_do_not_wait(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(429, headers={"retry-after": "45"}, code="rate_limit_exceeded")]
    done_at = []

    async def fill(text: str) -> None:
        await embedder.embed([text], kind="passage")
        done_at.append(trio.current_time())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fill, "one")
        nursery.start_soon(fill, "two")
        await trio.sleep(20)
        with pytest.raises(EmbedderError, match="limits requests") as caught:
            await embedder.embed(["a question"], kind="query")
        assert trio.current_time() == pytest.approx(20, abs=0.1)
        assert caught.value.retry_after_s == pytest.approx(25, abs=0.1)
        assert embedder.status().state == "degraded"

    assert done_at == pytest.approx([45, 45], abs=0.1)
    assert len(provider.server.received) == 3
    assert embedder.status().state == "ready"


async def test_used_up_quota_opens_the_breaker_and_says_who_must_do_what(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(429, code="insufficient_quota")] * 50

    for _ in range(5):
        with pytest.raises(EmbedderError, match="billing") as caught:
            await embedder.embed(["a note"], kind="passage")
        assert caught.value.permanent

    assert len(provider.server.received) == 1
    assert trio.current_time() < 1
    assert "billing" in (embedder.status().reason or "")


async def test_a_refused_key_opens_the_breaker_and_a_new_key_is_read_later(
    provider: EmbeddingProvider, clock: MockClock, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text("sk-old")
    key.chmod(0o600)
    embedder = provider.embedder(api_key_file=str(key))
    provider.script = [refusal(401)]
    with pytest.raises(EmbedderError, match="key") as caught:
        await embedder.embed(["a note"], kind="passage")

    key.write_text("sk-new")
    await trio.sleep(caught.value.retry_after_s or 0)
    await embedder.embed(["a note"], kind="passage")

    assert provider.server.received[-1].headers["authorization"] == "Bearer sk-new"


async def test_a_missing_key_is_told_before_anything_is_sent(
    provider: EmbeddingProvider, clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    embedder = provider.embedder(api_key_env="NO_SUCH_KEY")

    with pytest.raises(EmbedderError, match="NO_SUCH_KEY is not set"):
        await embedder.embed(["a note"], kind="passage")

    assert provider.server.received == []
    assert embedder.status().state == "degraded"


async def test_a_key_file_that_others_can_read_is_said_in_the_status(
    provider: EmbeddingProvider, clock: MockClock, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text("sk-1")
    key.chmod(0o644)
    embedder = provider.embedder(api_key_file=str(key))

    await embedder.embed(["a note"], kind="passage")

    assert embedder.status().state == "ready"
    assert "chmod 600" in (embedder.status().reason or "")


@pytest.mark.parametrize(
    "failure",
    [
        refusal(500),
        refusal(503),
        Reply(cut=True),
        Reply(body=b"<html>"),
        Reply(body=embeddings(["a note"]).body[:-20]),
        embeddings(["one", "too many"]),
    ],
    ids=["500", "503", "cut", "html", "half a JSON text", "count"],
)
async def test_passing_failures_are_tried_again(
    provider: EmbeddingProvider, clock: MockClock, failure: Reply
) -> None:
    embedder = provider.embedder()
    provider.script = [failure, failure, failure]

    vectors = await embedder.embed(["a note"], kind="passage")

    assert vectors.shape == (1, 32)
    assert len(provider.server.received) == 4
    assert trio.current_time() == pytest.approx(0.5 + 1 + 2, abs=0.1)


async def test_lasting_failures_end_and_a_query_gives_up_sooner(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(500)] * 20

    with pytest.raises(EmbedderError, match="500"):
        await embedder.embed(["a question"], kind="query")
    assert len(provider.server.received) == 2
    with pytest.raises(EmbedderError, match="500") as caught:
        await embedder.embed(["a note"], kind="passage")

    assert len(provider.server.received) == 10  # four more with a text that is nobody's
    assert caught.value.retry_after_s
    assert not caught.value.permanent


async def test_an_unreachable_provider(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder(base_url="http://127.0.0.1:1/v1")

    with pytest.raises(EmbedderError, match="cannot be reached"):
        await embedder.embed(["a question"], kind="query")

    assert embedder.status().state == "degraded"
    assert embedder.required


async def test_a_provider_that_never_answers(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()
    provider.script = [Reply(hang=True)] * 9

    with pytest.raises(EmbedderError, match="no answer in time"):
        await embedder.embed(["a question"], kind="query")

    assert trio.current_time() < 25


async def test_a_batch_that_is_too_large_is_halved_and_remembered(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    texts = [f"note {number}" for number in range(20)]

    def picky(received: Received) -> Reply:
        texts = received.json["input"]
        return refusal(400, message="maximum batch size is 8") if len(texts) > 8 else embeddings(texts)

    provider.script = [picky] * 40

    first = await embedder.embed(texts, kind="passage")
    sizes = [len(texts) for texts in provider.inputs]
    again = await embedder.embed(texts, kind="passage")

    np.testing.assert_allclose(first, again)
    assert sizes == [20, 10, 5, 5, 5, 5]
    assert [len(texts) for texts in provider.inputs[len(sizes) :]] == [5, 5, 5, 5]
    assert trio.current_time() < 1


async def test_a_text_that_is_too_large_is_cut(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()

    def picky(received: Received) -> Reply:
        (text,) = received.json["input"]
        return refusal(413) if len(text) > 1000 else embeddings([text])

    provider.script = [picky] * 40

    vectors = await embedder.embed(["word " * 1000], kind="passage")

    assert vectors.shape == (1, 32)
    assert 500 <= len(provider.inputs[-1][0]) <= 1000


async def test_a_provider_that_finds_everything_too_large_is_given_up(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(413)] * 40

    with pytest.raises(EmbedderError, match="too large"):
        await embedder.embed(["a long note " * 100] * 3, kind="passage")


async def test_requests_are_packed_by_bytes(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()

    await embedder.embed(["é" * 1500] * 5, kind="passage")

    assert [len(texts) for texts in provider.inputs] == [2, 2, 1]


async def test_secrets_are_masked_in_queries_and_passages(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()

    await embedder.embed(["export OPENAI_API_KEY=sk-test-0000000000000000"], kind="passage")
    await embedder.embed(["is my password: hunter2 safe"], kind="query")

    sent = b"".join(received.body for received in provider.server.received)
    assert b"sk-test" not in sent
    assert b"hunter2" not in sent


async def test_a_secret_is_masked_before_a_long_text_is_cut(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()

    for length in range(32_768 - 40, 32_768 + 1, 4):
        await embedder.embed(
            ["x" * (length - 1) + " ghp_abcdefghijklmnopqrstuvwxyz0123456789"], kind="passage"
        )

    assert b"ghp_" not in b"".join(received.body for received in provider.server.received)


async def test_an_answer_without_bounds_is_cut_off(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()
    provider.script = [Reply(body=b" " * 2_000_000)] * 4

    with pytest.raises(EmbedderError, match="too long"):
        await embedder.embed(["a question"], kind="query")


async def test_a_redirect_is_not_followed_with_the_key(
    provider: EmbeddingProvider, clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-1")
    embedder = provider.embedder(api_key_env="SOME_KEY")

    async def steal(_received: Received) -> Reply:
        return Reply(500)

    async with serving(steal) as thief:
        for place in (thief.url + "/v1/embeddings", provider.server.url + "/elsewhere"):
            provider.script = [Reply(status, headers={"location": place}) for status in (302, 307, 308)]
            with pytest.raises(EmbedderError, match=r"redirects elsewhere .* check base_url"):
                await embedder.embed(["a question"], kind="query")
            await trio.sleep(DENIED_S)

        assert thief.received == []
    assert {received.path for received in provider.server.received} == {"/v1/embeddings"}


async def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    provider: EmbeddingProvider, clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    embedder = provider.embedder()

    assert (await embedder.embed(["a question"], kind="query")).shape == (1, 32)


async def test_vectors_that_are_not_finite_or_have_no_length(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    zero = Reply(body=json.dumps({"data": [{"embedding": [0.0] * 32}]}).encode())
    provider.script = [zero]
    assert not (await embedder.embed(["a note"], kind="passage")).any()

    provider.script = [zero] * 2
    with pytest.raises(EmbedderError, match="without length"):
        await embedder.embed(["a question"], kind="query")


@pytest.mark.parametrize(
    "failure",
    [
        refusal(400, message="the content was filtered"),
        refusal(500, message="json: unsupported value: NaN"),
        Reply(body=b'{"data": [{"embedding": [NaN, 1.0]}]}'),
        Reply(body=b'{"data": [{"embedding": [null, 1.0]}]}'),
    ],
    ids=["filtered", "500 for NaN", "NaN", "null"],
)
async def test_a_text_that_the_provider_breaks_on_has_zeros_and_holds_no_other_up(
    provider: EmbeddingProvider, clock: MockClock, failure: Reply
) -> None:
    embedder = provider.embedder()

    def picky(received: Received) -> Reply:
        texts = received.json["input"]
        return failure if "poison" in texts else embeddings(texts)

    provider.script = [picky] * 200
    texts = [f"note {number}" for number in range(9)]
    texts[5] = "poison"

    vectors = await embedder.embed(texts, kind="passage")

    assert vectors.any(axis=1).tolist() == [text != "poison" for text in texts]
    assert embedder.status().state == "ready"
    whole = [f"fine {number}" for number in range(9)]
    await embedder.embed(whole, kind="passage")
    assert provider.inputs[-1] == whole  # the batch size is as before


@pytest.mark.parametrize("failure", [refusal(400), refusal(500)], ids=["400", "500"])
async def test_a_provider_that_breaks_on_every_text_gives_no_zeros(
    provider: EmbeddingProvider, clock: MockClock, failure: Reply
) -> None:
    embedder = provider.embedder()
    provider.script = [failure] * 100

    with pytest.raises(EmbedderError):
        await embedder.embed(["one", "two", "three"], kind="passage")

    assert len(provider.server.received) <= 8
    assert embedder.status().state == "degraded"


async def test_a_limit_never_costs_a_text_its_vector(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(429, headers={"retry-after": "10"})] * 4

    with pytest.raises(EmbedderError, match="limits requests"):
        await embedder.embed(["a note"], kind="passage")

    assert (await embedder.embed(["a note"], kind="passage")).any()


async def test_other_dimensions_than_were_asked_for_are_refused(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder(dims=64)

    with pytest.raises(EmbedderError, match="gives 32 dimensions, not 64; check dims") as caught:
        await embedder.embed(["a note"], kind="passage")

    assert caught.value.permanent
    assert embedder.status().state == "degraded"
    assert embedder.status().dims == 64


async def test_who_asks_to_wait_for_days_is_asked_again_sooner(
    provider: EmbeddingProvider, clock: MockClock
) -> None:
    embedder = provider.embedder()
    provider.script = [refusal(429, headers={"retry-after": "86400"})]

    with pytest.raises(EmbedderError) as caught:
        await embedder.embed(["a note"], kind="passage")

    assert caught.value.retry_after_s == pytest.approx(MOST_REST_S, abs=1)
    await trio.sleep(MOST_REST_S)
    assert (await embedder.embed(["a note"], kind="passage")).any()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("ollama.localhost", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        (None, False),
    ],
)
def test_what_this_machine_is(host: str | None, expected: bool) -> None:
    assert is_loopback(host) is expected


async def test_errors_and_status_never_show_text_or_key(
    provider: EmbeddingProvider, clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-hidden")
    embedder = provider.embedder(api_key_env="SOME_KEY")
    for status in (400, 401, 500):
        provider.script = [refusal(status, message="diary sk-hidden")] * 8
        with pytest.raises(EmbedderError) as caught:
            await embedder.embed(["my diary"], kind="passage")
        shown = f"{caught.value} {embedder.status()}"
        assert "diary" not in shown
        assert "sk-hidden" not in shown
        await trio.sleep(caught.value.retry_after_s or 0)


async def test_a_cancelled_call_leaves_it_usable(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()
    provider.script = [Reply(hang=True)]

    with trio.move_on_after(0.15) as deadline:
        await embedder.embed(["a note"], kind="passage")
    assert deadline.cancelled_caught

    assert (await embedder.embed(["a note"], kind="passage")).shape == (1, 32)


async def test_the_calibration_is_measured_once(provider: EmbeddingProvider, clock: MockClock) -> None:
    embedder = provider.embedder()

    first = await embedder.calibration()
    asked = len(provider.server.received)

    assert await embedder.calibration() == first
    assert len(provider.server.received) == asked
