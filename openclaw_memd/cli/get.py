"""``memd get``: lines of a memory file."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.citations import Place, parse_citation
from openclaw_memd.cli.exits import DONE, FAILED, CliError
from openclaw_memd.cli.output import plain, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "show lines of a memory file"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("path", help="as search shows it: memory/2026-01-11.md, or with lines behind #")
    parser.add_argument("--from", dest="from_line", type=int, metavar="LINE", help="first line")
    parser.add_argument(
        "--from-char", type=int, metavar="CHAR", help="where in the first line to begin, for a very long line"
    )
    parser.add_argument("--lines", type=int, metavar="N", help="how many lines at most")
    parser.add_argument("--max-chars", type=int, metavar="N", help="how many characters at most")
    parser.add_argument("--session", metavar="ID", help="the session on whose behalf this is asked")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Show the lines; 1 when there is no such file."""
    place = parse_citation(options.path)
    given = {
        "from": options.from_line,
        "from_char": options.from_char,
        "lines": options.lines,
        "max_chars": options.max_chars,
    }
    asked = {name: value for name, value in given.items() if value is not None}
    params = {"path": place.path} | _lines_of(place) | asked
    answer = call_for(options, "recall.get", params, session_id=options.session, own_session=None)
    if options.json:
        print_json(answer)
        return DONE if answer["status"] == "ok" else FAILED
    if answer["status"] != "ok":
        raise CliError("no such memory file")
    if answer["lines"]:
        print(plain(answer["text"]), end="" if answer["text"].endswith("\n") else "\n")
    elif answer.get("notice"):
        print(answer["notice"], file=sys.stderr)
    if answer.get("next_char"):
        print(f"more of line {answer['from']} from character {answer['next_char']}", file=sys.stderr)
    if answer.get("next_from"):
        print(f"more from line {answer['next_from']} of {answer['total_lines']}", file=sys.stderr)
    return DONE


def _lines_of(place: Place) -> dict[str, Any]:
    if place.start_line is None or place.end_line is None:
        return {}
    return {"from": place.start_line, "lines": place.end_line - place.start_line + 1}
