import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.ports import ChatModel, ChatModelError
from tests.contracts import (
    HUGE_ANSWER,
    ChatBehaviour,
    ChatModelContract,
    EmbedderContract,
    MakeChatModel,
    question,
)
from tests.fakes import HashEmbedder, ScriptedChatModel


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        return HashEmbedder()


class TestScriptedChatModel(ChatModelContract):
    @pytest.fixture
    def make_chat(self) -> MakeChatModel:
        async def make(behaviour: ChatBehaviour) -> ChatModel:
            match behaviour:
                case "answers":
                    return ScriptedChatModel(otherwise='{"found": true}')
                case "hangs":
                    model = ScriptedChatModel(["never"])
                    model.hang()
                    return model
                case "blank":
                    return ScriptedChatModel([" \n"])
                case "huge":
                    return ScriptedChatModel([HUGE_ANSWER])
                case "fails":
                    return ScriptedChatModel([ChatModelError("unavailable")])

        return make

    async def test_follows_its_script_and_its_clock(self, autojump_clock: MockClock) -> None:
        model = ScriptedChatModel(
            ["first", ChatModelError("refused"), lambda request: request.prompt.upper()], delay_s=3.0
        )

        assert await model.complete(question("a")) == "first"
        with pytest.raises(ChatModelError) as refused:
            await model.complete(question("b"))
        assert await model.complete(question("c")) == "C"
        with pytest.raises(ChatModelError) as ended:
            await model.complete(question("d"))
        assert (refused.value.failure, ended.value.failure) == ("refused", "unavailable")
        assert [request.prompt for request in model.requests] == ["a", "b", "c", "d"]
        assert trio.current_time() == 12.0
