"""``memd history``, ``memd diff`` and ``memd undo``."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.cli.fake_daemon import FakeDaemon
from tests.daemons import DaemonError, RunningDaemon, daemon_env, run_memd


def history(daemon: RunningDaemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(daemon.memd("history", "USER.md", "--json").stdout)["preimages"]
    return found


def test_a_file_is_brought_back_by_what_the_history_shows(writable: RunningDaemon) -> None:
    user = writable.workspace / "USER.md"
    user.write_bytes(b"- Always answer in German.\r\n")
    writable.settle()
    owner = {
        "session_id": "s1",
        "session_kind": "interactive",
        "chat_type": "direct",
        "sender": {"id": "u1", "is_owner": True},
    }
    remembered = writable.call("memory.remember", context=owner, file="USER.md", text="Prefer green tea.")
    assert remembered["appended"]
    after = user.read_bytes()
    assert after.startswith(b"- Always answer in German.\r\n")
    [row] = history(writable)
    lines = after.count(b"\n") - 1
    assert (row["file"], row["cause"], row["added"], row["removed"]) == ("USER.md", "remember", lines, 0)
    listed = writable.memd("history").stdout
    assert f" {row['id']}  " in listed
    assert f"+{lines} -0" in listed

    shown = writable.memd("diff", str(row["id"])).stdout
    assert shown.startswith("--- a/USER.md\n+++ b/USER.md\n@@ ")
    assert "\n+- Prefer green tea." in shown

    undone = writable.memd("undo", str(row["id"]))
    assert undone.returncode == DONE
    assert user.read_bytes() == b"- Always answer in German.\r\n"
    newest = history(writable)[0]
    assert undone.stdout == f"USER.md is as it was before; `memd undo {newest['id']}` takes that back\n"
    assert writable.call("recall.search", query="green tea", min_score=0.5)["hits"] == []
    again = json.loads(writable.memd("undo", str(newest["id"]), "--json").stdout)
    assert user.read_bytes() == after
    assert again["preimage_id"] == history(writable)[0]["id"]
    [hit] = writable.call("recall.search", query="green tea")["hits"]
    assert hit["origin"] == "owner"
    assert writable.memd("undo", str(newest["id"])).stdout == "USER.md is so already\n"
    assert [row["cause"] for row in history(writable)] == ["undo", "undo", "remember"]

    missing = writable.memd("undo", "999999")
    assert (missing.returncode, missing.stdout) == (FAILED, "")
    assert "no such pre-image" in missing.stderr
    guest = {"session_id": "s2", "sender": {"id": "u2"}}
    for method in ("memory.history", "memory.diff", "memory.undo"):
        params = {} if method == "memory.history" else {"id": row["id"]}
        with pytest.raises(DaemonError) as refusal:
            writable.call(method, context=guest, **params)
        assert refusal.value.error["data"]["kind"] == "denied"


def test_what_the_daemon_says_is_shown_plainly(fake: FakeDaemon, folder: Path) -> None:
    row = {"id": 7, "file": "MEMORY.md", "at": "2026-01-11T12:00:00+00:00", "cause": "dream\x1b[31m"}
    counts = {"added": 2, "removed": 1, "forgotten": 1}
    fake.answers |= {
        "memory.history": lambda _: {"preimages": [row | counts]},
        "memory.diff": lambda _: {"diff": "--- a\n+++ b\n@@ -1 +1 @@\n-\x1b[31mold\n+new\n"},
    }
    listed = run_memd("history", "MEMORY.md", "--limit", "5", env=daemon_env(folder)).stdout
    assert "     7  " in listed
    assert "+2 -1, 1 line forgotten since" in listed
    assert "\x1b" not in listed
    assert fake.asked("memory.history") == [{"file": "MEMORY.md", "limit": 5}]
    assert (
        run_memd("diff", "7", env=daemon_env(folder)).stdout == "--- a\n+++ b\n@@ -1 +1 @@\n-[31mold\n+new\n"
    )
    fake.answers["memory.history"] = lambda _: {"preimages": []}
    assert run_memd("history", env=daemon_env(folder)).stdout == "nothing was rewritten yet\n"
    assert run_memd("undo", "seven", env=daemon_env(folder)).returncode == USAGE
