"""``memd rebuild``: make the index anew from the files, with a progress bar."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import print_json

SUMMARY = "make the index anew from the files"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--no-wait", action="store_true", help="start it and return")


def execute(options: Namespace) -> int:
    """Start a rebuild, or join the one that runs, and follow it to its end."""
    started = call(options, "index.rebuild", {})
    if options.no_wait:
        print_json(started) if options.json else print(f"started as job {started['job_id']}")
        return DONE
    result = follow_job(options, started["job_id"], what="Rebuilding", unit="files")
    if options.json:
        print_json(result)
    else:
        print(
            f"{result['added']} files indexed, {result['skipped']} skipped ({result['took_ms'] / 1000:.1f} s)"
        )
    return DONE
