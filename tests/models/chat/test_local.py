"""The local chat model and its process; the process is a stand-in that fails on demand."""

import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from openclaw_memd.models.chat import local
from openclaw_memd.models.chat.local import LocalChatModel
from openclaw_memd.models.locate import NO_LIBRARY, MissingModelError
from openclaw_memd.ports import ChatModel, ChatModelError
from tests.contracts import ChatBehaviour, ChatModelContract, MakeChatModel, question

CHILD = Path(__file__).with_name("fake_child.py")
FOUND = '{"found": true}'


@pytest.fixture(autouse=True)
def shorter_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes are real, so is the time; the waits keep their order."""
    monkeypatch.setattr(local, "_BACKOFF_S", 0.2)
    monkeypatch.setattr(local, "LATE_S", 1.0)


class Chat:
    """A chat model with a fake process, and the folder that steers it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.file = folder / "judge.gguf"
        self.file.write_bytes(b"GGUF")
        self.model = LocalChatModel(self.find, command=(sys.executable, str(CHILD), str(folder)), **options)

    def find(self) -> Path:
        if not self.file.exists():
            raise MissingModelError("the model file judge.gguf does not exist")
        return self.file

    def log(self, word: str) -> list[str]:
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.startswith(word)]

    def pid(self) -> int:
        return int(self.log("start")[-1].split()[1])


@pytest.fixture
async def chat(tmp_path: Path) -> AsyncIterator[Chat]:
    made = Chat(tmp_path, threads=2, idle_unload_s=9.0)
    yield made
    await made.model.aclose()


class TestContract(ChatModelContract):
    @pytest.fixture
    async def make_chat(self, chat: Chat) -> MakeChatModel:
        async def make(behaviour: ChatBehaviour) -> ChatModel:
            await chat.model.complete(question())  # started and loaded
            (chat.folder / behaviour).touch()
            return chat.model

        return make


async def until(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    with trio.fail_after(limit_s):
        while not condition():  # noqa: ASYNC110 - another process makes it true
            await trio.sleep(0.01)


async def failure_of(chat: Chat, prompt: str = "who", **how: Any) -> ChatModelError:
    with pytest.raises(ChatModelError) as caught:
        await chat.model.complete(question(prompt, **how))
    return caught.value


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_one_process_is_started_with_the_first_question(chat: Chat) -> None:
    assert chat.model.status().state == "idle"
    assert chat.log("start") == []

    for number in range(3):
        assert await chat.model.complete(question(f"question {number}")) == FOUND

    assert chat.log("load") == [f"load {chat.file} 2 9.0"]
    assert chat.log("ask") == [f"ask question {number}" for number in range(3)]
    await chat.model.aclose()
    assert not is_alive(chat.pid())


async def test_a_question_that_ends_the_process_costs_only_itself(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_BACKOFF_S", 2.0)  # longer than what is done meanwhile
    await chat.model.complete(question())  # started and loaded
    assert (await failure_of(chat, "die")).failure == "unavailable"
    assert chat.log("ask die") == ["ask die"], "it is not asked again"
    assert chat.model.status().state == "degraded"
    assert (await failure_of(chat)).failure == "unavailable", "it rests first"
    await trio.sleep(2.0)

    assert await chat.model.complete(question()) == FOUND
    assert chat.model.status().state == "ready"


async def test_the_process_is_told_that_nobody_waits_any_more(chat: Chat) -> None:
    await chat.model.complete(question())  # started and loaded
    async with trio.open_nursery() as nursery:
        nursery.start_soon(chat.model.complete, question("hangs", within_s=1.5))
        await until(lambda: chat.log("ask hangs"))
        nursery.cancel_scope.cancel()

    assert await chat.model.complete(question()) == FOUND
    assert chat.log("give up") == ["give up 2"]


async def test_a_stopped_process_is_killed_and_replaced_for_the_next_question(chat: Chat) -> None:
    await chat.model.complete(question())  # started and loaded
    assert (await failure_of(chat, "stop", within_s=0.2)).failure == "timeout"
    stopped = chat.pid()

    assert await chat.model.complete(question()) == FOUND
    assert chat.pid() != stopped
    assert not is_alive(stopped)


async def test_a_stopped_process_is_killed_when_nobody_asks_again(chat: Chat) -> None:
    await chat.model.complete(question())  # started and loaded
    await failure_of(chat, "stop", within_s=0.2)
    await until(lambda: chat.model.status().state == "degraded")

    assert chat.model.status().reason == "the chat model's process hung"
    await until(lambda: chat.model.status() and not is_alive(chat.pid()))


async def test_one_that_keeps_to_its_time_is_kept(chat: Chat) -> None:
    await chat.model.complete(question())  # started and loaded
    assert (await failure_of(chat, "hangs", within_s=0.2)).failure == "timeout"

    assert await chat.model.complete(question()) == FOUND
    assert len(chat.log("start")) == 1


async def test_garbage_from_the_process_is_no_answer(chat: Chat) -> None:
    assert (await failure_of(chat, "garbage")).failure == "unavailable"


async def test_a_question_that_is_too_long(chat: Chat) -> None:
    assert (await failure_of(chat, "long")).failure == "too_large"


async def test_one_killed_between_questions_is_noticed(chat: Chat) -> None:
    await chat.model.complete(question())
    os.kill(chat.pid(), signal.SIGKILL)
    await until(lambda: chat.model.status().reason == "the chat model's process died")

    assert await chat.model.complete(question()) == FOUND
    assert len(chat.log("start")) == 2


async def test_one_that_left_for_want_of_work_comes_back(chat: Chat) -> None:
    (chat.folder / "leave").touch()
    await chat.model.complete(question())
    await until(lambda: chat.model.status().state == "idle")
    (chat.folder / "leave").unlink()

    assert await chat.model.complete(question()) == FOUND
    assert len(chat.log("start")) == 2


async def test_all_answer_in_time_while_the_model_loads(chat: Chat) -> None:
    (chat.folder / "loading").touch()

    assert (await failure_of(chat, within_s=0.3)).failure == "timeout"
    assert chat.model.status().state == "loading"
    (chat.folder / "loading").unlink()
    assert await chat.model.complete(question()) == FOUND
    assert len(chat.log("start")) == 1


async def test_a_model_that_comes_later_is_taken_up_and_another_file_is_loaded(chat: Chat) -> None:
    chat.file.unlink()
    assert chat.model.status().state == "degraded"
    assert "does not exist" in str(await failure_of(chat))

    chat.file.write_bytes(b"GGUF1")
    assert await chat.model.complete(question()) == FOUND
    chat.file.write_bytes(b"GGUF another")
    assert await chat.model.complete(question()) == FOUND
    assert len(chat.log("start")) == 2


@pytest.mark.parametrize(("file", "words"), [("no_library", NO_LIBRARY), ("bad_model", "use another file")])
async def test_a_model_that_cannot_load_says_what_to_do(chat: Chat, file: str, words: str) -> None:
    (chat.folder / file).touch()

    assert words in str(await failure_of(chat))
    assert words in (chat.model.status().reason or "")


async def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    file = tmp_path / "judge.gguf"
    file.write_bytes(b"GGUF")
    model = LocalChatModel(lambda: file, command=("/no/such/program",))

    with pytest.raises(ChatModelError, match="cannot be started"):
        await model.complete(question())
    await model.aclose()


async def test_closing_during_the_start_leaves_no_process(chat: Chat) -> None:
    (chat.folder / "loading").touch()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(failure_of, chat)
        await until(lambda: chat.log("load"))
        await chat.model.aclose()
    assert not is_alive(chat.pid())
