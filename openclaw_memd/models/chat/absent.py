"""No chat model at all."""

from openclaw_memd.ports import ChatModelError, ChatModelStatus, ChatRequest


class AbsentChatModel:
    """A chat model that is off; ``reason`` says why."""

    model_id = None

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def status(self) -> ChatModelStatus:
        """Off."""
        return ChatModelStatus("none", None, "off", self._reason)

    async def complete(self, request: ChatRequest) -> str:
        """Never.

        Raises:
            ChatModelError: always.
        """
        raise ChatModelError("off", self._reason)

    async def aclose(self) -> None:
        """Nothing to close."""
