"""What to do about a status that is not as it should be: commands, each with what it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from openclaw_memd.cli.output import plain_line

_IN_TEXT = re.compile(r"`((?:memd|pip|make|systemctl|sysctl) [^`]+)`")
_GENERAL = "memd doctor"


@dataclass(frozen=True, slots=True)
class Step:
    """A command as it is typed, and what it is for."""

    command: str
    purpose: str


def next_steps(report: dict[str, Any]) -> list[Step]:
    """The steps for a result of ``status``, each command once; none when all is well."""
    steps: dict[str, Step] = {}
    for step in _find(report):
        steps.setdefault(step.command, step)
    return list(steps.values())


def _find(report: dict[str, Any]) -> Iterator[Step]:
    if report["state"] == "starting":
        yield Step("memd status", "again in a moment: it opens its databases")
    for agent in report["agents"]:
        named = "" if agent["agent"] == "main" else f" --agent {plain_line(agent['agent'])}"
        for step in _of_agent(agent, report["jobs"]):
            is_ours = step.command.startswith("memd ")
            yield Step(step.command + named, step.purpose) if is_ours else step
    failed = {job["kind"] for job in report["jobs"] if job["state"] == "failed"}
    if failed:
        yield Step("memd rpc job.list", f"why it failed: {', '.join(sorted(failed))}")
    if (report.get("backup") or {}).get("last_outcome") == "failed":
        yield Step("memd backup", "makes the backup that failed")
    is_answered = True
    for warning in report["warnings"]:
        commands = _IN_TEXT.findall(warning)
        for command in commands:
            yield Step(command, "see the warning")
        is_answered = is_answered and bool(commands)
    if not is_answered or report["state"] == "degraded":
        yield Step(_GENERAL, "looks at everything and says what to do about it")


def _of_agent(agent: dict[str, Any], jobs: list[dict[str, Any]]) -> Iterator[Step]:
    is_at_work = any(job["state"] in ("queued", "running") for job in jobs)
    if agent["pending"] and not is_at_work:
        yield Step("memd sync", "indexes what waits, and says when it is done")
    if agent["spool"] and agent["spool"]["items"]:
        yield Step("df -h", "is the disk full? What waits is written as soon as there is room")
    for part in ("embedding", "model"):
        for command in _IN_TEXT.findall((agent[part] or {}).get("reason") or ""):
            yield Step(command, f"see {part} above")
    if agent["embedding"]["state"] in ("degraded", "paused"):
        yield Step("memd model test", "tries the embedding model")
    if agent["skipped"] or (agent["freshness"] == "partial" and not is_at_work):
        yield Step(_GENERAL, "says why files are left out")
    if agent["watch"]["mode"] == "polling":
        yield Step(_GENERAL, "says why changes are looked for, not told")
    if (agent["model"] or {}).get("state") == "degraded":
        yield Step(_GENERAL, "says what the chat model fails with")
    if any(file["left_out"] for file in agent["curated"] or ()):
        yield Step("memd lint", "what does not fit into prompts")
    if (agent["dreaming"] or {}).get("last_outcome") == "failed":
        yield Step("memd dream report", "why the last night failed")
