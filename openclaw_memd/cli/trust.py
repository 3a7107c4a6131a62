"""``memd trust``: vouch for lines of a memory file, or say that they are not to be trusted."""

from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.citations import parse_citation
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "vouch for lines of a memory file, or the contrary"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("place", metavar="PATH[#L3[-L5]]", help="as search shows it; without lines the whole")
    parser.add_argument("--lower", action="store_true", help="say that they are not to be trusted")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Change the origin and tell of how many lines."""
    place = parse_citation(options.place)
    params: dict[str, Any] = {"path": place.path, "origin": "untrusted" if options.lower else "agent"}
    if place.start_line is not None:
        params |= {"start_line": place.start_line, "end_line": place.end_line}
    answer = call_for(options, "memory.trust", params)
    if options.json:
        print_json(answer)
    elif answer["changed"]:
        print(f"{amount(answer['changed'], 'line')} now {'untrusted' if options.lower else 'trusted'}")
    else:
        print("nothing to change")
    return DONE
