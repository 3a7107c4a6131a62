"""Ways to ask a real daemon that are not its command line."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.daemons import RunningDaemon

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


def search_at_once(daemon: RunningDaemon, query: str, count: int) -> list[Any]:
    """The answers to the same search, asked over ``count`` connections at the same time."""
    with ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(daemon.call, "recall.search", query=query) for _ in range(count)]
        return [answer.result() for answer in asked]
