"""``memd inject``: what a message brings along."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any
from uuid import uuid4

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import SESSION, acts_as_owner, configure_owner, context_of

SUMMARY = "show what a message would bring along"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("text", nargs="+", help="the message")
    parser.add_argument("--turn", metavar="ID", help="the turn's id; the same again gives the same answer")
    parser.add_argument("--session", metavar="ID", help="the session that the message is in")
    parser.add_argument("--project", metavar="KEY", help="the project that the session is in")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Ask and show."""
    params = context_of(options, session_id=options.session or SESSION, is_owner=acts_as_owner(options))
    if options.project and "context" in params:
        params["context"]["project_key"] = options.project
    params |= {"text": " ".join(options.text), "turn_id": options.turn or uuid4().hex}
    answer = call(options, "inject.turn", params)
    if options.json:
        print_json(answer)
    else:
        _show(answer)
    return DONE


def _show(answer: dict[str, Any]) -> None:
    if answer["context"]:
        print(plain(answer["context"]))
    for found in answer["triggers"]:
        source = plain_line(found["hit"]["citation"])
        fit = f"{found['trigger_score']:.2f} by {plain_line(found['phrase'])!r}, {found['arm']}"
        print(paint(f"{source}  {fit}", "dim"), file=sys.stderr)
    deeper = "ask deeper" if answer["escalate"]["run"] else "nothing to ask deeper"
    notes = [
        amount(len(answer["triggers"]), "entry", "entries"),
        amount(len(answer["intents"]), "intent"),
        f"{deeper} ({answer['escalate']['reason']})",
        f"{answer['took_ms']:.0f} ms",
    ]
    notes += [f"without {part}" for part in answer.get("degraded") or []]
    print(paint(", ".join(notes), "dim"), file=sys.stderr)
