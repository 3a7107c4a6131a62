"""A real daemon over a prepared workspace."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.workspaces import Prepared
from tests.daemons import DaemonError, LineClient, RunningDaemon

SETTLE_LIMIT_S = 300.0
WARM_UP_LIMIT_S = 120.0
WARM_UP_PAUSE_S = 0.5


class UnexpectedAnswerError(Exception):
    """The daemon did not do what was to be measured."""


@contextmanager
def settled_daemon(prepared: Prepared, env: Mapping[str, str] | None = None) -> Iterator[RunningDaemon]:
    """A daemon that has compared all files with its index and has nothing left to do."""
    with RunningDaemon(prepared.folder, env=env) as daemon:
        daemon.wait_until(lambda: _is_settled(daemon.call("status")), SETTLE_LIMIT_S)
        yield daemon


def _is_settled(status: dict[str, Any]) -> bool:
    (agent,) = status["agents"]
    has_vectors = agent["embedding"]["state"] == "off" or agent["vectors"] == agent["chunks"]
    return bool(agent["freshness"] == "fresh" and agent["chunks"] and has_vectors)


def search(client: LineClient, question: str, *, mode: str) -> None:
    """One search that must have been answered in ``mode`` and by all there is.

    Raises:
        UnexpectedAnswerError: it was not.
    """
    if not _is_answered(client, question, mode):
        raise UnexpectedAnswerError(f"a search was not answered by {mode}, or not by all there is")


def warm_up(client: LineClient, questions: Sequence[str]) -> None:
    """Search until the vectors are in memory and those of ``questions`` are known.

    Raises:
        UnexpectedAnswerError: they never were.
    """
    ends_at = time.monotonic() + WARM_UP_LIMIT_S
    while time.monotonic() < ends_at:
        if all(_is_answered(client, question, "hybrid") for question in questions):
            return
        time.sleep(WARM_UP_PAUSE_S)
    (agent,) = client.call("status")["agents"]
    raise UnexpectedAnswerError(f"no whole answers with vectors, the embedder is {agent['embedding']}")


def _is_answered(client: LineClient, question: str, mode: str) -> bool:
    try:
        answer = client.call("recall.search", query=question)
    except DaemonError:  # as by the deadline, while vectors are read
        return False
    return bool(answer["mode"] == mode and not answer.get("degraded"))
