"""``memd backup``: one archive of every agent's files and ledger."""

from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import amount, plain_line, print_json, size

SUMMARY = "archive every agent's files and ledger"

_SHOWN = 8


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a new file, or a folder for one (backups/ in the data folder)",
    )


def execute(options: Namespace) -> int:
    """Have it made and tell where it is."""
    import os

    params: dict[str, Any] = {"wait": False}
    if options.path is not None:
        params["path"] = os.path.abspath(os.path.expanduser(options.path))  # noqa: PTH100, PTH111 - a string
    started = call(options, "backup.create", params)
    made: dict[str, Any] = follow_job(options, started["job_id"], what="Archiving", unit="members")
    if options.json:
        print_json(made)
        return DONE
    print(f"{plain_line(made['path'])}  {size(made['bytes'])}, {amount(made['files'], 'file')}")
    left_out = made.get("left_out", [])
    for one in left_out[:_SHOWN]:
        print(f"left out: {plain_line(one['path'])} ({one['reason']})")
    if len(left_out) > _SHOWN:
        print(f"left out: {len(left_out) - _SHOWN} more (memd backup --json)")
    return DONE
