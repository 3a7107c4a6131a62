"""``memd explain``: why something is in MEMORY.md, or is not."""

from argparse import ArgumentParser, Namespace

from openclaw_memd.cli.dream import show_candidate
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import paint, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "tell why something is in MEMORY.md, or is not"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("text", metavar="TEXT", nargs="+", help="words of it, a path, or a key")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Tell it, with every gate."""
    query = " ".join(options.text)
    found = call_for(options, "dream.explain", {"query": query}, own_session=None)
    if options.json:
        print_json(found)
        return DONE
    print(paint(plain_line(found["reason"]), "bold"))
    for one in found["candidates"]:
        show_candidate(one)
        for gate in one["gates"]:
            mark = "passed" if gate["passed"] else "missed"
            print(f"      {gate['gate']:<8} {gate['value']:8.3f}  of {gate['threshold']:8.3f}  {mark}")
        for name, value in one["components"].items():
            print(paint(f"      {name:<14} {value:.3f}", "dim"))
    return DONE
