"""What is to be noted, from the command line to a call, and where it went."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.citations import Place, format_citation
from openclaw_memd.cli.inputs import find_source, read_text
from openclaw_memd.cli.output import paint, plain_line

_FIELDS = {"importance": "importance", "trigger": "triggers", "key": "supersedes_key", "project": "project"}


def configure_text(parser: ArgumentParser) -> None:
    """The options for a text and what it says of itself."""
    parser.add_argument("words", nargs="*", metavar="TEXT", help="the text; `-` reads standard input")
    parser.add_argument("--file", metavar="FILE", help="a file that holds the text; `-` is standard input")
    parser.add_argument("--importance", type=int, metavar="N", help="1 to 10")
    parser.add_argument("--trigger", action="append", metavar="PHRASE", help="may be given several times")
    parser.add_argument("--key", help="what the entry is about; a later one takes its place")
    parser.add_argument("--project", metavar="KEY", help="the project that it belongs to")


def text_params(options: Namespace, *, words_are_entry: bool) -> dict[str, Any]:
    """The parameters ``text`` or ``entries``.

    An entry is a list item, and so is a text of which something is said. Everything else is Markdown that
    stays as it is.

    Raises:
        UsageError: there is no text, or there are two.
        CliError: it cannot be read.
    """
    if options.file is not None and options.words:
        raise UsageError("either TEXT or --file")
    source = find_source(options.words, options.file)
    if source is None and not options.words:
        raise UsageError("a text is needed, or `-` to read it from standard input")
    text = " ".join(options.words) if source is None else read_text(source)
    said = {name: getattr(options, option) for option, name in _FIELDS.items()}
    said = {name: value for name, value in said.items() if value is not None}
    is_entry = bool(said) or (source is None and words_are_entry)
    return {"entries": [{"text": text, **said}]} if is_entry else {"text": text}


def show_appended(answer: dict[str, Any], *, is_owner: bool) -> None:
    """Where the text stands, one line a file."""
    for part in answer.get("parts") or [answer]:
        place = format_citation(Place(part["path"], part["start_line"], part["end_line"]))
        marks = [part["origin"]] + (["waits to be written"] if part["spooled"] else [])
        marks += [] if answer["appended"] or answer["spooled"] else ["nothing new"]
        print(f"{paint(plain_line(place), 'cyan')}  [{', '.join(marks)}]")
    if not is_owner and answer["appended"] and answer["origin"] == "untrusted":
        print("nobody vouches for it; with --as-owner it would be the owner's turn", file=sys.stderr)
