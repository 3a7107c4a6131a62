"""``memd dream``: run a night, see what it did and would do, decide about what it proposes."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.backfilling import backfill, configure_backfill, rollback
from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import amount, paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = (
    "the nightly pass: run, status, report, candidates, diary, review, accept, edit, reject, undo,"
    " backfill, rollback"
)

_CHARS: Final = 76


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", nargs="?", choices=list(_ACTIONS), default="status")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="ID",
        help="accept, reject: proposals or `all`; edit: a proposal and its text; report, undo: a run;"
        " rollback: diary, staged or all",
    )
    run = parser.add_argument_group("run")
    run.add_argument("--phase", choices=["light", "rem", "deep", "all"], help="one phase (all)")
    run.add_argument("--dry-run", action="store_true", help="tell what would be promoted, and write nothing")
    run.add_argument("--no-wait", action="store_true", help="start it and return")
    configure_backfill(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="candidates, diary: at most so many")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Do what was asked."""
    return _ACTIONS[options.action](options)


def _run(options: Namespace) -> int:
    _take_none(options)
    params: dict[str, Any] = {"dry_run": options.dry_run}
    if options.phase is not None:
        params["phase"] = options.phase
    if options.dry_run:
        report = call_for(options, "dream.run", params | {"wait": True}, own_session=None)
        print_json(report) if options.json else _show_report(report)
        return DONE
    started = call_for(options, "dream.run", params, own_session=None)
    if options.no_wait:
        print_json(started) if options.json else print(f"started as job {started['job_id']}")
        return DONE
    done = follow_job(options, started["job_id"], what="Dreaming", unit="steps")
    report = call_for(options, "dream.report", {"run_id": done["run_id"]}, own_session=None)
    print_json(report) if options.json else _show_report(report)
    return DONE


def _report(options: Namespace) -> int:
    if len(options.words) > 1:
        raise UsageError("report takes one run at most")
    params = {"run_id": options.words[0]} if options.words else {}
    report = call_for(options, "dream.report", params, own_session=None)
    print_json(report) if options.json else _show_report(report)
    return DONE


def _status(options: Namespace) -> int:
    _take_none(options)
    found = call(options, "dream.status", {})
    if options.json:
        print_json(found)
        return DONE
    last = "never"
    if found["last_run_at"] is not None:
        outcome = found["last_outcome"] or ("running" if found["running"] else "cut off")
        last = f"{_when(found['last_run_at'])}, {outcome} ({found['last_run_id']})"
    following = "none" if found["next_run_at"] is None else f"{_when(found['next_run_at'])}"
    print(f"mode        {found['mode']}, by the clocks of {plain_line(found['zone'])}")
    print(f"last night  {last}")
    print(f"next night  {following}")
    for phase in found["phases"]:
        print(f"  {phase['phase']:<9} {phase.get('last_date') or 'not yet by the schedule'}")
    print(f"candidates  {found['short_term']:,} wait, {found['promoted']:,} promoted")
    return DONE


def _candidates(options: Namespace) -> int:
    _take_none(options)
    params = {} if options.limit is None else {"limit": options.limit}
    found = call_for(options, "dream.candidates", params, own_session=None)
    if options.json:
        print_json(found)
        return DONE
    if not found["candidates"]:
        print("no candidates: nothing was asked for yet")
    for one in found["candidates"]:
        show_candidate(one)
    rest = found["total"] - len(found["candidates"])
    if rest:
        print(f"and {rest:,} more with lower scores: --limit {min(200, found['total'])}")
    return DONE


def _diary(options: Namespace) -> int:
    _take_none(options)
    params = {} if options.limit is None else {"limit": options.limit}
    found = call_for(options, "dream.diary", params, own_session=None)
    if options.json:
        print_json(found)
        return DONE
    if not found["entries"]:
        print("the diary is empty")
    for entry in found["entries"]:
        print(paint(plain_line(entry["when"]), "bold"))
        print(f"{plain(entry['text'])}\n")
    return DONE


def _review(options: Namespace) -> int:
    _take_none(options)
    found = call_for(options, "dream.review", {}, own_session=None)
    if options.json:
        print_json(found)
        return DONE
    if not found["proposals"]:
        print("nothing waits for you")
    for one in found["proposals"]:
        print(f"{paint(one['id'], 'bold')}  {one['operation']} in {one['file']}, score {one['score']:.2f}")
        print(f"  + {plain_line(one['text'])}")
        for gone in one["replaces"]:
            print(f"  - {plain_line(gone)}")
        print(paint(f"    from {', '.join(map(plain_line, one['sources']))}", "dim"))
    return DONE


def _accept(options: Namespace) -> int:
    done = call_for(options, "dream.accept", {"ids": _proposals(options)})
    if options.json:
        print_json(done)
        return DONE
    for key, action in done["accepted"].items():
        print(f"{key}  {action}")
    for key, reason in done["rejected"].items():
        print(f"{key}  not written: {reason}")
    return DONE


def _edit(options: Namespace) -> int:
    if len(options.words) < 2:
        raise UsageError("edit needs a proposal and its new text")
    params = {"id": options.words[0], "text": " ".join(options.words[1:])}
    done = call_for(options, "dream.edit", params)
    print_json(done) if options.json else print(f"it would say: {plain_line(done['proposal']['text'])}")
    return DONE


def _reject(options: Namespace) -> int:
    done = call_for(options, "dream.reject", {"ids": _proposals(options)})
    print_json(done) if options.json else print(f"{amount(done['rejected'], 'proposal')} rejected")
    return DONE


def _undo(options: Namespace) -> int:
    if len(options.words) > 1:
        raise UsageError("undo takes one run at most")
    params = {"run_id": options.words[0]} if options.words else {}
    done = call_for(options, "dream.undo", params, own_session=None)
    if options.json:
        print_json(done)
    else:
        files = ", ".join(done["files"]) or "no file"
        print(f"{done['undone']} taken back of {done['run_id']} in {files}; what is undone stays out")
    return DONE


def show_candidate(one: Mapping[str, Any]) -> None:
    """One candidate in a few lines."""
    text = plain_line(one["text"] or "(not known any more)")
    short = text if len(text) <= _CHARS else f"{text[: _CHARS - 1]}…"
    state = one.get("action") or one.get("excluded") or one.get("setback") or "passes"
    style = "green" if state == "passes" else "yellow"
    print(f"{one['score']:.2f}  {paint(f'{state:<14}', style)}  {short}")
    missed = [gate for gate in one["gates"] if not gate["passed"]]
    shown = "; ".join(f"{gate['gate']} {gate['value']:.3g} of {gate['threshold']:.3g}" for gate in missed)
    place = f"{plain_line(one['path'])}#L{one['start_line']}"
    print(paint(f"      {place} ({shown})" if shown else f"      {place}", "dim"))


def _show_report(report: Mapping[str, Any]) -> None:
    name = "what the next night would do" if report.get("dry_run") else f"night {report['run_id']}"
    print(f"{paint(name, 'bold')}  {report['local_date']}, mode {report['mode']}")
    if (light := report.get("light")) is not None:
        print(f"light  {amount(light['staged'], 'candidate')} staged")
    if (rem := report.get("rem")) is not None:
        print(f"rem    {amount(len(rem['themes']), 'theme')}, {len(rem['truths'])} may last")
    if (deep := report.get("deep")) is not None:
        _show_deep(deep)
    for problem in report.get("problems", ()):
        print(paint(f"not written: {plain_line(problem)}", "yellow"))


def _show_deep(deep: Mapping[str, Any]) -> None:
    proposed = f", {deep['proposed']} proposed: `memd dream review`" if deep.get("proposed") else ""
    print(f"deep   {deep['promoted']} of {amount(deep['ranked'], 'candidate')} promoted{proposed}")
    for title, counts in (("out", deep["excluded"]), ("chosen, not written", deep["setbacks"])):
        if counts:
            told = ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items()))
            print(f"       {title}: {told}")
    for one in deep["candidates"]:
        if one.get("action") or one.get("setback") or not one.get("excluded"):
            show_candidate(one)
    if deep.get("retired"):
        print(f"retired: {amount(deep['retired'], 'aspiration')} that expired")
    for citation in deep.get("due", ()):
        print(f"due for review: {plain_line(citation)}")
    for citation in deep.get("expired", ()):
        print(f"expired: {plain_line(citation)}")
    for pair in deep.get("conflicts", ()):
        print(f"may contradict: {plain_line(pair['source'])} and {plain_line(pair['other'])}")


def _proposals(options: Namespace) -> list[str]:
    if not options.words:
        raise UsageError(f"{options.action} needs proposals, or `all`")
    if options.words != ["all"]:
        return list(options.words)
    found = call_for(options, "dream.review", {}, own_session=None)["proposals"]
    if not found:
        raise UsageError("nothing waits for you")
    return [one["id"] for one in found]


def _take_none(options: Namespace) -> None:
    if options.words:
        raise UsageError(f"{options.action} takes no argument")


def _when(stamp: str) -> str:
    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")


_ACTIONS: Final[Mapping[str, Callable[[Namespace], int]]] = {
    "run": _run,
    "status": _status,
    "report": _report,
    "candidates": _candidates,
    "diary": _diary,
    "review": _review,
    "accept": _accept,
    "edit": _edit,
    "reject": _reject,
    "undo": _undo,
    "backfill": backfill,
    "rollback": rollback,
}
