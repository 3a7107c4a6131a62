"""One memory of a provider's failures for all its callers: the shared cool-down and the breaker."""

import structlog
import trio

from openclaw_memd.models.verdict import backoff_s
from openclaw_memd.ports import EmbedderError, Rng

MOST_WAIT_S = 120.0
QUERY_WAIT_S = 0.6
DENIED_S = 900.0
MOST_REST_S = 900.0
"""A provider that asks for more is asked again after this."""

_log = structlog.get_logger("memd.models")


class Rest:
    """How a provider failed and how long it is left alone. ``who`` is its name in the log."""

    def __init__(self, rng: Rng, who: str) -> None:
        self._rng = rng
        self._who = who
        self._failures = 0
        self._resume_at = 0.0
        self.is_denied = False
        self.reason: str | None = None
        """What is wrong now, None when nothing is."""

    @property
    def left_s(self) -> float:
        """Seconds until the provider may be called again."""
        return max(0.0, self._resume_at - trio.current_time())

    def succeeded(self) -> None:
        """The provider works."""
        self._failures, self._resume_at, self.is_denied, self.reason = 0, 0.0, False, None

    def failed(self, reason: str, retry_after_s: float | None) -> None:
        """The provider failed, or asks to wait ``retry_after_s``."""
        self._failures += 1
        delay_s = backoff_s(self._failures, self._rng.random()) if retry_after_s is None else retry_after_s
        delay_s = min(delay_s, MOST_REST_S)
        self._resume_at = max(self._resume_at, trio.current_time() + delay_s)
        self.is_denied, self.reason = False, reason
        _log.info(f"{self._who} failed", failures=self._failures, retry_in_s=round(delay_s, 1))

    def deny(self, reason: str) -> None:
        """The provider will not work until somebody acts. It is asked again after a quarter of an hour."""
        if not self.is_denied:
            _log.warning(f"{self._who} denied", retry_in_s=DENIED_S)
        self.is_denied, self.reason = True, reason
        self._resume_at = trio.current_time() + DENIED_S


class Recovery(Rest):
    """The rest of an embedding provider, and the errors that its callers get meanwhile."""

    def __init__(self, rng: Rng) -> None:
        super().__init__(rng, "embedding provider")

    async def wait(self, *, patient: bool) -> None:
        """Wait until the provider may be called: a patient caller two minutes, another not half as many
        seconds.

        Raises:
            EmbedderError: that is not soon enough, or somebody must act first.
        """
        most_s = MOST_WAIT_S if patient else QUERY_WAIT_S
        while (left_s := self.left_s) > 0:
            if self.is_denied or left_s > most_s:
                raise self.error()
            await trio.sleep(left_s)

    def denied(self, reason: str) -> EmbedderError:
        """As ``deny``; what the caller is told."""
        self.deny(reason)
        return self.error()

    def error(self) -> EmbedderError:
        """What a caller is told now."""
        return EmbedderError(
            self.reason or "the embedding provider failed",
            retry_after_s=self.left_s,
            permanent=self.is_denied,
        )
