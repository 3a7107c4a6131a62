"""``memd intents``: what to be told of when a message is about it, or when its time comes."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, CliError
from openclaw_memd.cli.output import paint, plain_line, print_json
from openclaw_memd.cli.owner import acts_as_owner, call_for, configure_owner, context_of

SUMMARY = "standing intents and reminders: list, add, cancel, done, due, why"

_PAGE: Final = 50
_OPEN: Final = ("pending", "armed", "fired")
_STATES: Final = (*_OPEN, "done", "cancelled", "expired")
_SHORT_CHARS: Final = 8
_REASONS: Final = {
    "resting": "it fired lately and rests",
    "elsewhere": "it holds in another place, or for another sender",
    "crowded": "older ones take the room of one message",
    "form": "the word is there in another form, and a keyword of one word counts as it was given",
    "spent": "it fired as often as it may",
    "done": "it is done",
    "expired": "its time is over",
}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", nargs="?", choices=list(_ACTIONS), default="list")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="TEXT|ID",
        help="add: what to be told; cancel, done: the id; why: a message",
    )
    add = parser.add_argument_group("add")
    add.add_argument(
        "--keyword", action="append", metavar="WORDS", help="fires it; may be given several times"
    )
    add.add_argument(
        "--at", metavar="TIME", help="remind once at this time (ISO 8601; by --zone, where it says no offset)"
    )
    add.add_argument("--cron", metavar="EXPRESSION", help="remind whenever this says")
    add.add_argument(
        "--zone", metavar="NAME", help="the time zone of --cron, --at and --expires; default: the local one"
    )
    add.add_argument("--scope", choices=["conversation", "channel", "anywhere"], help="default: anywhere")
    add.add_argument("--anyone", action="store_true", help="messages of others count too")
    add.add_argument("--semantic", action="store_true", help="match by meaning too")
    add.add_argument("--expires", metavar="TIME", help="when it is over")
    add.add_argument("--max-fires", type=int, metavar="N", help="how often it fires")
    add.add_argument("--cooldown", type=int, metavar="SECONDS", help="between two fires")
    parser.add_argument("--all", action="store_true", help="list: those that are over, too")
    parser.add_argument("--status", choices=_STATES, help="list: only those in this state")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Do what was asked."""
    return _ACTIONS[options.action](options)


def _list(options: Namespace) -> int:
    if options.words:
        raise UsageError("list takes no argument")
    found = list(_find(options, options.status))
    if options.status is None and not options.all:
        found = [intent for intent in found if intent["status"] in _OPEN]
    if options.json:
        print_json({"intents": found})
    elif found:
        _show_table(found)
    else:
        print("no intents")
    return DONE


def _add(options: Namespace) -> int:
    """Made here, an intent holds wherever the owner writes, since nobody chats in a terminal."""
    params: dict[str, Any] = {
        "description": _text(options, "what to be told"),
        "scope": options.scope or "anywhere",
        "sender_scope": "anyone" if options.anyone else "sender",
        "semantic": options.semantic,
    }
    said = {
        "keywords": options.keyword,
        "at": _instant("--at", options.at, options.zone),
        "cron": options.cron,
        "zone": options.zone,
        "expires_at": _instant("--expires", options.expires, options.zone),
        "max_fires": options.max_fires,
        "cooldown_s": options.cooldown,
    }
    params |= {name: value for name, value in said.items() if value is not None}
    answer = call_for(options, "intent.create", params)
    if options.json:
        print_json(answer)
    else:
        _show_table([answer["intent"]])
    return DONE


def _cancel(options: Namespace) -> int:
    return _end(options, "intent.cancel", "cancelled")


def _done(options: Namespace) -> int:
    return _end(options, "intent.done", "done")


def _end(options: Namespace, method: str, word: str) -> int:
    if len(options.words) != 1:
        raise UsageError(f"{options.action} needs one id")
    answer = call_for(options, method, {"id": _whole_id(options, options.words[0])})
    if options.json:
        print_json(answer)
    else:
        intent = answer["intent"]
        told = word if answer["changed"] else f"it was {intent['status']} before"
        print(f"{_short(intent)}  {told}: {plain_line(intent['description'])}")
    return DONE


def _due(options: Namespace) -> int:
    """As the operator, who is told of all that is due: nobody chats in a terminal."""
    if options.words:
        raise UsageError("due takes no argument")
    answer = call(options, "intent.due", {})
    if options.json:
        print_json(answer)
        return DONE
    for one in answer["reminders"]:
        intent = one["intent"]
        print(f"{_short(intent)}  {_local(one['due_at'])}  {plain_line(intent['description'])}")
    if not answer["reminders"]:
        print("nothing is due")
    elif answer.get("more"):
        print("more is due")
    return DONE


def _why(options: Namespace) -> int:
    """As the operator, for whom all intents hold."""
    answer = call(options, "intent.match", {"text": _text(options, "a message")})
    if options.json:
        print_json(answer)
        return DONE
    for one in answer["matches"]:
        print(f"{paint('fires', 'green')}      {_about(one)}")
    for one in answer.get("blocked", ()):
        until = f" until {_local(one['until'])}" if one.get("until") else ""
        print(f"{paint('would not', 'yellow')}  {_about(one)}")
        print(f"           {_REASONS.get(one['reason'], plain_line(one['reason']))}{until}")
    if not answer["matches"] and not answer.get("blocked"):
        print("no intent is about that")
    return DONE


_ACTIONS: Final[Mapping[str, Callable[[Namespace], int]]] = {
    "list": _list,
    "add": _add,
    "cancel": _cancel,
    "done": _done,
    "due": _due,
    "why": _why,
}


def _find(options: Namespace, status: str | None = None) -> Iterator[dict[str, Any]]:
    """All intents, page by page. The operator may list them; the owner is told of nothing more."""
    wanted = {} if status is None else {"status": status}
    context = context_of(options, is_owner=acts_as_owner(options))
    after: dict[str, str] = {}
    while True:
        page = call(options, "intent.list", context | wanted | after | {"limit": _PAGE})["intents"]
        yield from page
        if len(page) < _PAGE:
            return
        after = {"after": page[-1]["id"]}


def _whole_id(options: Namespace, start: str) -> str:
    """The id that begins so.

    Raises:
        CliError: none does, or several do.
    """
    found = [str(intent["id"]) for intent in _find(options) if intent["id"].startswith(start)]
    if start in found:
        return start
    if not found:
        raise CliError(f"no intent has an id that begins with {plain_line(start)!r}")
    if len(found) > 1:
        raise CliError(f"{len(found)} intents have an id that begins with {plain_line(start)!r}")
    return found[0]


def _text(options: Namespace, what: str) -> str:
    if not options.words:
        raise UsageError(f"{options.action} needs {what}")
    return " ".join(options.words)


def _instant(option: str, text: str | None, zone: str | None) -> str | None:
    """With the offset of ``zone``, or of the local one, where it has none."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} is no time of ISO 8601, such as 2026-03-01T09:00") from None
    if at.tzinfo is None and zone is not None:
        at = _at_zone(at, zone)
    return at.astimezone().isoformat() if at.tzinfo is None else at.isoformat()


def _at_zone(at: datetime, zone: str) -> datetime:
    from zoneinfo import ZoneInfo  # seldom needed, and start-up is measured

    try:
        return at.replace(tzinfo=ZoneInfo(zone))
    except (LookupError, ValueError, OSError):  # no zone at all: the daemon says so
        return at


def _show_table(intents: Sequence[dict[str, Any]]) -> None:
    rows = [("id", "kind", "status", "fires", "when", "what"), *map(_row, intents)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for number, row in enumerate(rows):
        line = "  ".join([*(f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]])
        print(paint(line.rstrip(), "bold") if number == 0 else line.rstrip())


def _row(intent: dict[str, Any]) -> tuple[str, ...]:
    most = "∞" if intent["max_fires"] is None else str(intent["max_fires"])
    return (
        _short(intent),
        intent["kind"].replace("_", "-"),
        intent["status"],
        f"{intent['fire_count']}/{most}",
        _when(intent),
        plain_line(intent["description"]),
    )


def _when(intent: dict[str, Any]) -> str:
    if intent["kind"] == "event":
        by_meaning = ["(by meaning)"] if intent.get("semantic") else []
        keywords = ", ".join([*map(plain_line, intent["keywords"]), *by_meaning])
        return keywords if len(keywords) <= 40 else keywords[:39] + "…"
    due_at = _local(intent["due_at"]) if intent.get("due_at") else "-"
    return f"{due_at} ({plain_line(intent['cron'])})" if intent.get("cron") else due_at


def _about(one: dict[str, Any]) -> str:
    intent = one["intent"]
    return f"{_short(intent)}  {plain_line(intent['description'])}  (by {plain_line(one['why'])!r})"


def _short(intent: dict[str, Any]) -> str:
    return str(intent["id"])[:_SHORT_CHARS]


def _local(instant: str) -> str:
    return datetime.fromisoformat(instant).astimezone().strftime("%Y-%m-%d %H:%M")
