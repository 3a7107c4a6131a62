"""Ways to ask a real daemon that are not its command line."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from tests.daemons import RunningDaemon, read_queue_ms

QUICK = {"MEMD_FILES__DEBOUNCE_S": "0.05"}
"""Changes are indexed at once, so that tests need not wait for an editor to come to rest."""

PATIENT = QUICK | {
    "MEMD_LIMITS__READ_MS": "30000",
    "MEMD_LIMITS__WRITE_MS": "30000",
    "MEMD_LIMITS__SYNC_MS": "120000",  # the notes of many rounds are long
    "MEMD_INJECT__DEADLINE_MS": "30000",
}
"""The same with deadlines that a slow machine under load keeps, for tests of what is kept and lost.

Whatever hangs misses these too, and fails its test. Tests of deadlines take those that users have.
"""


MIDDAY_ZONE = f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"
"""It is about noon there, so that no day ends while a test runs."""

MIDDAY = {"MEMD_TIME__ZONE": MIDDAY_ZONE}


def midday_date() -> date:
    """The date for a daemon with ``MIDDAY``."""
    return datetime.now(ZoneInfo(MIDDAY_ZONE)).date()


def over_http(daemon: RunningDaemon, method: str, **params: Any) -> Any:
    """The result of one call, asked as curl would."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(daemon.socket)), timeout=30.0) as client:
        answer = client.post("http://localhost/rpc", json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def page(daemon: RunningDaemon, path: str) -> httpx.Response:
    """A page of the daemon's HTTP side."""
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(daemon.socket)), timeout=30.0) as client:
        return client.get(f"http://localhost{path}")


class Watch:
    """Tells the time, less what the machine kept the caller, and the daemon's main thread, from a processor.

    What another thread of the daemon waits is not taken off: its work is the daemon's own doing.
    """

    def __init__(self, daemon: RunningDaemon) -> None:
        self._daemon = daemon
        self._began_s = time.perf_counter()
        self._waited_ms = self._read_waited_ms()

    def ms(self) -> float:
        """The milliseconds since this was made."""
        took_ms = (time.perf_counter() - self._began_s) * 1000
        return took_ms - (self._read_waited_ms() - self._waited_ms)

    def _read_waited_ms(self) -> float:
        """How long both have waited so far; nothing where the system does not tell."""
        return read_queue_ms(Path("/proc/thread-self")) + self._daemon.queue_ms()


def search_at_once(daemon: RunningDaemon, query: str, count: int) -> list[Any]:
    """The answers to the same search, asked over ``count`` connections at the same time."""
    with ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(daemon.call, "recall.search", query=query) for _ in range(count)]
        return [answer.result() for answer in asked]
