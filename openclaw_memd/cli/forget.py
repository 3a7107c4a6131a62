"""``memd forget``: take what was said or noted out of everything, after it was shown what that is."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, FAILED, CliError
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import paint, plain_line, print_json
from openclaw_memd.cli.owner import is_typed

SUMMARY = "take what was said or noted out of everything, for good"

_SELECTORS = {
    "session": "session_ids",
    "path": "paths",
    "participant": "participant",
    "query": "query",
    "since": "since",
}

_LOOK_WITHIN_S = 600.0
"""A query is looked for in every file."""


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    more = "may be given several times"
    parser.add_argument("--session", action="append", metavar="ID", help=f"a session; {more}")
    parser.add_argument(
        "--path", action="append", metavar="PATH", help=f"a memory file, or a folder of notes/; {more}"
    )
    parser.add_argument("--participant", metavar="ID", help="every session in which this sender wrote")
    parser.add_argument("--query", metavar="TEXT", help="entries and messages that hold every word of it")
    parser.add_argument(
        "--since", metavar="DATE", help="of all that only what is not older; alone, all of it"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would go, and no more")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def execute(options: Namespace) -> int:
    """Show what would go, ask, and forget it.

    Raises:
        UsageError: nothing is named.
        CliError: nobody said yes; nothing was changed.
    """
    named = {name: getattr(options, option) for option, name in _SELECTORS.items()}
    selection = {name: value for name, value in named.items() if value is not None}
    if not selection:
        raise UsageError("name what to forget: --session, --path, --participant, --query or --since")
    preview = _preview(options, selection)
    if not options.json:
        _show(preview)
    if options.dry_run:
        if options.json:
            print_json(preview)
        return DONE
    _confirm(options, preview)
    done = _forget(options, selection)
    if options.json:
        print_json(done)
    else:
        _show(done)
    return DONE


def _preview(options: Namespace, selection: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = call(options, "forget", selection | {"dry_run": True}, timeout_s=_LOOK_WITHIN_S)
    return found


def _forget(options: Namespace, selection: dict[str, Any]) -> dict[str, Any]:
    started = call(options, "forget", selection | {"dry_run": False, "wait": False})
    done: dict[str, Any] = follow_job(options, started["job_id"], what="Forgetting", unit="steps")
    return done


def _confirm(options: Namespace, preview: dict[str, Any]) -> None:
    if options.yes:
        return
    if options.json or not is_typed():
        told = "nothing was forgotten: --yes is needed where nobody can be asked"
        data = {"kind": "unconfirmed", "preview": preview}
        raise CliError(told, FAILED, {"message": told, "data": data})
    print("Forget this? It cannot be undone. [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise CliError("nothing was forgotten")


def _show(answer: dict[str, Any]) -> None:
    print(paint("would be forgotten" if answer["dry_run"] else "forgotten", "bold"))
    counts = {name: count for name, count in answer["receipt"].items() if count}
    for name, count in counts.items():
        print(f"  {name.replace('_', ' '):24} {count:,}" if isinstance(count, int) else f"  {name}: {count}")
    if not counts:
        print("  nothing")
    for one in answer["kept"]:
        print(f"{paint('kept', 'yellow')}: {plain_line(one['where'])} ({plain_line(one['why'])})")
