"""The chat model of each agent, made from the configuration, and the runtimes that attach for it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from openclaw_memd.config import paths
from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Model
from openclaw_memd.models.chat.absent import AbsentChatModel
from openclaw_memd.models.chat.runtime import AttachedRuntimes
from openclaw_memd.models.chat.select import ChatSettings, open_chat_model
from openclaw_memd.ports import ChatModel, Clock, Rng

_MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class AgentChat:
    """An agent's chat model; ``runtimes`` are those that lend it theirs, whether or not that is asked for."""

    model: ChatModel
    runtimes: AttachedRuntimes = field(default_factory=AttachedRuntimes)

    def usable(self) -> ChatModel | None:
        """The chat model; None when there is none now."""
        return None if self.model.model_id is None else self.model


def no_chat() -> AgentChat:
    """An agent without a chat model."""
    return AgentChat(AbsentChatModel("there is no chat model"))


def open_chats(config: Config, env: Mapping[str, str], clock: Clock, rng: Rng) -> dict[str, AgentChat]:
    """Each agent's; agents with equal settings share one model. Nothing is loaded or connected yet."""
    shared: dict[Model, ChatModel] = {}
    chats: dict[str, AgentChat] = {}
    for agent, settings in config.agents.items():
        section, runtimes = settings.model, AttachedRuntimes()
        model = shared.get(section)
        if model is None:
            model = open_chat_model(_settings(section, config, env), runtimes=runtimes, clock=clock, rng=rng)
            if section.provider != "runtime":  # each agent's runtimes are its own
                shared[section] = model
        chats[agent] = AgentChat(model, runtimes)
    return chats


async def close_chats(chats: Mapping[str, AgentChat]) -> None:
    """End the models' processes and connections."""
    for chat in chats.values():
        await chat.model.aclose()


def _settings(section: Model, config: Config, env: Mapping[str, str]) -> ChatSettings:
    return ChatSettings(
        data_dir=paths.data_dir(env, config.paths.data_dir or None),
        provider=section.provider,
        model=section.model,
        base_url=section.base_url,
        api_key_env=section.api_key_env,
        api_key_file=section.api_key_file,
        timeout_s=section.timeout_s,
        threads=max(1, min(_MOST_THREADS, (os.cpu_count() or 1) // 2)),
        idle_unload_s=config.embedding.idle_unload_s,
    )
