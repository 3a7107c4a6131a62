"""``memd history``: the rewrites of the curated files."""

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Any

from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, paint, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "list the rewrites of MEMORY.md and USER.md"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="MEMORY.md or USER.md; both by default")
    parser.add_argument("--limit", type=int, help="at most so many (200)")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """List them, the newest first."""
    params: dict[str, Any] = {}
    if options.file is not None:
        params["file"] = options.file
    if options.limit is not None:
        params["limit"] = options.limit
    answer = call_for(options, "memory.history", params, own_session=None)
    if options.json:
        print_json(answer)
        return DONE
    rows = answer["preimages"]
    if not rows:
        print("nothing was rewritten yet")
    for row in rows:
        print(_describe(row))
    return DONE


def _describe(row: dict[str, Any]) -> str:
    at = datetime.fromisoformat(row["at"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    forgotten = f", {amount(row['forgotten'], 'line')} forgotten since" if row.get("forgotten") else ""
    number = paint(f"{row['id']:>6}", "bold")
    cause = plain_line(row["cause"])
    return f"{number}  {at}  {row['file']:<9}  {cause:<10}  +{row['added']} -{row['removed']}{forgotten}"
