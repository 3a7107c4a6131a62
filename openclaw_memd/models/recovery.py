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


class Recovery:
    """When to call again. ``reason`` is what is wrong now, None when nothing is."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._failures = 0
        self._resume_at = 0.0
        self._denied = False
        self.reason: str | None = None

    async def wait(self, *, patient: bool) -> None:
        """Wait until the provider may be called: a patient caller two minutes, another not half as many
        seconds.

        Raises:
            EmbedderError: that is not soon enough, or somebody must act first.
        """
        most_s = MOST_WAIT_S if patient else QUERY_WAIT_S
        while (left_s := self._resume_at - trio.current_time()) > 0:
            if self._denied or left_s > most_s:
                raise self.error()
            await trio.sleep(left_s)

    def succeeded(self) -> None:
        """The provider works."""
        self._failures, self._resume_at, self._denied, self.reason = 0, 0.0, False, None

    def failed(self, reason: str, retry_after_s: float | None) -> None:
        """The provider failed, or asks to wait ``retry_after_s``."""
        self._failures += 1
        delay_s = backoff_s(self._failures, self._rng.random()) if retry_after_s is None else retry_after_s
        delay_s = min(delay_s, MOST_REST_S)
        self._resume_at = max(self._resume_at, trio.current_time() + delay_s)
        self._denied, self.reason = False, reason
        _log.info("embedding provider failed", failures=self._failures, retry_in_s=round(delay_s, 1))

    def denied(self, reason: str) -> EmbedderError:
        """The provider will not work until somebody acts. It is asked again after a quarter of an hour."""
        if not self._denied:
            _log.warning("embedding provider denied", retry_in_s=DENIED_S)
        self._denied, self.reason = True, reason
        self._resume_at = trio.current_time() + DENIED_S
        return self.error()

    def error(self) -> EmbedderError:
        """What a caller is told now."""
        left_s = max(0.0, self._resume_at - trio.current_time())
        return EmbedderError(
            self.reason or "the embedding provider failed", retry_after_s=left_s, permanent=self._denied
        )
