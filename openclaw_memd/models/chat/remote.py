"""A chat model behind an OpenAI-compatible ``/chat/completions`` endpoint."""

from collections.abc import Callable
from dataclasses import dataclass

import trio

from openclaw_memd.domain.surrogates import replace_surrogates
from openclaw_memd.models.chat.answers import FAIR_S, MOST_BYTES, check_answer, timed_out, unfence, within
from openclaw_memd.models.chat.completions_api import Dialect, concede, encode_request, read_text
from openclaw_memd.models.http import Answer, JsonPoster, LateAnswerError, LongAnswerError, TransportError
from openclaw_memd.models.keys import KeyProblemError, read_key
from openclaw_memd.models.recovery import Rest
from openclaw_memd.models.verdict import Accepted, Denied, Refused, TooLarge, TryLater, judge
from openclaw_memd.ports import ChatModelError, ChatModelStatus, ChatRequest, Clock, Rng

_WHO = "the chat model's provider"
_CALLS = 4  # one, and one for each thing that a server may not understand


@dataclass(frozen=True, slots=True)
class RemoteChatSettings:
    """Which endpoint. ``timeout_s`` bounds one answer, however much later the caller's deadline is."""

    base_url: str
    model: str
    api_key_env: str | None = None
    api_key_file: str | None = None
    timeout_s: float = 60.0


class RemoteChatModel:
    """A chat model behind HTTP. ``mask`` takes secrets out of every text before it is sent.

    A provider that asks to wait is left alone for so long, by callers that cannot wait for it and by all
    others. What it does not understand of a request is left out from then on.
    """

    def __init__(
        self, settings: RemoteChatSettings, *, mask: Callable[[str], str], clock: Clock, rng: Rng
    ) -> None:
        self._settings = settings
        self._mask = mask
        self._clock = clock
        self._poster = JsonPoster(settings.base_url.rstrip("/") + "/chat/completions")
        self._rest = Rest(rng, "chat model provider")
        self._dialect = Dialect()
        self._answered = False
        self._warning: str | None = None
        self._closed = False

    @property
    def model_id(self) -> str | None:
        """The configured model."""
        return None if self._closed else f"openai:{self._settings.model}"

    def status(self) -> ChatModelStatus:
        """The current state, at once; idle until the provider has answered once."""
        model = self._settings.model
        if self._closed:
            return ChatModelStatus("openai", model, "off", "the chat model is closed")
        if self._rest.reason is not None:
            return ChatModelStatus("openai", model, "degraded", self._rest.reason)
        return ChatModelStatus("openai", model, "ready" if self._answered else "idle", self._warning)

    async def complete(self, request: ChatRequest) -> str:
        """The answer's text; what the model thinks of a schema depends on the provider.

        Raises:
            ChatModelError: there is none by the deadline, or at all.
        """
        if self._closed:
            raise ChatModelError("off", "the chat model is closed")
        due_at = within(request, self._settings.timeout_s).deadline_at
        if trio.current_time() >= due_at:
            raise timed_out()
        system, prompt = self._prepare(request.system), self._prepare(request.prompt)
        dialect = self._dialect
        for _ in range(_CALLS):
            await self._wait(due_at)
            body = encode_request(
                model=self._settings.model,
                system=system,
                prompt=prompt,
                max_tokens=request.max_tokens,
                schema=request.schema,
                dialect=dialect,
            )
            answer = await self._post(body, due_at)
            verdict = judge(answer.status, answer.headers, answer.body, now=self._clock.now(), who=_WHO)
            if isinstance(verdict, Accepted):
                self._rest.succeeded()
                self._answered, self._dialect = True, dialect
                text = read_text(answer.body)
                return check_answer(text if request.schema is None else unfence(text))
            conceded = concede(dialect, answer.status, answer.body, has_schema=request.schema is not None)
            if conceded is not None:
                dialect = conceded
                continue
            match verdict:
                case TooLarge():
                    raise ChatModelError("too_large", f"{_WHO} finds the question too long")
                case Denied(reason=reason):
                    self._rest.deny(reason)
                    raise ChatModelError("unavailable", reason)
                case Refused(reason=reason):
                    raise ChatModelError("refused", reason)
                case TryLater(reason=reason, retry_after_s=retry_after_s):
                    self._rest.failed(reason, retry_after_s)
        raise ChatModelError("unavailable", self._rest.reason or f"{_WHO} refused the request")

    async def aclose(self) -> None:
        """Close the connections."""
        self._closed = True
        await self._poster.aclose()

    async def _wait(self, due_at: float) -> None:
        """Wait until the provider may be called.

        Raises:
            ChatModelError: that is not before ``due_at``, or somebody must act first.
        """
        while (left_s := self._rest.left_s) > 0:
            if self._rest.is_denied or trio.current_time() + left_s >= due_at:
                raise ChatModelError("unavailable", self._rest.reason or f"{_WHO} failed")
            await trio.sleep(left_s)

    async def _post(self, body: bytes, due_at: float) -> Answer:
        began_at = trio.current_time()
        try:
            return await self._poster.post(
                body, self._headers(), timeout_s=max(0.0, due_at - began_at), max_bytes=MOST_BYTES
            )
        except KeyProblemError as error:
            self._rest.deny(str(error))
            raise ChatModelError("unavailable", str(error)) from None
        except LateAnswerError:
            if trio.current_time() - began_at >= FAIR_S:
                self._rest.failed(f"{_WHO} did not answer in time", None)
            raise timed_out() from None
        except LongAnswerError:
            raise ChatModelError("too_large", "the chat model's answer is too long") from None
        except TransportError as error:
            self._rest.failed(f"{_WHO} failed: {error}", None)
            raise ChatModelError("unavailable", f"{_WHO} failed: {error}") from None

    def _headers(self) -> dict[str, str]:
        key = read_key(env=self._settings.api_key_env, file=self._settings.api_key_file)
        self._warning = key.warning
        return {"authorization": f"Bearer {key.value}"} if key.value else {}

    def _prepare(self, text: str) -> str:
        """``text`` as it may be sent: masked, and with bytes for every character."""
        return replace_surrogates(self._mask(text))
