"""Whose call a command is: only a terminal or ``--as-owner`` makes it the owner's."""

import getpass
import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.fake_daemon import FakeDaemon, RefusalError
from tests.cli.terminals import type_memd
from tests.daemons import daemon_env, run_memd

APPENDED = {
    "path": "memory/2026-01-11.md",
    "start_line": 3,
    "end_line": 3,
    "origin": "agent",
    "hash": "",
    "appended": True,
    "spooled": False,
}
SEARCHED = {"hits": [], "mode": "keyword", "freshness": "fresh", "took_ms": 1.0, "empty_reason": "no_terms"}
PLANNED = {"due": False, "reason": "below_threshold"}
GOT = {"status": "ok", "text": "", "lines": 0, "notice": "the file is empty"}
CALLS: list[tuple[tuple[str, ...], str, Any]] = [
    (("note", "word"), "note.append", APPENDED),
    (("flush", "plan", "--cycle", "1", "--projected", "1"), "flush.plan", PLANNED),
    (("flush", "append", "word", "--cycle", "1"), "flush.append", APPENDED),
    (("trust", "MEMORY.md"), "memory.trust", {"changed": 0}),
    (("search", "word"), "recall.search", SEARCHED),
    (("get", "MEMORY.md"), "recall.get", GOT),
]
SESSIONS = [call for call in CALLS if call[0][0] in ("flush", "search", "get")]


def owner(session_id: str | None = "cli", agent: str = "main") -> dict[str, Any]:
    session = {} if session_id is None else {"session_id": session_id}
    return session | {
        "agent": agent,
        "session_kind": "interactive",
        "chat_type": "direct",
        "sender": {"id": getpass.getuser(), "is_owner": True},
    }


def context_of(fake: FakeDaemon, method: str) -> Any:
    return fake.asked(method)[-1].get("context")


@pytest.mark.parametrize(("arguments", "method", "answer"), CALLS, ids=lambda one: str(one)[:20])
def test_a_script_speaks_for_nobody(
    fake: FakeDaemon, folder: Path, arguments: tuple[str, ...], method: str, answer: Any
) -> None:
    fake.answers[method] = lambda _: answer

    assert run_memd(*arguments, env=daemon_env(folder)).returncode == DONE
    assert context_of(fake, method) is None


@pytest.mark.parametrize(("arguments", "method", "answer"), CALLS, ids=lambda one: str(one)[:20])
def test_a_terminal_and_the_option_speak_for_the_owner(
    fake: FakeDaemon, folder: Path, arguments: tuple[str, ...], method: str, answer: Any
) -> None:
    fake.answers[method] = lambda _: answer
    env = daemon_env(folder)

    session = None if method.startswith("recall.") else "cli"  # what is only read taints no session
    assert type_memd(*arguments, env=env).returncode == DONE
    assert context_of(fake, method) == owner(session)
    assert run_memd(*arguments, "--as-owner", "--agent", "other", env=env).returncode == DONE
    assert context_of(fake, method) == owner(session, agent="other")


@pytest.mark.parametrize(("arguments", "method", "answer"), SESSIONS, ids=lambda one: str(one)[:20])
def test_a_session_is_named_with_and_without_the_owner(
    fake: FakeDaemon, folder: Path, arguments: tuple[str, ...], method: str, answer: Any
) -> None:
    fake.answers[method] = lambda _: answer
    env = daemon_env(folder)

    assert run_memd(*arguments, "--session", "s1", env=env).returncode == DONE
    assert context_of(fake, method) == {"agent": "main", "session_id": "s1"}
    assert run_memd(*arguments, "--session", "s1", "--as-owner", env=env).returncode == DONE
    assert context_of(fake, method) == owner("s1")


def test_the_agent_of_a_script_is_named_without_a_context(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["note.append"] = lambda _: APPENDED

    assert run_memd("note", "word", "--agent", "other", env=daemon_env(folder)).returncode == DONE
    assert fake.asked("note.append") == [{"agent": "other", "entries": [{"text": "word"}]}]


def test_a_denial_for_want_of_authority_says_what_would_help(fake: FakeDaemon, folder: Path) -> None:
    def deny(params: dict[str, Any]) -> Any:
        reason = "tainted" if "context" in params else "no_context"
        raise RefusalError("this needs the owner's authority", kind="denied", reason=reason)

    fake.answers["memory.trust"] = deny
    env = daemon_env(folder)

    told = "memd: this needs the owner's authority"
    script = run_memd("trust", "MEMORY.md", env=env)
    assert script.returncode == FAILED
    assert script.stderr == f"{told} (no_context); with --as-owner the call would be the owner's\n"
    assert run_memd("trust", "MEMORY.md", "--as-owner", env=env).stderr == f"{told} (tainted)\n"
    as_json = run_memd("trust", "MEMORY.md", "--json", env=env)
    assert json.loads(as_json.stdout)["error"]["data"]["reason"] == "no_context"
