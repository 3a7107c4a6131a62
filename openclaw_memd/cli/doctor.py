"""``memd doctor``: what is wrong or odd, what to do, and with ``--fix`` the doing."""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import NoDaemonError, call, socket_of
from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, NO_DAEMON, CliError
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import amount, paint, plain_line, print_json
from openclaw_memd.cli.owner import is_typed

SUMMARY = "what is wrong or odd, and mending it"

_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}

_NOTHING = "Nothing has to be done."

_CHECK_WITHIN_S = 600.0
"""Every file is read, and a model may have to be loaded."""


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--fix", action="store_true", help="mend what can be mended, after it was shown")
    parser.add_argument(
        "--id", action="append", metavar="ID", help="with --fix: only this finding; repeatable"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show the plan, and no more")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def execute(options: Namespace) -> int:
    """Show what was found; with errors or warnings the exit code is 1, without a daemon 69.

    Raises:
        UsageError: options of mending without it.
        CliError: nobody said yes; nothing was changed.
    """
    if not options.fix and (options.dry_run or options.yes or options.id):
        raise UsageError("--dry-run, --id and --yes go with --fix")
    try:
        socket = socket_of(options)
    except CliError as error:  # the configuration cannot be read, which is told of from outside
        return _show_absence(options, None, error.message)
    try:
        if options.fix:
            return _fix(options)
        findings = call(options, "doctor.check", {}, timeout_s=_CHECK_WITHIN_S)["findings"]
    except NoDaemonError as error:
        return _show_absence(options, socket, error.message)
    _show_all(options, findings)
    return _code_of(findings)


def _fix(options: Namespace) -> int:
    wanted = {} if options.id is None else {"ids": options.id}
    trial = call(options, "doctor.fix", wanted | {"dry_run": True}, timeout_s=_CHECK_WITHIN_S)
    if not options.json:
        _show_plan(trial)
    if options.dry_run or not trial["plan"]:
        if options.json:
            print_json(trial)
        return FAILED if trial["left"] else DONE
    _confirm(options, trial)
    chosen = {"ids": [step["id"] for step in trial["plan"]]}
    started = call(options, "doctor.fix", chosen | {"wait": False}, timeout_s=_CHECK_WITHIN_S)
    done = follow_job(options, started["job_id"], what="Mending", unit="findings")
    left = [*trial["left"], *done["left"]]
    if options.json:
        print_json(done | {"left": left})
    else:
        _show_outcome(done)
    return FAILED if left else DONE


def _confirm(options: Namespace, trial: dict[str, Any]) -> None:
    if options.yes:
        return
    if options.json or not is_typed():
        told = "nothing was mended: --yes is needed where nobody can be asked"
        raise CliError(
            told, FAILED, {"message": told, "data": {"kind": "unconfirmed", "plan": trial["plan"]}}
        )
    print("Do this? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise CliError("nothing was mended")


def _show_absence(options: Namespace, socket: Path | None, why: str) -> int:
    """What can be told without a daemon; ``why`` there is none, in words."""
    from openclaw_memd.daemon.offline_doctor import check_without_daemon

    found = check_without_daemon(
        os.environ, file=options.config, agent=options.agent or "main", socket=socket
    )
    findings = [
        {
            "id": one.id,
            "severity": one.severity,
            "detail": one.detail,
            "fix": one.fix,
            "fixable": False,
        }
        for one in found
    ]
    _show_all(options, findings)
    if options.fix:
        print(f"memd: nothing was mended: {why}", file=sys.stderr)
    return BAD_CONFIG if any(one["id"] == "config-unusable" for one in findings) else NO_DAEMON


def _show_all(options: Namespace, findings: list[dict[str, Any]]) -> None:
    if options.json:
        print_json({"findings": findings})
        return
    for finding in findings:
        severity = paint(f"{finding['severity']:7}", _STYLES.get(finding["severity"], "dim"))
        print(f"{severity}  {paint(plain_line(finding['id']), 'cyan')}")
        print(f"         {plain_line(finding['detail'])}")
        if finding["fix"] != _NOTHING:
            print(f"         {paint(plain_line(finding['fix']), 'dim')}")
    fixable = sum(finding["fixable"] for finding in findings)
    counts = [
        amount(number, noun, plural)
        for noun, plural in (("error", None), ("warning", None), ("info", "infos"))
        if (number := sum(finding["severity"] == noun for finding in findings))
    ]
    told = ", ".join(counts) or "nothing to say"
    print(f"{told}; `memd doctor --fix` mends {amount(fixable, 'finding')}" if fixable else told)


def _show_plan(trial: dict[str, Any]) -> None:
    for step in trial["plan"]:
        print(f"{paint(plain_line(step['id']), 'cyan')}: would {plain_line(step['action'])}")
    for one in trial["left"]:
        print(f"{paint(plain_line(one['id']), 'yellow')}: {plain_line(one['why'])}")
    if not trial["plan"]:
        print("nothing to mend")


def _show_outcome(done: dict[str, Any]) -> None:
    for one in done["fixed"]:
        print(f"{paint('mended', 'green')} {plain_line(one['id'])}: {plain_line(one['detail'])}")
    for one in done["left"]:
        print(f"{paint('left', 'yellow')} {plain_line(one['id'])}: {plain_line(one['why'])}")


def _code_of(findings: list[dict[str, Any]]) -> int:
    return FAILED if any(one["severity"] != "info" for one in findings) else DONE
