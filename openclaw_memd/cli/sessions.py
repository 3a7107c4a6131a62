"""``memd sessions``: list sessions, tell what was said in one, end one."""

import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import RpcError, call
from openclaw_memd.cli.exits import DONE, CliError
from openclaw_memd.cli.inputs import read_text
from openclaw_memd.cli.output import amount, plain_line, print_json
from openclaw_memd.cli.owner import acts_as_owner, configure_owner, context_of

SUMMARY = "list sessions, tell what was said in one, end one"

_ONE_MESSAGE = re.compile(r"\bmessages\[(\d{1,6})\]\.?")
_PAGE = 200
_BATCH_MESSAGES = 200
_BATCH_BYTES = 512 * 1024
"""Half of the default of ``limits.body_bytes``."""


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", nargs="?", choices=["list", "append", "end"], default="list")
    parser.add_argument(
        "target", nargs="?", help="append: a file with one message a line, or `-`; end: the session's id"
    )
    parser.add_argument("--session", metavar="ID", help="append: the session")
    parser.add_argument(
        "--kind", choices=["interactive", "cron", "heartbeat", "subagent"], help="append: what the session is"
    )
    parser.add_argument("--chat-type", choices=["direct", "group", "channel"], help="append: who reads along")
    parser.add_argument("--reason", choices=["end", "reset", "new", "compact", "timeout"], help="end: why")
    parser.add_argument("--capture", action="store_true", help="end: note its last messages")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Do what was asked."""
    if options.action == "list":
        if options.target is not None:
            raise UsageError("list takes no argument")
        return _list(options)
    if options.target is None:
        raise UsageError(
            f"{options.action} needs {'a file, or `-`' if options.action == 'append' else 'a session'}"
        )
    return _append(options) if options.action == "append" else _end(options)


def _list(options: Namespace) -> int:
    sessions: list[dict[str, Any]] = []
    while True:
        after = {"after": sessions[-1]["session_id"]} if sessions else {}
        page = call(options, "session.list", {"limit": _PAGE, **after})["sessions"]
        sessions += page
        if len(page) < _PAGE:
            break
    if options.json:
        print_json({"sessions": sessions})
        return DONE
    width = min(48, max((len(plain_line(one["session_id"])) for one in sessions), default=0))
    for one in sessions:
        excluded = f"  kept out: {one['excluded']}" if one.get("excluded") else ""
        print(
            f"{plain_line(one['session_id']):{width}}  {one['kind']:11}  {_local(one['last_at'])}  "
            f"{amount(one['messages'], 'message')}{excluded}"
        )
    if not sessions:
        print("no sessions yet")
    return DONE


def _local(instant: str) -> str:
    return datetime.fromisoformat(instant).astimezone().strftime("%Y-%m-%d %H:%M")


def _append(options: Namespace) -> int:
    """Send the messages in batches; sending them again does no harm, since each counts once.

    The context is that of the session that is told of, not of who runs the command: only ``--as-owner`` says
    that its user is the owner.
    """
    if not options.session:
        raise UsageError("append needs --session")
    messages = _parse_messages(read_text(options.target))
    context = context_of(options, session_id=options.session, is_owner=options.as_owner)
    context["context"] |= {
        name: value
        for name, value in (("session_kind", options.kind), ("chat_type", options.chat_type))
        if value is not None
    }
    told: dict[str, Any] = {"accepted": 0, "skipped": [], "tainted": False}
    for lines, batch in _batches(messages):
        try:
            answer = call(options, "session.append", context | {"messages": batch})
        except RpcError as error:
            error.message = _place(error.message, lines)
            raise
        told = answer | {
            "accepted": told["accepted"] + answer["accepted"],
            "skipped": told["skipped"] + answer["skipped"],
        }
    if options.json:
        print_json(told)
        return DONE
    reasons = sorted(one["reason"] for one in told["skipped"])
    skipped = ", ".join(f"{len(list(group))} {reason}" for reason, group in groupby(reasons))
    print(
        f"{amount(told['accepted'], 'message')} kept"
        + (f", {len(reasons)} not ({skipped})" if reasons else "")
        + ("; the session's turn is tainted" if told["tainted"] else "")
    )
    return DONE


def _end(options: Namespace) -> int:
    params: dict[str, Any] = {} if options.reason is None else {"reason": options.reason}
    if options.capture:
        params["capture"] = {}
    context = context_of(options, session_id=options.target, is_owner=acts_as_owner(options))
    ended = call(options, "session.end", context | params)
    if options.json:
        print_json(ended)
        return DONE
    print(f"{amount(ended['ingested'], 'message')} kept")
    if ended.get("note_path"):
        print(f"noted in {plain_line(ended['note_path'])}")
    elif options.capture:
        print("nothing to note")
    return DONE


def _place(message: str, lines: list[int]) -> str:
    """The refusal of a batch, which was read from these ``lines`` of a file, in the file's terms."""
    if (one := _ONE_MESSAGE.search(message)) and int(one[1]) < len(lines):
        return f"line {lines[int(one[1])]}: {message[: one.start()]}{message[one.end() :]}"
    span = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    return f"{span}: {message}"


def _parse_messages(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Each message with the number of its line; blank lines are none.

    Raises:
        CliError: a line is not a JSON object.
    """
    messages = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise CliError(f"line {number} is not a JSON object; nothing was sent")
        messages.append((number, message))
    if not messages:
        raise CliError("there are no messages")
    return messages


def _batches(
    messages: list[tuple[int, dict[str, Any]]],
) -> Iterator[tuple[list[int], list[dict[str, Any]]]]:
    """Line numbers and messages of one call each."""
    lines: list[int] = []
    batch: list[dict[str, Any]] = []
    size = 0
    for number, message in messages:
        length = len(json.dumps(message))
        if batch and (len(batch) == _BATCH_MESSAGES or size + length > _BATCH_BYTES):
            yield lines, batch
            lines, batch, size = [], [], 0
        lines.append(number)
        batch.append(message)
        size += length
    yield lines, batch
