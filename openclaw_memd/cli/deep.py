"""``memd deep``: look for what bears on a message about the past."""

import sys
from argparse import ArgumentParser, Namespace
from html import unescape
from typing import Any

from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, FAILED
from openclaw_memd.cli.output import amount, paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "look for what bears on a question about the past"

_NOTHING = {
    "no_terms": "the message has nothing to look for",
    "no_match": "nothing was found",
    "nothing_relevant": "the chat model found nothing that bears on it",
}
_SKIPPED = {
    "off": "deep recall is switched off ([escalation] mode)",
    "no_recall_intent": "the message does not ask about the past",
    "strong_hit": "what is injected for the message answers it already",
    "not_owner": "the session is not the owner's (--as-owner)",
}
_DOWN = {
    "model": "the chat model failed",
    "memory": "the memory cannot be searched",
    "damaged": "the index is damaged and has to be made anew",
    "embedding": "the embedding provider cannot be reached",
}
_LATE = {
    "model": "the chat model did not answer in time",
    "breaker": "the chat model kept silent several times and is left alone for a minute",
    "deadline": "not everything was looked at in time",
}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("text", nargs="+", help="the message")
    parser.add_argument("--timeout-ms", type=int, metavar="MS", help="time for the answer")
    parser.add_argument(
        "--session", metavar="ID", help="the session on whose behalf this is asked; then it may be skipped"
    )
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Show the summary and the evidence; 1 when the memory or the model could not be asked.

    Without a session nobody but the person who types asks, so whether the message needs it is no question.
    """
    params: dict[str, Any] = {"text": " ".join(options.text)}
    if options.timeout_ms is not None:
        params["timeout_ms"] = options.timeout_ms
    if options.session:
        answer = call_for(options, "recall.deep", params, session_id=options.session, own_session=None)
    else:
        answer = call(options, "recall.deep", params)
    if options.json:
        print_json(answer)
    else:
        _show(answer)
    return FAILED if answer["outcome"] == "unavailable" else DONE


def _show(answer: dict[str, Any]) -> None:
    if answer["summary"]:
        print(plain_line(unescape(answer["summary"])), end="\n\n")
    for hit in answer["hits"]:
        marks = [hit["origin"]] if hit["origin"] in ("untrusted", "system") else []
        marks += ["weak"] if hit["weak"] else []
        tail = f"  [{', '.join(marks)}]" if marks else ""
        print(paint(plain_line(hit["citation"]), "cyan") + tail)
        print("  " + plain(hit["text"].rstrip("\n")).replace("\n", "\n  "), end="\n\n")
    print(paint(_describe(answer), "dim"), file=sys.stderr)


def _describe(answer: dict[str, Any]) -> str:
    reason = answer["reason"] or ""
    told = {
        "ok": amount(len(answer["hits"]), "hit"),
        "none": _NOTHING.get(reason, "nothing found"),
        "skipped": f"skipped: {_SKIPPED.get(reason, reason)}",
        "timeout": _LATE.get(reason, "not done in time"),
        "unavailable": _DOWN.get(reason, "unavailable"),
    }
    if reason == "model_unusable":
        told["ok"] += ", the chat model's replies could not be used"
    steps = amount(len(answer["steps"]), "step")
    return f"{told.get(answer['outcome'], answer['outcome'])}, {steps}, {answer['took_ms']:.0f} ms"
