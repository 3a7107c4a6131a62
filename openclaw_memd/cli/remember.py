"""``memd remember``: write one thing into MEMORY.md or USER.md."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.citations import Place, format_citation
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.inputs import find_source, read_text
from openclaw_memd.cli.output import paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "write one thing into MEMORY.md or USER.md"

_FIELDS = {
    "file": "file",
    "importance": "importance",
    "trigger": "triggers",
    "key": "supersedes_key",
    "project": "project",
    "replaces": "replaces",
    "review": "review",
    "expires": "expires",
}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("words", nargs="*", metavar="TEXT", help="the text; `-` reads standard input")
    parser.add_argument(
        "--file", choices=["MEMORY.md", "USER.md"], help="USER.md for instructions (default: MEMORY.md)"
    )
    parser.add_argument("--importance", type=int, metavar="N", help="1 to 10")
    parser.add_argument("--trigger", action="append", metavar="PHRASE", help="may be given several times")
    parser.add_argument("--key", help="what it is about; it replaces what has the same key")
    parser.add_argument("--project", metavar="KEY", help="the project that it belongs to")
    parser.add_argument("--replaces", metavar="TEXT", help="what it replaces: all of it, or MEMORY.md#L3")
    parser.add_argument("--review", metavar="DATE", help="when to look at it again")
    parser.add_argument("--expires", metavar="DATE", help="the last day on which it holds")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Write it and tell where it stands."""
    source = find_source(options.words, None)
    if source is None and not options.words:
        raise UsageError("a text is needed, or `-` to read it from standard input")
    text = " ".join(options.words) if source is None else read_text(source)
    said = {name: getattr(options, option) for option, name in _FIELDS.items()}
    params = {"text": text, **{name: value for name, value in said.items() if value is not None}}
    answer = call_for(options, "memory.remember", params)
    if options.json:
        print_json(answer)
    else:
        _show(answer)
    return DONE


def _show(answer: dict[str, Any]) -> None:
    place = format_citation(Place(answer["file"], answer["line"], answer["end_line"]))
    mark = "" if answer["appended"] else "  [there already]"
    print(f"{paint(plain_line(place), 'cyan')}{mark}")
    for entry in answer["superseded"]:
        for line in plain(entry).split("\n"):
            print(paint(f"  instead of: {line}", "dim"))
    if "warning" in answer:
        print(f"warning: {plain_line(answer['warning'])}", file=sys.stderr)
