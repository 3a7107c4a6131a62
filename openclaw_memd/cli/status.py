"""``memd status``: the health check, for people and for machines."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, FAILED
from openclaw_memd.cli.output import print_json

SUMMARY = "tell how the daemon and its index are"


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
        from openclaw_memd.cli.status_page import page

        print("\n".join(page(report, options.agent)))
    return FAILED if report["state"] == "starting" else DONE
