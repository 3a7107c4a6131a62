"""From settings to a chat model."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.models.chat.absent import AbsentChatModel
from openclaw_memd.models.chat.local import LocalChatModel
from openclaw_memd.models.chat.remote import RemoteChatModel, RemoteChatSettings
from openclaw_memd.models.chat.runtime import AttachedRuntimes, RuntimeChatModel
from openclaw_memd.models.locate import locate_gguf
from openclaw_memd.models.remote import DEFAULT_BASE_URL
from openclaw_memd.ports import ChatModel, Clock, Rng


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What the section ``[model]`` says; empty strings mean that it says nothing."""

    data_dir: Path
    provider: Literal["none", "runtime", "openai", "local"] = "none"
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    timeout_s: float = 60.0
    threads: int = 1
    idle_unload_s: float = 600.0


def open_chat_model(
    settings: ChatSettings,
    *,
    runtimes: AttachedRuntimes,
    clock: Clock,
    rng: Rng,
    mask: Callable[[str], str] = mask_secrets,
) -> ChatModel:
    """The chat model that ``settings`` name. Nothing is loaded or connected.

    ``runtimes`` are those that attach for the agent, whether or not they are asked.
    """
    match settings.provider:
        case "none":
            return AbsentChatModel("there is no chat model by the setting [model] provider")
        case "runtime":
            return RuntimeChatModel(runtimes, timeout_s=settings.timeout_s)
        case "openai":
            return RemoteChatModel(_remote(settings), mask=mask, clock=clock, rng=rng)
        case "local":
            return LocalChatModel(
                lambda: locate_gguf(settings.data_dir, settings.model),
                threads=settings.threads,
                idle_unload_s=settings.idle_unload_s,
                timeout_s=settings.timeout_s,
            )
        case _:
            assert_never(settings.provider)


def _remote(settings: ChatSettings) -> RemoteChatSettings:
    # OpenAI's own variable for OpenAI's own address; it is nobody else's to see.
    usual_key = None if settings.base_url or settings.api_key_file else "OPENAI_API_KEY"
    return RemoteChatSettings(
        base_url=settings.base_url or DEFAULT_BASE_URL,
        model=settings.model,
        api_key_env=settings.api_key_env or usual_key,
        api_key_file=settings.api_key_file or None,
        timeout_s=settings.timeout_s,
    )
