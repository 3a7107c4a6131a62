"""The local embedder and its process; the process is a stand-in that fails on demand."""

import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trio
import trio.testing

from openclaw_memd.models import embedding_process, host, local, process
from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.local import DEATHS_ALONE, QUERY_LOAD_WAIT_S, LocalEmbedder
from openclaw_memd.models.locate import LocalModel, MissingModelError
from openclaw_memd.models.recipe import Recipe
from openclaw_memd.ports import Calibration, Embedder, EmbedderError
from tests.contracts import EmbedderContract

CHILD = Path(__file__).with_name("fake_child.py")
MODEL = LocalModel(
    "fake", Path("/models/fake.gguf"), Recipe(), "local:fake:1", None, Calibration(0.0, 0.9, 0.5)
)


@pytest.fixture(autouse=True)
def shorter_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes are real, so is the time; the waits keep their order."""
    monkeypatch.setattr(host, "_BACKOFF_S", 0.05)
    monkeypatch.setattr(embedding_process, "ANSWER_LIMIT_S_PER_BYTE", 0.0)


class Embedding:
    """An embedder with a fake process, and the folder that steers it."""

    def __init__(self, folder: Path, model: LocalModel | None = MODEL, **options: Any) -> None:
        self.folder = folder
        self.model = model
        self.embedder = LocalEmbedder(
            ModelHost(self.find, command=(sys.executable, str(CHILD), str(folder)), **options)
        )

    def find(self) -> LocalModel:
        if self.model is None:
            raise MissingModelError("no embedding model is installed; run: memd model install")
        return self.model

    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in self.log() if line.startswith("start")]

    def texts(self) -> list[str]:
        return [line for line in self.log() if line.startswith(("query", "background"))]


@pytest.fixture
async def embedding(tmp_path: Path) -> AsyncIterator[Embedding]:
    made = Embedding(tmp_path)
    yield made
    await made.embedder.aclose()


async def until(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    with trio.fail_after(limit_s):
        while not condition():  # noqa: ASYNC110 - another process makes it true
            await trio.sleep(0.01)


class TestContract(EmbedderContract):
    @pytest.fixture
    async def embedder(self, embedding: Embedding) -> Embedder:
        await embedding.embedder.embed(["ready"], kind="passage")
        return embedding.embedder


async def test_nothing_is_started_before_there_is_something_to_embed(embedding: Embedding) -> None:
    assert embedding.embedder.model_id == "local:fake:1"
    assert embedding.embedder.status().state == "idle"
    assert (await embedding.embedder.calibration()).ceiling == 0.9
    assert (await embedding.embedder.embed([], kind="passage")).shape[0] == 0

    assert embedding.log() == []


async def test_one_process_serves_all_callers(embedding: Embedding) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(partial(embedding.embedder.embed, [f"note {number}"], kind="passage"))

    assert len(embedding.pids()) == 1
    assert len(embedding.texts()) == 8
    assert embedding.embedder.status().state == "ready"
    assert embedding.embedder.status().dims == 32


async def test_the_process_is_told_what_to_load(tmp_path: Path) -> None:
    model = replace(MODEL, recipe=Recipe("query: ", "passage: ", normalise=True, max_tokens=300))
    embedding = Embedding(tmp_path, model, threads=2, idle_unload_s=90.0)

    await embedding.embedder.embed(["Ａ  note\n"], kind="passage")
    await embedding.embedder.embed(["a question"], kind="query")
    await embedding.embedder.aclose()

    assert embedding.log()[1:] == [
        "load /models/fake.gguf 2 300 90.0",
        "background passage: A note",
        "query query: a question",
    ]


async def test_passages_go_in_small_batches_so_that_a_query_gets_in_between(embedding: Embedding) -> None:
    await embedding.embedder.embed(["ready"], kind="passage")

    async with trio.open_nursery() as nursery:
        (embedding.folder / "held").touch()
        nursery.start_soon(lambda: embedding.embedder.embed(["slow " * 250] * 4, kind="passage"))
        await until(lambda: len(embedding.texts()) > 1)
        nursery.start_soon(lambda: embedding.embedder.embed(["a later passage"], kind="passage"))
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(lambda: embedding.embedder.embed(["urgent"], kind="query"))
        await trio.testing.wait_all_tasks_blocked()
        (embedding.folder / "held").unlink()

    order = [line.split()[0] for line in embedding.texts()]
    assert order.index("query") == 2
    assert len(order) == 7


async def test_batches_of_passages_grow_as_far_as_the_model_is_quick(embedding: Embedding) -> None:
    await embedding.embedder.embed(["x" * 80] * 80, kind="passage")

    sizes = [line.count("|") + 1 for line in embedding.texts()]
    assert sizes[0] <= 2
    assert max(sizes) > 4
    assert sum(sizes) == 80


async def test_a_slow_model_gets_few_passages_at_once(embedding: Embedding) -> None:
    await embedding.embedder.embed(["slow " + "x" * 75] * 8, kind="passage")

    assert {line.count("|") + 1 for line in embedding.texts()} == {2}


async def test_all_answer_at_once_while_the_model_loads(embedding: Embedding) -> None:
    (embedding.folder / "loading").touch()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: embedding.embedder.embed(["a note"], kind="passage"))
        await until(embedding.pids)
        started = trio.current_time()
        assert embedding.embedder.status().state == "loading"
        with trio.move_on_after(0.15) as deadline:
            await embedding.embedder.embed(["a question"], kind="query")
        assert deadline.cancelled_caught
        with pytest.raises(EmbedderError, match="loading"):
            await embedding.embedder.embed(["a question"], kind="query")
        assert trio.current_time() - started < QUERY_LOAD_WAIT_S + 30  # loading would take for ever
        (embedding.folder / "loading").unlink()

    assert len(embedding.pids()) == 1
    assert (await embedding.embedder.embed(["a question"], kind="query")).shape == (1, 32)


async def test_a_load_that_nobody_waits_for_any_more_still_counts(embedding: Embedding) -> None:
    (embedding.folder / "loading").touch()
    with trio.move_on_after(0.2):
        await embedding.embedder.embed(["a question"], kind="query")
    await until(embedding.pids)
    assert embedding.embedder.status().state == "loading"

    (embedding.folder / "loading").unlink()
    await until(lambda: embedding.embedder.status().state == "ready")

    await embedding.embedder.embed(["a question"], kind="query")
    assert len(embedding.pids()) == 1


async def test_a_model_that_loads_longer_than_a_query_waits_is_used_once_it_is_there(
    embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "QUERY_LOAD_WAIT_S", 0.1)
    (embedding.folder / "loading").touch()
    with pytest.raises(EmbedderError, match="loading"):
        await embedding.embedder.embed(["a question"], kind="query")
    (embedding.folder / "loading").unlink()
    await until(lambda: embedding.embedder.status().state == "ready")

    assert (await embedding.embedder.embed(["a question"], kind="query")).shape == (1, 32)


async def test_a_cancelled_caller_does_not_spoil_the_next_answer(embedding: Embedding) -> None:
    expected = await embedding.embedder.embed(["a note about tea"], kind="query")

    for _ in range(3):
        with trio.move_on_after(0.02):
            await embedding.embedder.embed(["slow and given up"], kind="query")
    again = await embedding.embedder.embed(["a note about tea"], kind="query")

    np.testing.assert_array_equal(again, expected)
    assert len(embedding.pids()) == 1


async def test_a_process_that_dies_costs_one_request(
    embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_BACKOFF_S", 2.0)  # longer than what is done meanwhile
    with pytest.raises(EmbedderError, match="signal 6") as caught:
        await embedding.embedder.embed(["abort"], kind="passage")

    assert caught.value.retry_after_s
    assert not caught.value.permanent
    assert embedding.embedder.status().state == "degraded"
    assert "signal 6" in (embedding.embedder.status().reason or "")
    with pytest.raises(EmbedderError) as resting:
        await embedding.embedder.embed(["a note"], kind="passage")
    assert 0 < (resting.value.retry_after_s or 0) <= 2.0

    await trio.sleep(resting.value.retry_after_s or 0)
    assert (await embedding.embedder.embed(["a note"], kind="passage")).shape == (1, 32)
    assert embedding.embedder.status().state == "ready"
    assert len(embedding.pids()) == 2


async def test_a_process_killed_between_requests_is_noticed_and_started_again(embedding: Embedding) -> None:
    await embedding.embedder.embed(["a note"], kind="passage")
    os.kill(embedding.pids()[0], signal.SIGKILL)
    await until(lambda: embedding.embedder.status().state == "degraded")

    with pytest.raises(EmbedderError) as caught:
        await embedding.embedder.embed(["a note"], kind="passage")
    await trio.sleep(caught.value.retry_after_s or 0)

    assert (await embedding.embedder.embed(["a note"], kind="passage")).shape == (1, 32)


async def test_a_stopped_process_blocks_no_caller_and_is_killed(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, answer_limit_s=2.0)
    await embedding.embedder.embed(["a note"], kind="passage")

    async with trio.open_nursery() as nursery:

        async def fill() -> None:
            with pytest.raises(EmbedderError, match="hung"):
                await embedding.embedder.embed(["stop here"], kind="passage")

        nursery.start_soon(fill)
        await until(lambda: any("stop" in line for line in embedding.texts()))
        with trio.move_on_after(0.15) as deadline:
            await embedding.embedder.embed(["a question"], kind="query")
        assert deadline.cancelled_caught

    await until(lambda: not _alive(embedding.pids()[0]))
    await embedding.embedder.aclose()


async def test_a_stopped_process_is_found_by_the_next_caller_when_the_first_has_left(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, answer_limit_s=1.5)
    await embedding.embedder.embed(["ready"], kind="passage")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(embedding.embedder.embed, ["stop here"], kind="passage"))
        await until(lambda: any("stop" in line for line in embedding.texts()))
        nursery.cancel_scope.cancel()
    await trio.sleep(1.5)

    with pytest.raises(EmbedderError, match="hung"):
        await embedding.embedder.embed(["a note"], kind="passage")

    await embedding.embedder.aclose()


async def test_a_stopped_process_that_nobody_waits_for_is_killed_and_told_of(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, answer_limit_s=2.0)
    await embedding.embedder.embed(["ready"], kind="passage")
    (pid,) = embedding.pids()
    os.kill(pid, signal.SIGSTOP)
    with trio.move_on_after(0.1):
        await embedding.embedder.embed(["a question"], kind="query")
    assert embedding.embedder.status().state == "ready"

    await until(lambda: embedding.embedder.status().state == "degraded")

    assert embedding.embedder.status().reason == "the embedding process hung"
    await until(lambda: _ended(pid))
    with pytest.raises(EmbedderError, match="hung") as caught:
        await embedding.embedder.embed(["a question"], kind="query")
    await trio.sleep(caught.value.retry_after_s or 0)
    assert (await embedding.embedder.embed(["a question"], kind="query")).shape == (1, 32)
    assert embedding.embedder.status().state == "ready"
    await embedding.embedder.aclose()


async def test_a_load_that_never_ends_and_that_nobody_waits_for_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "loading").touch()
    embedding = Embedding(tmp_path, load_limit_s=0.5)
    with trio.move_on_after(0.1):
        await embedding.embedder.embed(["a question"], kind="query")

    await until(lambda: embedding.embedder.status().state == "degraded")

    assert "hung" in (embedding.embedder.status().reason or "")
    await embedding.embedder.aclose()


async def test_a_process_that_does_not_end_for_want_of_work_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_IDLE_GRACE_S", 0.1)
    embedding = Embedding(tmp_path, idle_unload_s=1.5)
    await embedding.embedder.embed(["ready"], kind="passage")
    os.kill(embedding.pids()[0], signal.SIGSTOP)
    assert embedding.embedder.status().state == "ready"

    await until(lambda: embedding.embedder.status().state == "degraded")

    await until(lambda: _ended(embedding.pids()[0]))
    await embedding.embedder.aclose()


async def test_an_answer_that_nobody_fetched_is_no_sign_of_a_hang(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, answer_limit_s=2.0)
    await embedding.embedder.embed(["ready"], kind="passage")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(embedding.embedder.embed, ["slow question"], kind="query"))
        await until(lambda: any("slow" in line for line in embedding.texts()))
        nursery.cancel_scope.cancel()
    await trio.sleep(2.0)

    assert embedding.embedder.status().state == "ready"
    assert (await embedding.embedder.embed(["a question"], kind="query")).any()
    assert len(embedding.pids()) == 1
    await embedding.embedder.aclose()


async def test_more_text_has_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_process, "ANSWER_LIMIT_S_PER_BYTE", 0.01)
    embedding = Embedding(tmp_path, answer_limit_s=0.0)

    assert (await embedding.embedder.embed(["slow " * 200], kind="passage")).any()  # 0.3 s of 10
    with pytest.raises(EmbedderError, match="hung"):
        await embedding.embedder.embed(["slow"], kind="passage")  # 0.3 s of 0.04
    await embedding.embedder.aclose()


def _ended(pid: int) -> bool:
    """Gone, or dead and not yet waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def test_a_load_that_never_ends_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "loading").touch()
    embedding = Embedding(tmp_path, load_limit_s=0.5)

    with pytest.raises(EmbedderError, match="hung"):
        await embedding.embedder.embed(["a note"], kind="passage")

    assert embedding.embedder.status().state == "degraded"
    await embedding.embedder.aclose()


async def test_closing_ends_a_stopped_process(embedding: Embedding) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(embedding.embedder.embed, ["stop"], kind="passage"))
        await until(embedding.texts)
        nursery.cancel_scope.cancel()
    (pid,) = embedding.pids()

    with trio.fail_after(30):
        await embedding.embedder.aclose()

    assert not _alive(pid)


async def test_closing_ends_the_wait_of_a_caller(embedding: Embedding) -> None:
    async with trio.open_nursery() as nursery:

        async def fill() -> None:
            with pytest.raises(EmbedderError):
                await embedding.embedder.embed(["stop"], kind="passage")

        nursery.start_soon(fill)
        await until(lambda: embedding.texts() != [])
        await embedding.embedder.aclose()

    assert embedding.embedder.status().state == "off"


async def test_a_process_that_left_for_want_of_work_comes_back(embedding: Embedding) -> None:
    (embedding.folder / "leave").touch()
    await embedding.embedder.embed(["the last one for long"], kind="passage")
    await until(lambda: embedding.embedder.status().state == "idle")

    assert (await embedding.embedder.embed(["a note"], kind="passage")).shape == (1, 32)
    assert len(embedding.pids()) == 2
    assert embedding.embedder.status().state == "ready"


async def test_rests_grow_with_failures(tmp_path: Path) -> None:
    (tmp_path / "die_at_load").touch()
    embedding = Embedding(tmp_path)
    rests = []
    for _ in range(2):
        with pytest.raises(EmbedderError, match="code 3") as caught:
            await embedding.embedder.embed(["a note"], kind="passage")
        rests.append(caught.value.retry_after_s or 0)
        await trio.sleep(rests[-1] if len(rests) == 1 else 0)

    assert rests[1] == pytest.approx(2 * rests[0])
    await embedding.embedder.aclose()


@pytest.mark.parametrize(
    ("file", "words"), [("no_library", "openclaw-memd\\[local\\]"), ("bad_model", "memd model list")]
)
async def test_a_model_that_cannot_load_says_what_to_do(embedding: Embedding, file: str, words: str) -> None:
    (embedding.folder / file).touch()

    with pytest.raises(EmbedderError, match=words):
        await embedding.embedder.embed(["a note"], kind="passage")

    assert embedding.embedder.status().state == "degraded"
    assert embedding.embedder.status().model == "fake"


async def test_without_a_model_it_is_off_and_takes_one_up_that_comes_later(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, None)
    status = embedding.embedder.status()
    assert (status.state, embedding.embedder.model_id) == ("off", None)
    assert "memd model install" in (status.reason or "")
    with pytest.raises(EmbedderError, match="memd model install"):
        await embedding.embedder.embed(["a note"], kind="passage")
    with pytest.raises(EmbedderError, match="memd model install"):
        await embedding.embedder.calibration()

    embedding.model = MODEL

    assert embedding.embedder.status().state == "idle"
    assert (await embedding.embedder.embed(["a note"], kind="passage")).shape == (1, 32)
    await embedding.embedder.aclose()


async def test_a_model_named_in_the_settings_that_is_missing_is_a_fault(tmp_path: Path) -> None:
    def find() -> LocalModel:
        raise MissingModelError("the model minilm is not installed; run: memd model install minilm")

    embedder = LocalEmbedder(ModelHost(find, when_missing="degraded"))

    assert embedder.status().state == "degraded"


async def test_a_model_with_no_calibration_is_measured_once(tmp_path: Path) -> None:
    embedding = Embedding(tmp_path, replace(MODEL, calibration=None))

    first = await embedding.embedder.calibration()
    asked = len(embedding.texts())
    second = await embedding.embedder.calibration()

    assert first == second
    assert len(embedding.texts()) == asked > 0
    assert math.isfinite(first.floor)
    await embedding.embedder.aclose()


async def test_passages_that_are_refused_have_zeros_and_hold_no_other_up(embedding: Embedding) -> None:
    vectors = await embedding.embedder.embed(["a note", "refuse", "another"], kind="passage")

    assert vectors.any(axis=1).tolist() == [True, False, True]
    assert len(embedding.pids()) == 1


async def test_a_passage_that_ends_the_process_again_and_again_has_zeros(embedding: Embedding) -> None:
    failures = 0
    with trio.fail_after(60):
        while True:
            try:
                vectors = await embedding.embedder.embed(["a note", "abort", "another"], kind="passage")
                break
            except EmbedderError as error:
                failures += 1
                await trio.sleep(error.retry_after_s or 0)

    assert vectors.any(axis=1).tolist() == [True, False, True]
    assert failures == 1 + DEATHS_ALONE
    assert (await embedding.embedder.embed(["a note", "one more"], kind="passage")).any(axis=1).all()
    assert embedding.texts()[-1] == "background a note | one more"


async def test_a_process_that_dies_at_loading_is_no_passage_s_fault(embedding: Embedding) -> None:
    (embedding.folder / "die_at_load").touch()
    for _ in range(DEATHS_ALONE + 1):
        with pytest.raises(EmbedderError) as caught:
            await embedding.embedder.embed(["a note"], kind="passage")
        await trio.sleep(caught.value.retry_after_s or 0)
    (embedding.folder / "die_at_load").unlink()

    assert (await embedding.embedder.embed(["a note"], kind="passage")).any()


async def test_a_refused_text_fails_its_request_only(embedding: Embedding) -> None:
    with pytest.raises(EmbedderError, match="failed on the query"):
        await embedding.embedder.embed(["refuse"], kind="query")

    assert (await embedding.embedder.embed(["a note"], kind="passage")).shape == (1, 32)
    assert len(embedding.pids()) == 1


async def test_a_passage_without_a_vector_has_zeros_and_a_query_fails(embedding: Embedding) -> None:
    assert not (await embedding.embedder.embed(["empty"], kind="passage")).any()
    with pytest.raises(EmbedderError):
        await embedding.embedder.embed(["empty"], kind="query")


async def test_vectors_that_are_not_finite_are_refused(embedding: Embedding) -> None:
    with pytest.raises(EmbedderError, match="not finite"):
        await embedding.embedder.embed(["infinite"], kind="passage")


async def test_a_process_that_speaks_garbage_is_replaced(embedding: Embedding) -> None:
    with pytest.raises(EmbedderError, match="garbage"):
        await embedding.embedder.embed(["garbage"], kind="passage")

    await until(lambda: not _alive(embedding.pids()[0]))


async def test_a_program_that_cannot_be_started_is_a_failure_like_others() -> None:
    embedder = LocalEmbedder(ModelHost(lambda: MODEL, command=("/nonexistent/python",)))

    with pytest.raises(EmbedderError, match="cannot be started"):
        await embedder.embed(["a note"], kind="passage")

    assert embedder.status().state == "degraded"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_caller_that_leaves_during_the_start_leaves_one_process(embedding: Embedding) -> None:
    for _ in range(3):
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(embedding.embedder.embed, ["a note"], kind="passage"))
                await trio.testing.wait_all_tasks_blocked()
                scope.cancel()

    await embedding.embedder.embed(["a note"], kind="passage")
    assert len(embedding.pids()) == 1


async def test_closing_during_the_start_leaves_no_process(embedding: Embedding) -> None:
    async with trio.open_nursery() as nursery:

        async def fill() -> None:
            with pytest.raises(EmbedderError):
                await embedding.embedder.embed(["a note"], kind="passage")

        nursery.start_soon(fill)
        await trio.testing.wait_all_tasks_blocked()
        await embedding.embedder.aclose()

    assert not any(_alive(pid) for pid in embedding.pids())
