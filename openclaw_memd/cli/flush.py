"""``memd flush``: whether a session should save notes before it is compacted, and saving them."""

from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.entries import configure_text, show_appended, text_params
from openclaw_memd.cli.exits import DONE
from openclaw_memd.cli.output import paint, plain, plain_line, print_json
from openclaw_memd.cli.owner import acts_as_owner, call_for, configure_owner

SUMMARY = "save notes before a conversation is compacted"

_PLAN = {
    "projected": "projected_tokens",
    "window": "context_window",
    "reserve": "reserve_tokens",
    "transcript_bytes": "transcript_bytes",
}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", choices=["plan", "append"])
    configure_text(parser)
    parser.add_argument("--cycle", metavar="ID", required=True, help="the same until the next compaction")
    parser.add_argument("--session", metavar="ID", help="the session that is flushed")
    parser.add_argument("--projected", type=int, metavar="N", help="plan: tokens of the next prompt")
    parser.add_argument("--window", type=int, metavar="N", help="plan: tokens that the model takes")
    parser.add_argument("--reserve", type=int, metavar="N", help="plan: tokens to keep free")
    parser.add_argument("--transcript-bytes", type=int, metavar="N", help="plan: how long the transcript is")
    configure_owner(parser)


def execute(options: Namespace) -> int:
    """Ask for a plan, or save."""
    if options.action == "plan":
        return _plan(options)
    params = text_params(options, words_are_entry=False) | {"cycle_id": options.cycle}
    answer = call_for(options, "flush.append", params, session_id=options.session)
    if options.json:
        print_json(answer)
    else:
        show_appended(answer, is_owner=acts_as_owner(options))
    return DONE


def _plan(options: Namespace) -> int:
    if options.projected is None or options.words:
        raise UsageError("plan needs --projected and takes no text")
    given = {name: getattr(options, option) for option, name in _PLAN.items()}
    params: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    plan = call_for(options, "flush.plan", params | {"cycle_id": options.cycle}, session_id=options.session)
    if options.json:
        print_json(plan)
        return DONE
    print(f"{'due' if plan['due'] else 'not due'}: {plan['reason']}")
    if plan["due"]:
        print(f"into {paint(plain_line(plan['path']), 'cyan')}")
        print(f"\n{plain(plan['system_prompt'])}\n\n{plain(plan['prompt'])}")
    return DONE
