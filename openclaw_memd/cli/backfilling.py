"""``memd dream backfill`` and ``memd dream rollback``: what old notes and sessions say, and back again."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any, Final

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import amount, paint, plain_line, print_json
from openclaw_memd.cli.owner import call_for

_LOOK_WITHIN_S: Final = 600.0
"""A preview reads every note."""

_WHAT: Final = ("diary", "staged", "all")


def configure_backfill(parser: ArgumentParser) -> None:
    """The options of ``backfill``."""
    group = parser.add_argument_group("backfill")
    group.add_argument("--source", choices=["notes", "sessions"], help="what to look through (notes)")
    group.add_argument("--path", metavar="PATH", help="one note or session, or a folder of them")
    group.add_argument("--from", dest="first", metavar="DATE", help="only what is of this day or later")
    group.add_argument("--to", dest="last", metavar="DATE", help="only what is of this day or earlier")
    group.add_argument("--stage", action="store_true", help="make what may last candidates as well")
    group.add_argument("--apply", action="store_true", help="write it; without, it is only shown")


def backfill(options: Namespace) -> int:
    """Show what old notes or sessions say; with ``--apply`` write it into the diary."""
    if options.words:
        raise UsageError("backfill takes no argument; --path names a note, a session or a folder")
    if options.apply and options.dry_run:
        raise UsageError("either --apply or --dry-run")
    named = {"path": options.path, "from": options.first, "to": options.last}
    params: dict[str, Any] = {"source": options.source or "notes", "stage": options.stage}
    params |= {name: value for name, value in named.items() if value is not None}
    if options.apply:
        params |= {"dry_run": False, "wait": False}
        started = call_for(options, "dream.backfill", params, own_session=None)
        done = follow_job(options, started["job_id"], what="Looking through", unit="steps")
    else:
        done = call_for(options, "dream.backfill", params, own_session=None, timeout_s=_LOOK_WITHIN_S)
    print_json(done) if options.json else _show(done)
    return DONE


def rollback(options: Namespace) -> int:
    """Take back what backfills wrote."""
    if len(options.words) != 1 or options.words[0] not in _WHAT:
        raise UsageError(f"rollback needs one of {', '.join(_WHAT)}")
    if options.dry_run:
        raise UsageError("rollback knows no --dry-run: a backfill brings the same again")
    params = {"what": options.words[0], "wait": False}
    started = call_for(options, "dream.rollback", params, own_session=None)
    done = follow_job(options, started["job_id"], what="Taking back", unit="steps")
    if options.json:
        print_json(done)
        return DONE
    entries = amount(done["entries"], "entry of the diary", "entries of the diary")
    print(f"{entries} and {amount(done['candidates'], 'candidate')} taken back")
    _show_problems(done)
    return DONE


def _show(done: Mapping[str, Any]) -> None:
    for day in done["days"]:
        known = f", {day['known']:,} known" if day["known"] else ""
        print(f"{paint(day['day'], 'bold')}  {day['candidates']:,} new{known}")
        for one in day.get("sample", ()) if done["dry_run"] else ():
            place = f"{plain_line(one['path'])}#L{one['line']}"
            print(f"  + {paint(place, 'dim')}  {plain_line(one['text'] or '(gone meanwhile)')}")
    read = amount(done["read"], "part of a session", "parts of sessions")
    if done["source"] == "notes":
        read = amount(done["read"], "note")
    print(f"{read} read: {amount(done['candidates'], 'new claim')}, {done['known']:,} known")
    if done["left_out"]:
        told = ", ".join(f"{plain_line(why)} {count}" for why, count in sorted(done["left_out"].items()))
        print(f"left out: {told}")
    entries = amount(done["entries"], "entry", "entries")
    if done["dry_run"]:
        rest = "" if done["stage"] else "; --stage makes candidates of them as well"
        print(f"nothing was written: --apply writes {entries} into the diary of DREAMS.md{rest}")
    else:
        full = f", {done['no_room']:,} found no room" if done["no_room"] else ""
        print(f"{entries} in the diary, {amount(done['staged'], 'candidate')} staged{full}")
    if done.get("next_from"):
        print(f"there is more: --from {done['next_from']}")
    _show_problems(done)


def _show_problems(done: Mapping[str, Any]) -> None:
    for problem in done.get("problems", ()):
        print(paint(f"not written: {plain_line(problem)}", "yellow"))
