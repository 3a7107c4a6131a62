"""``memd bootstrap``: what a session is given when it begins."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, paint, plain, print_json
from openclaw_memd.cli.owner import acts_as_owner, call_for, configure_owner

SUMMARY = "show what a session is given when it begins"

_NOBODY = "nobody in particular is given nothing; with --as-owner this would be a session of the owner"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="only these, such as MEMORY.md")
    parser.add_argument(
        "--reason",
        choices=["start", "new", "reset", "refresh"],
        help="why the session asks; new and reset bring the last days' notes",
    )
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Show the block, and what is left out of it."""
    params: dict[str, Any] = {}
    if options.files:
        params["files"] = options.files
    if options.reason:
        params["reason"] = options.reason
    answer = call_for(options, "inject.bootstrap", params, own_session=None)
    if options.json:
        print_json(answer)
        return DONE
    if answer["context"]:
        print(plain(answer["context"]))
    elif not acts_as_owner(options):
        print(_NOBODY, file=sys.stderr)
    for file in answer["files"]:
        print(paint(_tell(file), "dim"), file=sys.stderr)
    return DONE


def _tell(file: dict[str, Any]) -> str:
    facts = [f"{file['chars']:,} of {amount(file['raw_chars'], 'character')}"]
    if file["left_out"]:
        facts.append(f"{amount(file['left_out'], 'entry', 'entries')} left out for want of room")
    elif file["truncated"]:
        facts.append("cut")
    withheld = file.get("withheld") or {}
    if withheld:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(withheld.items()))
        facts.append(f"withheld: {reasons}")
    if file.get("problem"):
        facts.append(f"cannot be read: {file['problem']}")
    return f"{file['file']}: {', '.join(facts)}"
