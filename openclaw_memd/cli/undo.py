"""``memd undo``: make a curated file what it was before one rewrite."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "make a file what it was before one rewrite"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("id", metavar="ID", type=int, help="as `memd history` shows it")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Bring the file back and tell how to undo that."""
    answer = call_for(options, "memory.undo", {"id": options.id})
    if options.json:
        print_json(answer)
    elif answer["preimage_id"] is None:
        print(f"{answer['file']} is so already")
    else:
        print(f"{answer['file']} is as it was before; `memd undo {answer['preimage_id']}` takes that back")
    return DONE
