"""``memd trust``: vouch for lines of a memory file, or say that they are not to be trusted."""

from argparse import ArgumentParser, Namespace
from hashlib import sha256
from typing import Any, Final

from openclaw_memd.cli.citations import Place, parse_citation
from openclaw_memd.cli.client import RpcError, call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, plain, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "vouch for lines of a memory file, or the contrary"

SHOWN_LINES: Final = 20
MOST_LINES: Final = 1_000_000
MOST_CHARS: Final = 1_000_000


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("place", metavar="PATH[#L3[-L5]]", help="as search shows it; without lines the whole")
    parser.add_argument("--lower", action="store_true", help="say that they are not to be trusted")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Change the origin of the lines that are read and shown, or of none."""
    place = parse_citation(options.place)
    text = _read(options, place)
    params: dict[str, Any] = {"path": place.path, "origin": "untrusted" if options.lower else "agent"}
    if text is not None:
        first = place.start_line or 1
        params |= {"start_line": first, "end_line": first + text.count("\n"), "hash": _hash(text)}
    elif place.start_line is not None:
        params |= {"start_line": place.start_line, "end_line": place.end_line}
    answer = call_for(options, "memory.trust", params)
    if text is not None and not options.json:
        _show(text)
    if options.json:
        print_json(answer)
    elif answer["changed"]:
        print(f"{amount(answer['changed'], 'line')} now {'untrusted' if options.lower else 'trusted'}")
    else:
        print("nothing to change")
    return DONE


def _read(options: Namespace, place: Place) -> str | None:
    """The text of the lines as it is now; None when it cannot be shown whole.

    Nobody's session reads it: what comes from outside must not taint the one that vouches for it.
    """
    first, last = place.start_line or 1, place.end_line
    lines = MOST_LINES if last is None else last - first + 1
    asked = {"path": place.path, "from": first, "lines": lines, "max_chars": MOST_CHARS}
    try:
        answer = call(options, "recall.get", asked)
    except RpcError:
        return None
    if answer["status"] != "ok" or answer["from"] != first or answer.get("next_char") or not answer["lines"]:
        return None
    end = first + answer["lines"] - 1
    return answer["text"] if end == (answer["total_lines"] if last is None else last) else None


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _show(text: str) -> None:
    lines = text.split("\n")
    for line in lines[:SHOWN_LINES]:
        print(f"  {plain(line)}".rstrip())
    if len(lines) > SHOWN_LINES:
        print(f"  and {amount(len(lines) - SHOWN_LINES, 'more line')}")
