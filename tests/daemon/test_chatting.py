import pytest

from openclaw_memd.config.schema import Agent, Config
from openclaw_memd.config.sections import Model
from openclaw_memd.daemon.chatting import close_chats, no_chat, open_chats
from openclaw_memd.ports import ChatModelError
from tests.contracts import question
from tests.fakes import ConstantRng, TrioClock

REMOTE = Model(provider="openai", model="judge", base_url="http://127.0.0.1:9/v1")
RUNTIME = Model(provider="runtime")


def config_of(**models: Model) -> Config:
    return Config(agents={name: Agent(model=model) for name, model in models.items()})


async def test_each_agent_has_the_model_of_its_settings_and_equal_settings_share_one() -> None:
    config = config_of(
        none=Model(),
        first=REMOTE,
        second=REMOTE,
        other=Model(provider="openai", model="another"),
        local=Model(provider="local", model="/none/judge.gguf"),
        runtime=RUNTIME,
        lent=RUNTIME,
    )
    chats = open_chats(config, {}, TrioClock(), ConstantRng())

    providers = {name: chat.model.status().provider for name, chat in chats.items()}
    assert providers == {
        "none": "none",
        "first": "openai",
        "second": "openai",
        "other": "openai",
        "local": "local",
        "runtime": "runtime",
        "lent": "runtime",
    }
    assert chats["first"].model is chats["second"].model
    assert chats["first"].model is not chats["other"].model
    assert chats["runtime"].model is not chats["lent"].model, "a runtime is lent to one agent"
    assert {name for name, chat in chats.items() if chat.usable() is not None} == {"first", "second", "other"}

    await close_chats(chats)
    with pytest.raises(ChatModelError) as caught:
        await chats["first"].model.complete(question())
    assert caught.value.failure == "off"


async def test_no_chat_is_none() -> None:
    assert no_chat().usable() is None
    assert no_chat().model.status().state == "off"
