"""``memd note``: add to today's note."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.entries import configure_text, show_appended, text_params
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import print_json
from openclaw_memd.cli.owner import acts_as_owner, call_for, configure_owner

SUMMARY = "add to today's note"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    configure_text(parser)
    parser.add_argument("--slug", help="a note of its own for a topic, in the same day")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Note it and tell where it stands."""
    params = text_params(options, words_are_entry=True)
    if options.slug is not None:
        params["slug"] = options.slug
    answer = call_for(options, "note.append", params)
    if options.json:
        print_json(answer)
    else:
        show_appended(answer, is_owner=acts_as_owner(options))
    return DONE
