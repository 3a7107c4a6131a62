"""A status for people: one screen, however many agents there are."""

import re
from collections import Counter
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from openclaw_memd.cli.next_steps import next_steps
from openclaw_memd.cli.output import amount, duration, fit, paint, plain_line, size

WIDTH = 80
AGENTS = 12
"""Rows of the table; the rest is counted."""

WARNING_LINES = 8
STEPS = 4
_STATES = {"ok": "green", "degraded": "yellow", "starting": "yellow"}
_SKIPPED = 3
_REASONED = ("embedding", "model")
_REASON_LINES = 2
_INDENT = 13
_QUOTED = re.compile("`[^`]*`")
_BLANK = "\x00"


def page(report: dict[str, Any], chosen: str | None = None) -> list[str]:
    """Lines of at most ``WIDTH`` columns, 40 at most.

    One agent is shown as a whole, or the ``chosen`` one; several as a table.
    """
    agents = [one for one in report["agents"] if chosen in (None, one["agent"])]
    lines = [*_head(report), ""]
    lines += _whole(agents[0]) if len(agents) == 1 else _table(agents)
    lines += _jobs(report["jobs"])
    lines += _backup(report.get("backup"))
    told = [one[part].get("reason") for one in agents[:1] for part in ("embedding", "model") if one[part]]
    reasons = tuple(reason for reason in told if reason and len(agents) == 1)
    lines += _warnings([text for text in report["warnings"] if not text.endswith(reasons)])
    steps = next_steps(report)
    lines += [""] * bool(steps)
    for step in steps[:STEPS]:
        lines.append(paint("next", "cyan") + fit(f"  {step.command}  ({step.purpose})", WIDTH - 4))
    return lines


def _head(report: dict[str, Any]) -> Iterator[str]:
    state, socket = report["state"], plain_line(report["socket"])
    up = f"up {duration(report['uptime_s'])}, pid {report['pid']}"
    short = f"memd {report['version']}  {state}  {up}"
    painted = f"memd {report['version']}  {paint(state, _STATES[state])}  {up}"
    if len(short) + len(socket) + 2 <= WIDTH:
        yield f"{painted}, {socket}"
    else:
        yield painted
        yield fit(f"socket {socket}", WIDTH)


def _whole(agent: dict[str, Any]) -> Iterator[str]:
    yield paint(fit(f"{plain_line(agent['agent'])}  {plain_line(agent['workspace'])}", WIDTH), "bold")
    for name, text in _facts(agent):
        lines = [text]
        if name in _REASONED:
            lines = _wrap(text, WIDTH - _INDENT)
            first, rest = lines[: _REASON_LINES - 1], lines[_REASON_LINES - 1 :]
            lines = [*first, " ".join(rest)] if rest else first
        for number, line in enumerate(lines):
            yield fit(f"  {'' if number else name:10} {line}", WIDTH)


def _facts(agent: dict[str, Any]) -> Iterator[tuple[str, str]]:
    watch, embedding, storage = agent["watch"], agent["embedding"], agent["storage"]
    pending = f", {amount(agent['pending'], 'change')} waiting" if agent["pending"] else ""
    sources = ", ".join(f"{one['source']} {one['files']}" for one in agent["sources"] if one["files"])
    yield (
        "index",
        f"{amount(agent['files'], 'file')}, {amount(agent['chunks'], 'chunk')}, {agent['freshness']}{pending}"
        + (f"  ({sources})" if sources else ""),
    )
    yield "vectors", _vectors(agent)
    name = f" {plain_line(embedding['model'])}" if embedding["model"] else ""
    yield "embedding", f"{embedding['provider']}{name}, {embedding['state']}{_reason(embedding)}"
    model = agent["model"]
    if model is not None and model["state"] != "off":
        name = f" {plain_line(model['model'])}" if model.get("model") else ""
        yield "model", f"{model['provider']}{name}, {model['state']}{_reason(model)}"
    for file in agent["curated"] or ():
        if file["left_out"]:
            left = amount(file["left_out"], "entry", "entries")
            yield (
                "curated",
                f"{file['file']}: {file['chars']:,} of {file['budget']:,} characters, {left} left out",
            )
    counts = ", ".join(f"{count} {state}" for state, count in (agent["intents"] or {}).items() if count)
    if counts:
        yield "intents", counts
    if agent["spool"] and agent["spool"]["items"]:
        yield "spool", f"{amount(agent['spool']['items'], 'text')} waiting to be written"
    if folders := agent.get("transcripts"):
        yield "sessions", _transcripts(folders)
    yield from _dreaming(agent["dreaming"])
    restarts = f", {amount(watch['restarts'], 'restart')}" if watch["restarts"] else ""
    scan = "not yet" if watch["last_scan_at"] is None else _minute(watch["last_scan_at"])
    yield "watch", f"{watch['mode']}, last scan {scan}{restarts}"
    state = "unknown" if storage["state_bytes"] is None else size(storage["state_bytes"])
    sizes = f"index {size(storage['index_bytes'])}, vectors {size(storage['vectors_bytes'])}, state {state}"
    yield "storage", sizes
    yield from _left_out(agent)


def _transcripts(folders: list[dict[str, Any]]) -> str:
    total = {name: sum(one[name] for one in folders) for name in folders[0] if name != "format"}
    left_out = total["broken"] + total["too_long"]
    told = [
        amount(total["files"], "transcript"),
        amount(total["messages"], "message"),
        *([f"{total['unattributed']} that name nobody"] if total["unattributed"] else []),
        *([f"{total['pending']} waiting"] if total["pending"] else []),
        *([f"{amount(left_out, 'line')} unreadable"] if left_out else []),
    ]
    return ", ".join(told)


def _left_out(agent: dict[str, Any]) -> Iterator[tuple[str, str]]:
    skipped = agent["skipped"]
    shown = skipped if len(skipped) <= _SKIPPED else skipped[: _SKIPPED - 1]
    for one in shown:
        yield "skipped", f"{plain_line(one['path'])}: {one['reason']}"
    if len(skipped) > len(shown):
        more = agent.get("skipped_count") or len(skipped)
        reasons = Counter(one["reason"] for one in skipped).most_common(3)
        common = ", ".join(f"{reason} {count}" for reason, count in reasons)
        yield "skipped", f"{amount(more, 'file')}, all in memd status --json: {common}"
    kept_out = ", ".join(f"{one['what']} {one['count']} ({one['reason']})" for one in agent["excluded"])
    if kept_out:
        yield "excluded", plain_line(kept_out)


def _vectors(agent: dict[str, Any]) -> str:
    missing = agent["chunks"] - agent["vectors"]
    if agent["embedding"]["state"] == "off":
        return "off: search is by keyword"
    if missing <= 0:
        return f"{agent['vectors']:,} of {agent['chunks']:,} chunks"
    return f"{agent['vectors']:,} of {agent['chunks']:,} chunks, {amount(missing, 'chunk')} to embed"


def _dreaming(dreaming: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """The last night and the next one, unless there are none."""
    if dreaming is None or (dreaming["mode"] == "off" and dreaming["last_run_at"] is None):
        return
    last = "no night yet"
    if dreaming["last_run_at"] is not None:
        last = f"last {_minute(dreaming['last_run_at'])} ({dreaming['last_outcome'] or 'running'})"
    following = "" if dreaming["next_run_at"] is None else f", next {_minute(dreaming['next_run_at'])}"
    yield "dreaming", f"{dreaming['mode']}, {last}{following}, {dreaming['promoted']} promoted"


def _table(agents: list[dict[str, Any]]) -> Iterator[str]:
    """A row for each agent, those that need somebody first."""
    yield paint(
        f"{'agent':22}{'files':>9}{'chunks':>10}{'vectors':>9}  {'index':8} {'watch':8} waiting", "bold"
    )
    shown = sorted(agents, key=lambda agent: not _is_troubled(agent))[:AGENTS]
    for agent in shown:
        share = "off"
        if agent["embedding"]["state"] != "off":
            share = f"{100 * agent['vectors'] // max(1, agent['chunks'])} %"
        state = f"{agent['freshness']:8} {agent['watch']['mode']:8}"
        counts = f"{agent['files']:9,}{agent['chunks']:10,}{share:>9}"
        waiting = agent["pending"] + (agent["spool"] or {"items": 0})["items"]
        line = fit(
            f"{fit(plain_line(agent['agent']), 21):22}{counts}  {state} {waiting or ''}".rstrip(), WIDTH
        )
        yield paint(line, "yellow") if _is_troubled(agent) else line
    if len(agents) > AGENTS:
        rest = len(agents) - AGENTS
        troubled = sum(map(_is_troubled, agents)) - sum(map(_is_troubled, shown))
        yield f"and {rest} more" + (
            f", {troubled} of them not as they should be" if troubled else ", all well"
        )
    if agents:
        yield fit(f"memd status --agent {plain_line(shown[0]['agent'])}  shows one of them", WIDTH)


def _is_troubled(agent: dict[str, Any]) -> bool:
    return bool(
        agent["freshness"] != "fresh"
        or agent["watch"]["mode"] == "polling"
        or agent["embedding"]["state"] in ("degraded", "paused")
        or (agent["spool"] or {"items": 0})["items"]
        or (agent["model"] or {}).get("state") == "degraded"
    )


def _jobs(jobs: list[dict[str, Any]]) -> Iterator[str]:
    live = [job for job in jobs if job["state"] in ("queued", "running")]
    for job in live[:2]:
        yield f"  job        {job['kind']} {job['state']}, {job['done']:,}/{job['total'] or '?'}"
    if len(live) > 2:
        yield f"  job        and {len(live) - 2} more (memd rpc job.list)"


def _backup(backup: dict[str, Any] | None) -> Iterator[str]:
    if backup is not None:
        last = "none yet"
        if backup["last_at"] is not None:
            last = f"last {_minute(backup['last_at'])} ({backup['last_outcome']})"
        following = "" if backup["next_at"] is None else f", next {_minute(backup['next_at'])}"
        yield f"  backup     {last}{following}"


def _warnings(warnings: list[str]) -> list[str]:
    lines: list[str] = []
    for number, text in enumerate(warnings):
        first, *rest = _wrap(f"warning: {plain_line(text)}", WIDTH - 2)
        wrapped = [first, *(f"  {line}" for line in rest)]
        if len(lines) + len(wrapped) > WARNING_LINES - (number < len(warnings) - 1):
            lines.append(f"{amount(len(warnings) - number, 'warning')} more (memd status --json)")
            break
        lines += [paint(wrapped[0][:7], "yellow") + wrapped[0][7:], *wrapped[1:]]
    return [""] * bool(lines) + lines


def _wrap(text: str, width: int) -> list[str]:
    """Lines of ``text``; what it quotes stays in one piece, to be copied."""
    width = width if text.isascii() else width // 2  # letters of two columns are counted as one
    whole = _QUOTED.sub(lambda quoted: quoted[0].replace(" ", _BLANK), text)
    lines = wrap(whole, width, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]


def _reason(part: dict[str, Any]) -> str:
    return f": {plain_line(part['reason'])}" if part.get("reason") else ""


def _minute(stamp: str) -> str:
    from datetime import datetime

    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")
