"""``memd status`` for people: one screen, and what to do next."""

import copy
import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.cli.main import COMMANDS
from openclaw_memd.cli.next_steps import next_steps
from openclaw_memd.cli.output import fit
from openclaw_memd.cli.status_page import page
from openclaw_memd.gateway.status_results import StatusReport
from tests.cli.terminals import run_on_terminal
from tests.daemons import MEMD, RunningDaemon
from tests.gateway.test_metrics import AGENT, REPORT

WELL: dict[str, Any] = {
    **REPORT,
    "state": "ok",
    "jobs": [],
    "warnings": [],
    "backup": None,
    "agents": [
        {
            **AGENT,
            "pending": 0,
            "freshness": "fresh",
            "vectors": 9,
            "excluded": [],
            "watch": {"mode": "events", "last_scan_at": None, "restarts": 0},
            "embedding": {"provider": "local", "model": "e5", "dims": 384, "state": "ready"},
            "curated": [],
            "spool": {"items": 0},
            "dreaming": None,
            "intents": None,
        }
    ],
}


def changed(**parts: Any) -> dict[str, Any]:
    """The report of a daemon that is well but for ``parts``; those of an agent are the only agent's."""
    report = copy.deepcopy(WELL)
    for name, value in parts.items():
        (report if name in report else report["agents"][0])[name] = value
    return report


def commands(report: dict[str, Any]) -> list[str]:
    return [step.command for step in next_steps(report)]


def test_when_all_is_well_there_is_nothing_to_do() -> None:
    assert next_steps(WELL) == []
    assert "next" not in "\n".join(page(WELL))


def test_a_state_without_a_reason_takes_one_line() -> None:
    lines = page(changed(model={"provider": "local", "model": "m.gguf", "state": "ready"}))
    assert [line for line in lines[3:] if not line.strip()] == []
    assert any(line.startswith("  model ") for line in lines)


@pytest.mark.parametrize(
    ("parts", "command"),
    [
        ({"state": "starting"}, "memd status"),
        ({"state": "degraded"}, "memd doctor"),
        ({"warnings": ["something is odd"]}, "memd doctor"),
        ({"warnings": ["3 lines want a look; see `memd lint USER.md`"]}, "memd lint USER.md"),
        ({"pending": 3, "freshness": "stale"}, "memd sync"),
        ({"freshness": "partial"}, "memd doctor"),
        ({"skipped": [{"path": "a.md", "reason": "too_large"}]}, "memd doctor"),
        ({"watch": {"mode": "polling", "last_scan_at": None, "restarts": 1}}, "memd doctor"),
        ({"embedding": WELL["agents"][0]["embedding"] | {"state": "paused"}}, "memd model test"),
        ({"embedding": WELL["agents"][0]["embedding"] | {"state": "degraded"}}, "memd model test"),
        ({"embedding": {**AGENT["embedding"], "reason": "run: `pip install 'x[y]'`"}}, "pip install 'x[y]'"),  # type: ignore[dict-item]
        ({"model": {"provider": "openai", "state": "degraded"}}, "memd doctor"),
        ({"spool": {"items": 2}}, "df -h"),
        ({"curated": AGENT["curated"]}, "memd lint"),
        ({"dreaming": {**AGENT["dreaming"], "last_outcome": "failed"}}, "memd dream report"),  # type: ignore[dict-item]
        ({"jobs": [{"id": "1", "kind": "sync", "state": "failed"}]}, "memd rpc job.list"),
        ({"backup": REPORT["backup"]}, "memd backup"),
    ],
)
def test_whatever_is_not_as_it_should_be_has_a_command(parts: dict[str, Any], command: str) -> None:
    report = changed(**parts)
    assert commands(report) == [command]
    assert f"next  {command}  (" in "\n".join(page(report))


def test_steps_are_commands_that_there_are() -> None:
    report = changed(state="degraded", warnings=["odd"], pending=1, skipped=[{"path": "a", "reason": "b"}])
    report |= {"jobs": REPORT["jobs"], "backup": REPORT["backup"]}
    for command in commands(report):
        if command.startswith("memd "):
            assert command.split()[1] in COMMANDS


def test_the_step_for_another_agent_names_it() -> None:
    assert commands(changed(agent="coder", pending=2)) == ["memd sync --agent coder"]


texts = st.text(max_size=120)


@settings(max_examples=50)
@given(
    count=st.sampled_from([0, 1, 2, 13, 300]),
    text=texts,
    warnings=st.lists(texts, max_size=12),
    jobs=st.integers(0, 4),
    skipped=st.sampled_from([0, 3, 4, 200]),
)
def test_it_is_one_screen_at_any_number_of_anything(
    count: int, text: str, warnings: list[str], jobs: int, skipped: int
) -> None:
    agent = {**AGENT, "workspace": text, "files": 10**9, "chunks": 10**9}
    agent["embedding"] = {**AGENT["embedding"], "reason": text}  # type: ignore[dict-item]
    agent["model"] = {"provider": "openai", "state": "degraded", "reason": text}
    agent["curated"] = AGENT["curated"] * 2  # type: ignore[operator]
    agent["transcripts"] = [
        {"format": "openclaw"}
        | dict.fromkeys(("files", "pending", "messages", "unattributed", "broken", "too_long"), 10**9)
    ] * 50
    agent["skipped"] = [{"path": text, "reason": "too_large"}] * skipped
    report = REPORT | {
        "socket": text,
        "agents": [agent | {"agent": f"{text}{number}"} for number in range(count)],
        "warnings": warnings,
        "jobs": [{"id": "1", "kind": "sync", "state": "running", "done": 10**9, "total": 10**9}] * jobs,
    }
    lines = page(report)
    assert len(lines) <= 40
    assert all("\n" not in line and fit(line, 80) == line for line in lines)


def test_what_a_warning_quotes_stays_in_one_piece() -> None:
    quoted = '`[files] include = ["/notes/**/*.md", "/other notes/**/*.md"]`'
    lines = page(changed(warnings=["no memory files are in the workspace, " * 2 + quoted + " finds some"]))
    assert any(quoted in line for line in lines)


def test_one_of_several_agents_is_shown_whole_when_it_is_asked_for() -> None:
    other = {**WELL["agents"][0], "agent": "coder", "pending": 4, "freshness": "stale"}
    report = changed() | {"agents": [*WELL["agents"], other]}
    table = page(report)
    assert [line.split()[0] for line in table[2:5]] == ["agent", "coder", "main"]
    assert any(line.startswith("  index ") for line in page(report, "coder"))


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("記憶記憶", 8, "記憶記憶"),
        ("記憶記憶記", 8, "記憶..."),
        ("é", 1, "é"),
    ],
)
def test_a_text_is_cut_by_what_it_takes_on_a_terminal(text: str, columns: int, shown: str) -> None:
    assert fit(text, columns) == shown


def test_colours_are_for_terminals_that_want_them(daemon: RunningDaemon) -> None:
    assert "\x1b[32mok\x1b[0m" in run_on_terminal("status", env=daemon.env)
    assert "\x1b" not in run_on_terminal("status", env=daemon.env | {"NO_COLOR": "1"})
    assert "\x1b" not in daemon.memd("status").stdout


def test_the_report_for_machines_is_the_bare_result(daemon: RunningDaemon) -> None:
    import msgspec

    report = json.loads(daemon.memd("status", "--json").stdout)
    assert msgspec.convert(report, StatusReport).pid == daemon.pid
    assert report.keys() == daemon.call("status").keys()


def test_it_costs_a_few_starts_of_the_interpreter(daemon: RunningDaemon) -> None:
    def best_s(*words: str) -> float:
        """Processor time, which others on the machine take none of."""
        times = []
        for _ in range(5):
            process = subprocess.Popen(words, env=daemon.env, stdout=subprocess.DEVNULL)
            _, code, used = os.wait4(process.pid, 0)
            process.returncode = code
            assert code == 0
            times.append(used.ru_utime + used.ru_stime)
        return min(times)

    assert best_s(*MEMD, "status") < 5 * best_s(sys.executable, "-c", "pass")


def test_people_are_told_what_machines_are(daemon: RunningDaemon) -> None:
    shown = daemon.memd("status").stdout
    assert 8 <= len(shown.splitlines()) <= 40
    assert re.search(r"\n  index      \d+ files, ", shown)
