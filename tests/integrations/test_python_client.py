"""The example client against a real daemon."""

import importlib.util
import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

CLIENT = Path(__file__).parents[2] / "integrations" / "python" / "memd_client.py"
OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "terminal", "conversation_id": "c1"},
    "sender": {"id": "me", "is_owner": True},
}
MESSAGE = "Do you remember when we moved the gateway to another port?"
NOTE = "- The gateway moved to port 18790 on Monday.\n"


@pytest.fixture(scope="module")
def client_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("memd_client", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with (
        short_folder() as folder,
        RunningDaemon(folder, env=PATIENT | {"MEMD_MODEL__PROVIDER": "runtime"}) as running,
    ):
        running.write("memory/2026-01-11.md", NOTE)
        running.settle()
        yield running


@pytest.fixture
def memd(client_module: ModuleType, daemon: RunningDaemon) -> Iterator[Any]:
    with client_module.Memd(daemon.socket) as client:
        yield client


def test_finds_the_daemon_and_asks_it(memd: Any, client_module: ModuleType, daemon: RunningDaemon) -> None:
    assert client_module.default_socket(daemon.env) == daemon.socket
    hits = memd.call("recall.search", query="gateway port", context=OWNER)["hits"]
    assert hits[0]["text"].startswith("- The gateway moved")
    turn = memd.call("inject.turn", text="hello", turn_id="t1", context=OWNER)
    assert isinstance(turn["context"], str)
    with pytest.raises(client_module.MemdError) as refused:
        memd.call("recall.search")
    assert refused.value.kind == "invalid_params"
    assert {tool["function"]["name"] for tool in memd.call("tools.describe")["tools"]} >= {
        "memory_search",
        "memory_get",
    }


def test_memd_asks_the_model_that_is_lent(memd: Any, daemon: RunningDaemon) -> None:
    asked: list[Any] = []

    def model(question: Any) -> str:
        """Looks something up over the same connection before it answers."""
        asked.append(question)
        memd.call("recall.search", query="gateway", context=OWNER)
        return json.dumps({"action": "answer", "answer": "The gateway moved to port 18790 on Monday."})

    daemon.wait_until(lambda: daemon.agent()["model"]["state"] == "idle")
    assert memd.lend(model, models=["tiny"], max_parallel=2)
    assert (daemon.agent()["model"]["state"], daemon.agent()["model"]["model"]) == ("ready", "tiny")
    assert "model      runtime tiny, ready" in daemon.memd("status").stdout

    recalled = memd.call("recall.deep", text=MESSAGE, context=OWNER)

    assert (recalled["outcome"], recalled["reason"]) == ("ok", None)
    assert "18790" in recalled["summary"]
    assert {"system", "prompt", "max_tokens", "deadline_ms", "purpose"} <= asked[0].keys()
    assert 0 < asked[0]["deadline_ms"] <= 15_000


def test_a_model_that_is_lent_anew_leaves_no_question_without_a_thread(
    memd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memd.lend(lambda _question: "NONE")
    before = memd._model_threads

    def shut_down(*, wait: bool) -> None:
        ThreadPoolExecutor.shutdown(before, wait=wait)
        memd._model_threads.submit(int).result(60)  # what comes now

    monkeypatch.setattr(before, "shutdown", shut_down)
    memd.lend(lambda _question: "NONE")

    assert memd._model_threads is not before


def test_a_model_that_fails_costs_nothing_but_its_judgement(memd: Any, daemon: RunningDaemon) -> None:
    def model(_question: Any) -> str:
        raise ValueError("overslept")

    memd.lend(model)
    recalled = memd.call("recall.deep", text="Do you remember the port of the gateway?", context=OWNER)

    assert recalled["outcome"] in {"ok", "none", "unavailable"}, recalled["reason"]
    assert "overslept" not in daemon.read_log()
    assert memd.call("status")["state"] == "ok"


def test_an_attached_model_goes_with_its_connection(client_module: ModuleType, daemon: RunningDaemon) -> None:
    with client_module.Memd(daemon.socket) as client:
        client.lend(lambda _question: "x")
        assert daemon.agent()["model"]["state"] == "ready"
    daemon.wait_until(lambda: daemon.agent()["model"]["state"] == "idle")


def test_events_come_as_they_happen(memd: Any, daemon: RunningDaemon) -> None:
    events: list[Any] = []
    seen = threading.Event()

    def note(event: Any) -> None:
        events.append(event)
        if {event["topic"] for event in events} >= {"memory.changed", "index.synced"}:
            seen.set()
        raise ValueError("a reader's mistake does not end the events")

    memd.subscribe(["memory.changed", "index.synced", "status.changed"], note)
    daemon.write("memory/2026-01-12.md", "- The lamp is green.\n")
    memd.call("index.sync")

    assert seen.wait(60)
    changed = next(event for event in events if event["topic"] == "memory.changed")
    assert (changed["paths"], changed["agents"]) == (["memory/2026-01-12.md"], ["main"])
    assert "lamp" not in json.dumps(events)


def test_as_a_program(client_module: ModuleType, daemon: RunningDaemon, capsys: Any) -> None:
    answer = json.dumps({"action": "answer", "answer": "It moved to port 18790 on Monday."})
    words = [sys.executable, "-c", f"import sys; sys.stdin.read(); print({answer!r})"]
    code = client_module.main(["--socket", str(daemon.socket), MESSAGE, "--model", "cat"])
    assert code == 0
    assert capsys.readouterr().out
    assert client_module.main(["--socket", "/nowhere.sock", MESSAGE]) == 1
    assert client_module.command_model(words)(
        {"system": "s", "prompt": "p", "schema": {}, "deadline_ms": 60_000}
    ).startswith(answer)


def test_when_the_daemon_stops_nobody_waits_for_ever(
    client_module: ModuleType, daemon: RunningDaemon
) -> None:
    """The last one: it ends the daemon of the others."""
    client = client_module.Memd(daemon.socket)
    assert daemon.stop() == 0
    with pytest.raises(client_module.GoneError):
        client.call("status")
    client.close()
    with pytest.raises(OSError, match=r"."):
        client_module.Memd(daemon.socket)
