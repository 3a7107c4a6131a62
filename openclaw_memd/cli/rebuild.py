"""``memd rebuild``: make the index anew from the files, with a progress bar."""

import time
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, CliError
from openclaw_memd.cli.output import Progress, print_json

SUMMARY = "make the index anew from the files"

_POLL_S = 0.2


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--no-wait", action="store_true", help="start it and return")


def execute(options: Namespace) -> int:
    """Start a rebuild, or join the one that runs, and follow it to its end."""
    started = call(options, "index.rebuild", {})
    if options.no_wait:
        print_json(started) if options.json else print(f"started as job {started['job_id']}")
        return DONE
    job = _follow(options, started["job_id"])
    if job["state"] != "done":
        raise CliError(f"the rebuild was not done: {job.get('error') or job['state']}")
    result = job["result"]
    if options.json:
        print_json(result)
    else:
        print(
            f"{result['added']} files indexed, {result['skipped']} skipped ({result['took_ms'] / 1000:.1f} s)"
        )
    return DONE


def _follow(options: Namespace, job_id: str) -> dict[str, Any]:
    """The job in its last state; a progress line meanwhile."""
    progress = Progress("Rebuilding")
    try:
        while True:
            jobs: list[dict[str, Any]] = call(options, "job.list", {})["jobs"]
            job = next((one for one in jobs if one["id"] == job_id), None)
            if job is None:
                raise CliError("the job is not known any more")
            if job["state"] not in ("queued", "running"):
                return job
            progress.show(job["done"], job["total"], "files")
            time.sleep(_POLL_S)
    finally:
        progress.finish()
