"""``memd import``: what it asks the daemon for, and what people see."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.cli.conftest import RunHere
from tests.cli.fake_daemon import FakeDaemon, RefusalError
from tests.daemons import daemon_env

EVIL = "memory/imports/path/a\x1b[31m\n.md"


def preview(**more: Any) -> dict[str, Any]:
    return {
        "source": "path",
        "from": "/home/ana/notes",
        "files": [{"path": EVIL, "from": "a", "bytes": 1200, "state": "new"}],
        "file_count": 1,
        "bytes": 1200,
        "new": 1,
        "unchanged": 0,
        "replaced": 0,
        "conflicts": [],
        "conflict_count": 0,
        "skipped": [],
        "skipped_count": 0,
        "intents": [],
        "intent_count": 0,
        "recalls": None,
        "sessions": [],
        "doubted": [],
        "doubted_count": 0,
        "imports": [],
    } | more


def result(**more: Any) -> dict[str, Any]:
    return {
        "id": "20260111-120000-9f86d0",
        "copied": 1,
        "replaced": 0,
        "backup": None,
        "resumed": False,
        "report": preview(),
    } | more


@pytest.fixture
def importing(fake: FakeDaemon) -> FakeDaemon:
    fake.answers |= {
        "import.preview": lambda params: preview(source=params["source"]),
        "import.apply": lambda _: {"job_id": "j"},
        "import.undo": lambda _: {"id": "i", "restored": 3, "removed": 2, "kept": [], "kept_count": 0},
        "job.list": lambda _: {"jobs": [job(result())]},
    }
    return fake


def job(done: dict[str, Any]) -> dict[str, Any]:
    return {"id": "j", "kind": "import", "state": "done", "done": 1, "total": 1, "result": done}


def test_without_a_word_each_usual_place_is_looked_at(
    importing: FakeDaemon, folder: Path, run_here: RunHere
) -> None:
    done = run_here("import", env=daemon_env(folder))
    assert done.returncode == DONE
    assert [one["source"] for one in importing.asked("import.preview")] == [
        "codex",
        "claude-code",
        "openclaw",
    ]
    assert done.stdout.count("1 file (1 new), 1 kB in /home/ana/notes") == 3


def test_a_preview_shows_each_file_on_a_line_of_its_own_and_drives_no_terminal(
    importing: FakeDaemon, folder: Path, run_here: RunHere
) -> None:
    shown = run_here("import", "preview", "codex", env=daemon_env(folder)).stdout
    assert "  new            1 kB  memory/imports/path/a[31m\\n.md\n" in shown
    assert "\x1b" not in shown
    assert importing.asked("import.preview") == [{"source": "codex", "replace": False}]


def test_a_path_is_made_absolute_here(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    env = daemon_env(folder)
    assert run_here("import", "preview", "path", "--from", "notes", env=env).returncode == DONE
    assert run_here("import", "preview", "path", "--from", "../x/~", "--replace", env=env).returncode == DONE
    first, second = importing.asked("import.preview")
    assert first["from"] == str(Path.cwd() / "notes")
    assert second["from"].startswith("/")
    assert second["replace"] is True


def test_an_import_tells_how_it_is_taken_back(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    done = run_here("import", "apply", "codex", env=daemon_env(folder))
    assert importing.asked("import.apply") == [{"source": "codex", "replace": False, "wait": False}]
    assert "imported 1 file\n" in done.stdout
    assert "memd import undo 20260111-120000-9f86d0" in done.stdout


def test_all_that_is_to_be_known_is_shown(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    report = preview(
        conflicts=[{"path": "c.md", "reason": "exists"}],
        conflict_count=1,
        skipped=[{"path": f"s{number}.md", "reason": "binary"} for number in range(30)],
        skipped_count=300,
        intents=[{"description": "d", "command": "memd intents add --keyword=k -- d"}],
        intent_count=1,
        recalls={"entries": 7, "promoted": 1},
        doubted=["memory/a b.md"],
        doubted_count=1,
        sessions=['[[sessions.folders]]\npath = "/x"\n'],
    )
    told = result(copied=5, replaced=2, backup="/data/imports/x", resumed=True, report=report)
    importing.answers["job.list"] = lambda _: {"jobs": [job(told)]}
    shown = run_here("import", "apply", "openclaw", env=daemon_env(folder)).stdout
    for line in (
        "conflict: c.md (exists: with other content)",
        "skipped: s19.md (binary)",
        "  ... and 280 more",
        "1 standing intent; none fires here. To make them anew:",
        "  memd intents add --keyword=k -- d",
        "7 entries of recalled text are not taken over: memd counts for itself",
        "  memd trust --lower 'memory/a b.md'",
        '  path = "/x"',
        "imported 5 files, 2 of them in the place of others",
        "it went on with an import that was cut off",
        "what they replaced is in /data/imports/x",
    ):
        assert f"{line}\n" in shown


def test_nothing_to_import_is_no_failure(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    importing.answers["job.list"] = lambda _: {"jobs": [job(result(id=None, copied=0))]}
    done = run_here("import", "apply", "codex", env=daemon_env(folder))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (DONE, "nothing to import")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_import_of_which_nothing_could_be_written_is_a_failure(
    importing: FakeDaemon, folder: Path, run_here: RunHere, more: tuple[str, ...]
) -> None:
    """A script must not take it for one that is done, and there is nothing to take back."""
    importing.answers["job.list"] = lambda _: {"jobs": [job(result(copied=0))]}
    done = run_here("import", "apply", "codex", *more, env=daemon_env(folder))
    assert done.returncode == FAILED
    assert "undo" not in done.stdout


def test_one_recall_is_told_as_one(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    recalls = {"entries": 1, "promoted": 0}
    importing.answers["import.preview"] = lambda _: preview(recalls=recalls)
    shown = run_here("import", "preview", "openclaw", env=daemon_env(folder)).stdout
    assert "1 entry of recalled text is not taken over: memd counts for itself\n" in shown


def test_an_undo_tells_what_it_kept(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    kept = [{"path": "x.md", "reason": "edited"}]
    importing.answers["import.undo"] = lambda _: {
        "id": "i",
        "restored": 3,
        "removed": 2,
        "kept": kept,
        "kept_count": 1,
    }
    done = run_here("import", "undo", "i", env=daemon_env(folder))
    assert done.stdout == "2 files removed, 1 put back\nkept: x.md (edited: it was changed since)\n"


@pytest.mark.parametrize("action", [("preview", "codex"), ("apply", "codex"), ("undo", "i")])
def test_json_is_the_bare_result(
    importing: FakeDaemon, folder: Path, run_here: RunHere, action: tuple[str, ...]
) -> None:
    done = run_here("import", *action, "--json", env=daemon_env(folder))
    expected = importing.answers[f"import.{action[0]}"]({"source": "codex"})
    assert json.loads(done.stdout) == (result() if action[0] == "apply" else expected)


@pytest.mark.parametrize(
    "words",
    [
        ("apply",),
        ("apply", "gemini"),
        ("preview", "path"),
        ("undo",),
        ("undo", "i", "--replace"),
        ("undo", "i", "--from", "x"),
        ("preview", "--from", "x"),
    ],
)
def test_what_is_missing_is_asked_for(
    importing: FakeDaemon, folder: Path, run_here: RunHere, words: tuple[str, ...]
) -> None:
    assert run_here("import", *words, env=daemon_env(folder)).returncode == USAGE
    assert importing.calls == []


def test_a_refusal_is_told(importing: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    def refuse(_params: dict[str, Any]) -> Any:
        raise RefusalError("no such import", kind="not_found")

    importing.answers["import.undo"] = refuse
    done = run_here("import", "undo", "x", env=daemon_env(folder))
    assert (done.returncode, done.stderr) == (FAILED, "memd: no such import\n")
