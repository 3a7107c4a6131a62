"""Names that lead elsewhere, at every door that takes a name: nothing outside is read, written or made."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

CANARY = "xylocarpusquartz"
KINDS = {"invalid_params", "not_found", "conflict", "denied", "unavailable", "too_large"}
OWNER: dict[str, Any] = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}
NAMED = {"path", "paths", "file", "files", "slug", "from", "capture"}
"""Params that hold a name of a file, or a part of one."""

ELSEWHERE = {"backup.create", "import.preview", "import.apply"}
"""The operator says there which place outside is meant; their own tests look at what they refuse."""

DOORS: Mapping[str, Mapping[str, Any]] = {
    "note.append": {"text": "- a line"},
    "note.observe": {"before_hash": "0" * 64, "after_hash": "1" * 64},
    "session.end": {"reason": "end"},
    "memory.remember": {"text": "A fact."},
    "memory.trust": {"origin": "untrusted"},
    "forget": {"dry_run": False, "wait": True},
    "dream.backfill": {"source": "notes", "dry_run": False},
}
"""What a call needs beside the name."""

pytestmark = pytest.mark.fault


def names(outside: Path) -> Sequence[str]:
    """Sixty and more ways to say that something outside is meant."""
    there, up = str(outside / "secret.md"), "../outside/secret.md"
    return [
        there,
        f"file://{there}",
        f"//{there}",
        f"memory/{there}",
        up,
        f"./{up}",
        f"memory/../{up}",
        f"memory//..//..//{outside.name}//secret.md",
        f"memory/./../../{outside.name}/secret.md",
        f"memory/a.md/../../{up}",
        "..",
        ".",
        "/",
        "//",
        "",
        " ",
        "~",
        "~/outside/secret.md",
        "~root/.bashrc",
        "$HOME/outside/secret.md",
        "memory/link.md",
        "memory/./link.md",
        "memory//link.md",
        "memory/linked/secret.md",
        "memory/linked/",
        "memory/linked",
        "memory/linked/../link.md",
        "memory/hanging.md",
        "memory/circle.md",
        "memory/up/MEMORY.md",
        "extra/../../outside/secret.md",
        "extra/lib/../../../outside/secret.md",
        "extra/outside/secret.md",
        "sessions/../../outside/secret.md",
        "sessions/main/../../../outside/secret.md",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/dev/stdin",
        "/dev/zero",
        "memory/fifo.md",
        "..\\outside\\secret.md",
        "memory\\..\\..\\outside\\secret.md",
        "%2e%2e/outside/secret.md",
        "%2e%2e%2foutside%2fsecret.md",
        "..%00/outside/secret.md",
        "..%c0%af..%c0%afoutside/secret.md",
        "memory/a.md\0/../../outside/secret.md",
        "memory/a.md\0.png",
        "\uff0e\uff0e/outside/secret.md",
        "..\u2215outside\u2215secret.md",
        "..\uff0foutside\uff0fsecret.md",
        "\u202e../outside/secret.md",
        "memory/\ufeff../link.md",
        "memory/.dreams/memd.json",
        "memory/.dreams/../link.md",
        ".git/config",
        "memory/.git/config",
        "state.db",
        "../state",
        "*",
        "memory/*.md",
        "memory/**",
        "[!a]*/secret.md",
        "-rf",
        "memory/link.md/",
        "memory/link.md ",
        "memory/link.md.",
        "MEMORY.md/../../outside/secret.md",
        "memory/" + "../" * 60 + there.lstrip("/"),
        "memory/" + "a/" * 2_000 + "b.md",
        "memory/" + "n" * 300 + ".md",
    ]


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT)
        outside = outside_of(running)
        outside.mkdir()
        (outside / "secret.md").write_text(f"- {CANARY} is outside\n")
        running.write("MEMORY.md", "# Memory\n\n- A fact of ours.\n")
        running.write("memory/a.md", "- ours\n")
        (running.workspace / "memory/link.md").symlink_to(outside / "secret.md")
        (running.workspace / "memory/linked").symlink_to(outside)
        (running.workspace / "memory/up").symlink_to("..")
        (running.workspace / "memory/hanging.md").symlink_to(outside / "made.md")
        (running.workspace / "memory/circle.md").symlink_to("circle.md")
        (running.workspace / "SOUL.md").symlink_to(outside / "secret.md")
        (running.workspace / "USER.md").symlink_to(outside / "secret.md")
        os.mkfifo(running.workspace / "memory/fifo.md")
        with running:
            running.settle()
            yield running


def outside_of(daemon: RunningDaemon) -> Path:
    return daemon.folder / "outside"


def tree_of(folder: Path) -> dict[str, str]:
    """What lies outside: names, and what is in them."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def doors(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every method with a param that is a name, that param, and its schema."""
    for method in document["methods"]:
        if method["name"] not in ELSEWHERE:
            for param in method["params"]:
                if param["name"] in NAMED:
                    yield method["name"], param["name"], param["schema"]


def as_param(param: str, schema: Mapping[str, Any], name: str) -> Any:
    if param == "capture":
        return {"slug": name}
    return [name] if "array" in json.dumps(schema) else name


def answer_of(client: LineClient, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result or the error."""
    try:
        answer: dict[str, Any] = client.call(method, **params)
    except DaemonError as error:
        return dict(error.error)
    return answer


@pytest.mark.slow
def test_no_name_at_any_door_leads_outside(daemon: RunningDaemon) -> None:
    outside = outside_of(daemon)
    before, beside = tree_of(outside), sorted(path.name for path in daemon.folder.iterdir())
    found = list(doors(daemon.call("rpc.discover")))
    assert len({method for method, _, _ in found}) >= 10
    refused = 0
    with LineClient(daemon.socket) as client:
        for method, param, schema in found:
            for name in names(outside):
                for caller in ({"context": OWNER}, {}):
                    params = {**DOORS.get(method, {}), param: as_param(param, schema, name), **caller}
                    answer = answer_of(client, method, params)
                    if "ref" in answer.get("data", ()):
                        refused += 1
                        assert answer["data"]["kind"] in KINDS, (method, name, answer)
                    assert CANARY not in json.dumps(answer), (method, name)
                    assert "root:x:" not in json.dumps(answer), (method, name)
    assert refused > len(names(outside))
    assert tree_of(outside) == before
    assert sorted(path.name for path in daemon.folder.iterdir()) == beside
    daemon.settle()
    assert daemon.call("recall.search", query=CANARY, corpus="all", min_score=0)["hits"] == []
    databases = b"".join(path.read_bytes() for path in daemon.state_folder().glob("index-1.db*"))
    assert CANARY.encode() not in databases
    assert '"call failed"' not in daemon.log.read_text()
    tell("paths", f"{len(names(outside))} names, {len(found)} doors, {refused} refusals, 0 ways out")


def test_there_are_sixty_names_and_none_of_them_twice() -> None:
    every = names(Path("/x/outside"))
    assert len(every) >= 60
    assert len(set(every)) == len(every)
