"""``memd sessions``, and searching in sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.fake_daemon import FakeDaemon, RefusalError
from tests.daemons import RunningDaemon, daemon_env, run_memd


def lines(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def question(number: int, text: str) -> dict[str, Any]:
    return {"id": f"m{number}", "role": "user", "text": text}


def test_what_was_said_is_told_listed_and_ended_with_a_note(writable: RunningDaemon) -> None:
    said = lines(
        question(1, "The spare key is with Ana."),
        {"id": "m2", "role": "assistant", "text": "Noted."},
        {"id": "m3", "role": "tool", "text": "fetched", "tool": {"name": "web", "network": True}},
    )
    told = writable.memd(
        "sessions", "append", "-", "--session", "talk", "--kind", "interactive", "--as-owner", given=said
    )
    again = writable.memd("sessions", "append", "-", "--session", "talk", given=said)
    listed = writable.memd("sessions", "list")
    bare = json.loads(writable.memd("sessions", "--json").stdout)
    ended = writable.memd("sessions", "end", "talk", "--capture", "--reason", "new")

    assert told.stdout == "2 messages kept, 1 not (1 role); the session's turn is tainted\n"
    assert again.stdout.startswith("0 messages kept, 3 not (3 repeated)")
    assert [line for line in listed.stdout.splitlines() if line.startswith("talk ")]
    assert "talk" in [one["session_id"] for one in bare["sessions"]]
    count, noted = ended.stdout.splitlines()
    assert count == "2 messages kept"
    note = writable.workspace / noted.removeprefix("noted in ")
    assert "> User: The spare key is with Ana." in note.read_text(encoding="utf-8")


def test_only_the_option_says_that_the_user_is_the_owner(writable: RunningDaemon, folder: Path) -> None:
    (folder / "m.jsonl").write_text(lines(question(1, "A quokka lives here.")), encoding="utf-8")
    for session, more in (("mine", ("--as-owner",)), ("anybody", ())):
        writable.memd("sessions", "append", str(folder / "m.jsonl"), "--session", session, *more)
    writable.settle()

    origins = {
        session: json.loads(
            writable.memd("search", "quokka", "--corpus", "sessions", "--session", session, "--json").stdout
        )["hits"][0]["origin"]
        for session in ("mine", "anybody")
    }

    assert origins == {"mine": "owner", "anybody": "untrusted"}


def test_a_search_shows_a_session_to_itself_only(writable: RunningDaemon) -> None:
    writable.memd(
        "sessions", "append", "-", "--session", "secret", given=lines(question(1, "A wombat digs."))
    )
    writable.settle()
    search = ("search", "wombat", "--corpus", "sessions")

    nobody = writable.memd(*search)
    other = writable.memd(*search, "--session", "other", "--as-owner")
    itself = writable.memd(*search, "--session", "secret")
    owner = writable.memd(*search, "--session", "secret", "--as-owner")

    assert nobody.stdout == "nothing matches\n"
    assert "a session is shown to itself and its owner: add --session ID" in nobody.stderr
    assert other.stdout == "nothing matches\n"
    for shown in (itself, owner):
        assert "  User: A wombat digs.\n" in shown.stdout
    assert writable.memd("get", "sessions/main/secret").returncode == FAILED
    assert "wombat" in writable.memd("get", "sessions/main/secret", "--session", "secret").stdout


def test_many_messages_are_sent_in_batches(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["session.append"] = lambda params: {
        "accepted": len(params["messages"]) - 1,
        "skipped": [{"id": params["messages"][0]["id"], "reason": "empty"}],
        "tainted": False,
    }
    messages = [question(number, "🚲" * (20_000 if number % 50 == 0 else 1)) for number in range(450)]
    done = run_memd(
        "sessions", "append", "-", "--session", "s1", "--json", env=daemon_env(folder), given=lines(*messages)
    )

    sent = fake.asked("session.append")
    assert [message for call in sent for message in call["messages"]] == messages
    assert all(call["context"] == {"agent": "main", "session_id": "s1"} for call in sent)
    assert all(len(json.dumps(call)) < 1024 * 1024 for call in sent)
    answer = json.loads(done.stdout)
    assert (answer["accepted"], len(answer["skipped"])) == (450 - len(sent), len(sent))


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("the turn is over", "lines 202 to 251: the turn is over"),
        ("messages[3].text is missing", "line 205: text is missing"),
        ("unknown parameter messages[0].tool.net", "line 202: unknown parameter tool.net"),
        ("messages[99].text is missing", "lines 202 to 251: messages[99].text is missing"),
    ],
)
def test_a_refused_batch_names_its_lines(fake: FakeDaemon, folder: Path, refusal: str, told: str) -> None:
    def answer(params: dict[str, Any]) -> Any:
        if params["messages"][0]["id"] != "m0":
            raise RefusalError(refusal, kind="invalid_params")
        return {"accepted": 200, "skipped": [], "tainted": False}

    fake.answers["session.append"] = answer
    text = "\n" + lines(*(question(number, "word") for number in range(250)))

    done = run_memd("sessions", "append", "-", "--session", "s1", env=daemon_env(folder), given=text)

    assert done.returncode == FAILED
    assert done.stderr == f"memd: {told}\n"


@pytest.mark.parametrize("line", ["{", "[]", "5", "[" * 100_000])
def test_nothing_is_sent_when_a_line_is_wrong(fake: FakeDaemon, folder: Path, line: str) -> None:
    text = lines(question(1, "word")) + line + "\n"

    done = run_memd("sessions", "append", "-", "--session", "s1", env=daemon_env(folder), given=text)

    assert done.returncode == FAILED
    assert done.stderr == "memd: line 2 is not a JSON object; nothing was sent\n"
    assert fake.calls == []


def test_all_pages_are_listed(fake: FakeDaemon, folder: Path) -> None:
    ids = [f"s{number:04}" for number in range(401)]

    def page(params: dict[str, Any]) -> Any:
        after = [one for one in ids if one > params.get("after", "")][: params["limit"]]
        facts = {"agent": "main", "kind": "interactive", "messages": 1, "last_at": "2026-01-11T09:00:00Z"}
        return {"sessions": [{"session_id": one, **facts} for one in after]}

    fake.answers["session.list"] = page

    done = run_memd("sessions", "--json", env=daemon_env(folder))

    assert [one["session_id"] for one in json.loads(done.stdout)["sessions"]] == ids


def test_a_session_name_cannot_drive_the_terminal(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["session.list"] = lambda _: {
        "sessions": [
            {
                "session_id": "a\x1b[2J\nb",
                "agent": "main",
                "kind": "unknown",
                "messages": 2,
                "last_at": "2026-01-11T09:00:00Z",
                "excluded": "excluded_session",
            }
        ]
    }

    done = run_memd("sessions", env=daemon_env(folder, TZ="EST+5"))

    assert done.returncode == DONE
    assert done.stdout == "a[2J\\nb  unknown      2026-01-11 04:00  2 messages  kept out: excluded_session\n"
