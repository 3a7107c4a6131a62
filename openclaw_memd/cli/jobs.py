"""Waiting for a job of the daemon."""

import time
from argparse import Namespace
from typing import Any

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import CliError
from openclaw_memd.cli.output import Progress

_POLL_S = 0.2


def follow_job(options: Namespace, job_id: str, *, what: str, unit: str) -> Any:
    """The job's result; meanwhile a progress line that begins with ``what`` and counts in ``unit``.

    Raises:
        CliError: it was not done.
    """
    progress = Progress(what)
    try:
        while True:
            jobs: list[dict[str, Any]] = call(options, "job.list", {})["jobs"]
            job = next((one for one in jobs if one["id"] == job_id), None)
            if job is None:
                raise CliError("the job is not known any more")
            if job["state"] == "done":
                return job["result"]
            if job["state"] not in ("queued", "running"):
                raise CliError(f"the {job['kind']} was not done: {job.get('error') or job['state']}")
            progress.show(job["done"], job["total"], unit)
            time.sleep(_POLL_S)
    finally:
        progress.finish()
