"""``memd status``: the health check, for people and for machines."""

from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, FAILED
from openclaw_memd.cli.output import amount, duration, paint, plain, plain_line, print_json, size

SUMMARY = "tell how the daemon and its index are"

_STATE_STYLE = {"ok": "green", "degraded": "yellow", "starting": "yellow"}
_SHOWN = 8


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--deep", action="store_true", help="check the databases too")


def execute(options: Namespace) -> int:
    """Show the status; 1 while the daemon starts."""
    params = {"deep": True} if options.deep else {}
    report = call(options, "status", params, timeout_s=60.0 if options.deep else 5.0)
    if options.json:
        print_json(report)
    else:
        print("\n".join(_lines(report)))
    return FAILED if report["state"] == "starting" else DONE


def _lines(report: dict[str, Any]) -> list[str]:
    state = report["state"]
    lines = [
        f"memd {report['version']}  {paint(state, _STATE_STYLE[state])}  up {duration(report['uptime_s'])}, "
        f"pid {report['pid']}, {report['socket']}"
    ]
    for agent in report["agents"]:
        lines += ["", *_agent_lines(agent)]
    for job in report["jobs"]:
        if job["state"] in ("queued", "running"):
            lines.append(f"  job        {job['kind']} {job['state']}, {job['done']}/{job['total'] or '?'}")
    lines += [f"{paint('warning', 'yellow')}: {plain(text)}" for text in report["warnings"]]
    return lines


def _agent_lines(agent: dict[str, Any]) -> list[str]:
    watch, embedding, storage = agent["watch"], agent["embedding"], agent["storage"]
    pending = f", {amount(agent['pending'], 'change')} waiting" if agent["pending"] else ""
    sources = ", ".join(f"{one['source']} {one['files']}" for one in agent["sources"] if one["files"])
    lines = [
        paint(f"{agent['agent']}  {plain(agent['workspace'])}", "bold"),
        f"  index      {amount(agent['files'], 'file')}, {amount(agent['chunks'], 'chunk')}, "
        f"{agent['freshness']}{pending}" + (f"  ({sources})" if sources else ""),
        f"  vectors    {_vectors(agent)}",
        f"  embedding  {embedding['provider']}"
        + (f" {embedding['model']}" if embedding["model"] else "")
        + f", {embedding['state']}"
        + (f": {plain(embedding['reason'])}" if embedding.get("reason") else ""),
        *_model_lines(agent["model"]),
        *_intent_lines(agent["intents"]),
        *_dream_lines(agent["dreaming"]),
        f"  watch      {watch['mode']}, last scan {watch['last_scan_at'] or 'not yet'}"
        + (f", {amount(watch['restarts'], 'restart')}" if watch["restarts"] else ""),
        f"  storage    index {size(storage['index_bytes'])}, vectors {size(storage['vectors_bytes'])}, "
        f"state {size(storage['state_bytes'])}",
    ]
    skipped = agent["skipped"]
    lines += [f"  skipped    {plain_line(one['path'])}: {one['reason']}" for one in skipped[:_SHOWN]]
    if len(skipped) > _SHOWN:
        lines.append(f"  skipped    and {len(skipped) - _SHOWN} more (memd status --json)")
    lines += [
        f"  excluded   {plain(one['what'])}: {one['count']} ({one['reason']})" for one in agent["excluded"]
    ]
    return lines


def _dream_lines(dreaming: dict[str, Any] | None) -> list[str]:
    """The last night and the next one, unless there are none."""
    if dreaming is None or (dreaming["mode"] == "off" and dreaming["last_run_at"] is None):
        return []
    last = "no night yet"
    if dreaming["last_run_at"] is not None:
        last = f"last {_minute(dreaming['last_run_at'])} ({dreaming['last_outcome'] or 'running'})"
    following = "" if dreaming["next_run_at"] is None else f", next {_minute(dreaming['next_run_at'])}"
    return [f"  dreaming   {dreaming['mode']}, {last}{following}, {dreaming['promoted']} promoted"]


def _minute(stamp: str) -> str:
    from datetime import datetime

    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")


def _intent_lines(intents: dict[str, int] | None) -> list[str]:
    """Standing intents by state, if there are any."""
    counts = ", ".join(f"{count} {state}" for state, count in (intents or {}).items() if count)
    return [f"  intents    {counts}"] if counts else []


def _model_lines(model: dict[str, Any] | None) -> list[str]:
    """The chat model, unless there is to be none."""
    if model is None or model["state"] == "off":
        return []
    name = f" {plain(model['model'])}" if model.get("model") else ""
    reason = f": {plain(model['reason'])}" if model.get("reason") else ""
    return [f"  model      {model['provider']}{name}, {model['state']}{reason}"]


def _vectors(agent: dict[str, Any]) -> str:
    missing = agent["chunks"] - agent["vectors"]
    if agent["embedding"]["state"] == "off":
        return "off: search is by keyword"
    if missing <= 0:
        return f"{agent['vectors']:,} of {agent['chunks']:,} chunks"
    return f"{agent['vectors']:,} of {agent['chunks']:,} chunks, {amount(missing, 'chunk')} to embed"
