"""Tests that every adapter of a port has to pass; test modules subclass them with a fixture of their own."""

from collections.abc import Awaitable, Callable
from typing import Literal

import numpy as np
import pytest
import trio

from openclaw_memd.models.chat.answers import MOST_BYTES
from openclaw_memd.ports import ChatModel, ChatModelError, ChatRequest, Embedder, EmbedderError, EmbedKind

ODD_TEXTS = [
    "",
    " \n\t ",
    "\x00",
    "\ud800 lone surrogate",
    "e\u0301 and \u00e9",
    "\u202eright to left\u202c",
    "👩‍👩‍👧‍👦",
    "记忆守护进程",
    "หน่วยความจำ",
    "\ufeff\u200b",
    "a" * 300,
]


class EmbedderContract:
    """Subclass it and give it an async fixture ``embedder`` that yields a ready one."""

    @pytest.mark.parametrize("kind", ["query", "passage"])
    async def test_gives_a_finite_vector_of_norm_one_for_each_text(
        self, embedder: Embedder, kind: EmbedKind
    ) -> None:
        vectors = await embedder.embed(
            ["The deploy target is staging.", "Cats sleep.", "Cats sleep."], kind=kind
        )

        assert vectors.shape == (3, embedder.status().dims)
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
        np.testing.assert_allclose(vectors[1], vectors[2], atol=1e-3)

    async def test_keeps_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = [f"note number {number} about {word}" for number, word in enumerate(("ships", "tea", "rain"))]

        together = await embedder.embed(texts, kind="passage")
        backwards = await embedder.embed(texts[::-1], kind="passage")

        np.testing.assert_allclose(together, backwards[::-1], atol=2e-2)
        assert np.abs(together[0] - together[1]).max() > 2e-2

    async def test_a_query_is_nearest_to_the_passage_about_the_same(self, embedder: Embedder) -> None:
        passages = await embedder.embed(
            ["The database is backed up every night.", "Our cat likes warm milk.", "Trains leave at noon."],
            kind="passage",
        )
        query = await embedder.embed(["when is the database backed up"], kind="query")

        assert int(np.argmax(passages @ query[0])) == 0

    async def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        await embedder.embed(["something first"], kind="passage")

        assert (await embedder.embed([], kind="passage")).shape == (0, embedder.status().dims)

    async def test_a_long_text_gives_one_vector(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(["a long tale of many words " * 2_000], kind="passage")

        assert vectors.shape == (1, embedder.status().dims)
        assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-3)

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
    async def test_odd_text_gives_a_vector(self, embedder: Embedder, text: str) -> None:
        for kind in ("query", "passage"):
            vectors = await embedder.embed([text], kind=kind)

            assert np.isfinite(vectors).all()
            assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-3)

    async def test_knows_its_model_and_how_to_read_its_cosines(self, embedder: Embedder) -> None:
        calibration = await embedder.calibration()

        assert embedder.model_id
        assert -1.0 <= calibration.floor < calibration.ceiling <= 1.0
        assert 0.0 <= calibration.weight <= 1.0

    async def test_refuses_work_when_closed(self, embedder: Embedder) -> None:
        await embedder.aclose()
        await embedder.aclose()

        with pytest.raises(EmbedderError):
            await embedder.embed(["too late"], kind="query")


ChatBehaviour = Literal["answers", "hangs", "blank", "huge", "fails"]
MakeChatModel = Callable[[ChatBehaviour], Awaitable[ChatModel]]

SECRET_TOPIC = "the surprise party for Ada"

ANSWER_SCHEMA = {
    "type": "object",
    "properties": {"found": {"type": "boolean"}},
    "required": ["found"],
    "additionalProperties": False,
}


def question(prompt: str = SECRET_TOPIC, *, within_s: float = 20.0, schema: bool = False) -> ChatRequest:
    """What to ask a chat model, by trio's clock."""
    return ChatRequest(
        system="Answer in one line.",
        prompt=prompt,
        max_tokens=64,
        deadline_at=trio.current_time() + within_s,
        purpose="test",
        schema=ANSWER_SCHEMA if schema else None,
    )


class ChatModelContract:
    """Subclass it and give it an async fixture ``make_chat`` that makes a model that behaves as told.

    One that answers says ``{"found": true}`` to everything; one that hangs never says anything.
    """

    @pytest.mark.parametrize("schema", [False, True], ids=["free", "schema"])
    async def test_answers(self, make_chat: MakeChatModel, schema: bool) -> None:
        model = await make_chat("answers")

        assert await model.complete(question(schema=schema)) == '{"found": true}'
        assert model.status().state == "ready"
        assert model.model_id

    async def test_answers_all_who_ask_at_once(self, make_chat: MakeChatModel) -> None:
        model = await make_chat("answers")
        answers = []

        async def ask(number: int) -> None:
            answers.append(await model.complete(question(f"question {number}")))

        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(ask, number)
        assert answers == ['{"found": true}'] * 8

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
    async def test_odd_text_is_answered(self, make_chat: MakeChatModel, text: str) -> None:
        model = await make_chat("answers")

        assert await model.complete(question(text))

    async def test_silence_ends_at_the_deadline(self, make_chat: MakeChatModel) -> None:
        model = await make_chat("hangs")
        began_at = trio.current_time()

        with pytest.raises(ChatModelError) as caught:
            await model.complete(question(within_s=0.5))
        assert caught.value.failure == "timeout"
        assert 0.5 <= trio.current_time() - began_at < 1.0

    async def test_a_deadline_that_is_over_is_not_waited_for(self, make_chat: MakeChatModel) -> None:
        model = await make_chat("answers")

        with pytest.raises(ChatModelError) as caught:
            await model.complete(question(within_s=-1.0))
        assert caught.value.failure == "timeout"

    async def test_who_gives_up_waiting_harms_nobody(self, make_chat: MakeChatModel) -> None:
        model = await make_chat("answers")
        with trio.CancelScope() as scope:
            scope.cancel()
            await model.complete(question())
        assert scope.cancelled_caught

        assert await model.complete(question())

    @pytest.mark.parametrize(
        ("behaviour", "failures"),
        [("blank", {"invalid"}), ("huge", {"too_large"}), ("fails", {"unavailable", "refused"})],
    )
    async def test_what_is_no_answer_is_an_error(
        self, make_chat: MakeChatModel, behaviour: ChatBehaviour, failures: set[str]
    ) -> None:
        model = await make_chat(behaviour)

        with pytest.raises(ChatModelError) as caught:
            await model.complete(question())
        assert caught.value.failure in failures
        assert SECRET_TOPIC not in str(caught.value)

    async def test_refuses_work_when_closed(self, make_chat: MakeChatModel) -> None:
        model = await make_chat("answers")
        await model.aclose()
        await model.aclose()

        with pytest.raises(ChatModelError) as caught:
            await model.complete(question())
        assert caught.value.failure == "off"
        assert (model.status().state, model.model_id) == ("off", None)


HUGE_ANSWER = "x" * (MOST_BYTES + 1)
