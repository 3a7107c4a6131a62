"""The log of a busy daemon tells nothing of what people wrote, asked, or where their folders are."""

import json
import socket
from collections.abc import Iterator

import pytest

from tests.daemon.clients import PATIENT, over_http
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

NOTE = "notesecret"
QUERY = "querysecret"
PATH = "pathsecret"


@pytest.fixture(scope="module")
def log() -> Iterator[list[str]]:
    """The lines of a session in which much goes right and much goes wrong."""
    with short_folder() as parent:
        folder = parent / PATH
        folder.mkdir()
        with RunningDaemon(folder, env=PATIENT | {"MEMD_LOGGING__LEVEL": "debug"}) as daemon:
            work(daemon)
            daemon.kill()
            index = next((folder / "state").glob("*/index-1.db"))
            index.write_bytes(b"garbage " * 1000)
            daemon.start()
            daemon.settle()
            work(daemon)
        yield daemon.log.read_text(encoding="utf-8").splitlines()


def work(daemon: RunningDaemon) -> None:
    daemon.write("memory/a.md", f"# {NOTE}\n\n- password: {NOTE} sk-{NOTE}\n")
    daemon.write("memory/b.md", f"- {NOTE} <!-- triggers: {NOTE} -->\n")
    (daemon.workspace / "memory/c.md").write_bytes(b"\0" + NOTE.encode())
    daemon.settle()
    over_http(daemon, "recall.search", query=f"{NOTE} {QUERY}")
    for method, params in (
        ("recall.search", {"query": QUERY * 1000}),
        ("recall.search", {"query": QUERY, QUERY: QUERY}),
        ("recall.get", {"path": f"../{QUERY}"}),
        ("recall.get", {"path": f"/etc/{QUERY}"}),
        (QUERY, {"query": QUERY}),
    ):
        with LineClient(daemon.socket) as client, pytest.raises(DaemonError) as failed:
            client.call(method, **params)
        assert PATH not in str(failed.value)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.sendall(b"{" + QUERY.encode() + b"\n")
        client.recv(1000)
    daemon.call("index.rebuild", wait=True)
    daemon.call("status", deep=True)
    (daemon.workspace / "memory").rename(daemon.folder / "away")
    daemon.call("index.sync")
    (daemon.folder / "away").rename(daemon.workspace / "memory")
    daemon.settle()


@pytest.mark.parametrize("secret", [NOTE, QUERY, PATH])
def test_no_note_query_or_outer_path_is_in_the_log(log: list[str], secret: str) -> None:
    assert [line for line in log if secret in line] == []


def test_the_log_is_one_json_object_a_line(log: list[str]) -> None:
    events = [json.loads(line) for line in log]

    assert {"ready", "stopped"} <= {event["event"] for event in events}
    assert all({"event", "level", "timestamp"} <= set(event) for event in events)
    assert all("(withheld)" not in event.values() for event in events)


def test_the_repair_of_the_damaged_index_is_logged(log: list[str]) -> None:
    assert any(json.loads(line)["level"] == "warning" for line in log)
