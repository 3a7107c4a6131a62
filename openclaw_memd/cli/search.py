"""``memd search``: explicit search."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import RpcError, call
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import amount, paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import call_for, configure_owner

SUMMARY = "search the memory"

_EMPTY = {
    "no_terms": "the query has nothing to search for",
    "no_match": "nothing matches",
    "below_threshold": "nothing reaches the least score; try --min-score",
    "stale": "nothing yet: changes are still being indexed",
    "paused": "search is paused",
}
_PARTIAL = "nothing so far: some files are not indexed yet or cannot be read; see `memd status`"

_UNSEEN = "a session is shown to itself and its owner: add --session ID and, in a script, --as-owner"

_IMPORTED = "imports have something: add --corpus imports"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("query", nargs="+", help="what to look for")
    parser.add_argument(
        "--corpus", choices=["memory", "sessions", "imports", "extra", "all"], help="where to look"
    )
    parser.add_argument("-n", "--max-results", type=int, metavar="N", help="how many hits at most")
    parser.add_argument("--min-score", type=float, metavar="S", help="least score, 0 to 1")
    parser.add_argument("--after", metavar="DATE", help="only what was noted on or after this day")
    parser.add_argument("--before", metavar="DATE", help="only what was noted on or before this day")
    parser.add_argument("--explain", action="store_true", help="show how each score came about")
    parser.add_argument("--session", metavar="ID", help="the session on whose behalf this is asked")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Search and show the hits."""
    names = ("corpus", "max_results", "min_score", "after", "before")
    params: dict[str, Any] = {
        name: getattr(options, name) for name in names if getattr(options, name) is not None
    }
    if options.explain:
        params["explain"] = True
    query = {"query": " ".join(options.query)}
    answer = call_for(options, "recall.search", query | params, session_id=options.session, own_session=None)
    if options.json:
        print_json(answer)
        return DONE
    _show(answer)
    is_missed = answer.get("empty_reason") in ("no_match", "below_threshold")
    if is_missed and not options.corpus and not options.session and _has_imports(options, query | params):
        print(_IMPORTED, file=sys.stderr)
    if not answer["hits"] and options.corpus in ("sessions", "all") and not options.session:
        print(_UNSEEN, file=sys.stderr)
    return DONE


def _has_imports(options: Namespace, params: dict[str, Any]) -> bool:
    """Whether imports have what was looked for. Nobody's session asks, so that none is tainted by a hint."""
    asked = {name: value for name, value in params.items() if name != "explain"}
    try:
        answer = call(options, "recall.search", asked | {"corpus": "imports", "max_results": 1})
    except RpcError:
        return False
    return bool(answer["hits"])


def _show(answer: dict[str, Any]) -> None:
    for hit in answer["hits"]:
        marks = [hit["origin"]] if hit["origin"] in ("untrusted", "system") else []
        marks += ["weak"] if hit.get("weak") else []
        tail = f"  [{', '.join(marks)}]" if marks else ""
        print(f"{paint(plain_line(hit['citation']), 'cyan')}  {hit['score']:.2f}{tail}")
        print("  " + plain(hit["text"].rstrip("\n")).replace("\n", "\n  "))
        if hit.get("why"):
            print(
                paint(
                    "  " + ", ".join(f"{name} {_short(value)}" for name, value in hit["why"].items()), "dim"
                )
            )
        print()
    if not answer["hits"]:
        reason = answer.get("empty_reason") or ""
        is_partial = reason == "stale" and answer["freshness"] == "partial"
        print(_PARTIAL if is_partial else _EMPTY.get(reason, "nothing found"))
    notes = [amount(len(answer["hits"]), "hit"), answer["mode"], f"{answer['took_ms']:.0f} ms"]
    notes += [answer["freshness"]] if answer["freshness"] != "fresh" else []
    notes += [f"without {part}" for part in answer.get("degraded") or []]
    print(paint(", ".join(notes), "dim"), file=sys.stderr)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
