"""``memd diff``: what one rewrite of a curated file changed."""

from argparse import ArgumentParser, Namespace
from typing import Final

from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import paint, plain, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "show what one rewrite changed"

_STYLES: Final = {"+": "green", "-": "red", "@": "cyan"}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("id", metavar="ID", type=int, help="as `memd history` shows it")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Show the unified diff."""
    answer = call_for(options, "memory.diff", {"id": options.id}, own_session=None)
    if options.json:
        print_json(answer)
        return DONE
    for line in plain(answer["diff"]).splitlines():
        style = "bold" if line.startswith(("--- ", "+++ ")) else _STYLES.get(line[:1])
        print(line if style is None else paint(line, style))
    return DONE
