"""What a daemon tells of the transcripts that it reads: how many, and what of them counts for less."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

TOO_LONG = 9 * 1024 * 1024  # a line may have 8 MiB


def said(number: int, **facts: Any) -> bytes:
    message = {"role": "user", "content": f"said {number}", "timestamp": 1_767_000_000_000 + number, **facts}
    return json.dumps({"type": "message", "id": f"m{number}", "message": message}).encode() + b"\n"


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        transcripts = folder / "transcripts"
        transcripts.mkdir()
        (transcripts / "a.jsonl").write_bytes(
            said(1, __openclaw={"senderIsOwner": True})
            + b"{broken\n[1]\n\xff\xfe\n"
            + said(2)
            + b"x" * TOO_LONG
            + b"\n"
        )
        (transcripts / "b.jsonl").write_bytes(said(3))
        config = folder / "config.toml"
        config.write_text(f'[[sessions.folders]]\npath = "{transcripts}"\n', encoding="utf-8")
        with RunningDaemon(folder, env=PATIENT | {"MEMD_CONFIG": str(config)}) as running:
            running.wait_until(lambda: "transcripts" in running.agent() and told(running)["messages"] == 3)
            yield running


def told(daemon: RunningDaemon) -> dict[str, Any]:
    (folder,) = daemon.agent()["transcripts"]
    assert isinstance(folder, dict)
    return folder


def test_it_counts_what_is_left_out_and_what_nobody_vouches_for(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: told(daemon)["pending"] == 0)
    assert told(daemon) == {
        "format": "openclaw",
        "files": 2,
        "pending": 0,
        "messages": 3,
        "unattributed": 2,
        "broken": 3,
        "too_long": 1,
    }


def test_people_are_told_as_well(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: told(daemon)["pending"] == 0)
    shown = daemon.memd("status").stdout
    assert "sessions   2 transcripts, 3 messages, 2 that name nobody, 4 lines unreadable" in shown


def test_without_such_folders_nothing_is_said_of_them() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
        assert "transcripts" not in running.agent()
        assert "  sessions " not in running.memd("status").stdout
