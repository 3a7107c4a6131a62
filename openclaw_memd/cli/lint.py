"""``memd lint``: what to look at in MEMORY.md and USER.md. Without a daemon the files are read here."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from openclaw_memd.cli.client import NoDaemonError, call
from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, CliError
from openclaw_memd.cli.output import amount, paint, plain_line, print_json

SUMMARY = "what to look at in MEMORY.md and USER.md"


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("file", nargs="?", choices=["MEMORY.md", "USER.md"], help="default: both")


def execute(options: Namespace) -> int:
    """Show the findings; with any the exit code is 1."""
    try:
        params = {} if options.file is None else {"file": options.file}
        findings = call(options, "memory.lint", params)["findings"]
    except NoDaemonError:
        findings = _lint_here(options)
    if options.json:
        print_json({"findings": findings})
    else:
        _show(findings)
    return FAILED if findings else DONE


def _lint_here(options: Namespace) -> list[dict[str, Any]]:
    """The findings of this machine's configuration.

    Raises:
        CliError: the configuration or the workspace cannot be used.
    """
    from openclaw_memd.config.keys import ConfigError
    from openclaw_memd.config.load import load_config
    from openclaw_memd.daemon.linting import lint_workspace

    try:
        found = lint_workspace(load_config(file=options.config), options.agent or "main", os.environ)
    except ConfigError as error:
        raise CliError(str(error), BAD_CONFIG) from None
    return [
        {"file": one.file, "line": one.line, "rule": one.rule.value, "detail": one.detail}
        for one in found
        if options.file is None or one.file.lower() == options.file.lower()
    ]


def _show(findings: list[dict[str, Any]]) -> None:
    for finding in findings:
        place = paint(plain_line(f"{finding['file']}:{finding['line']}"), "cyan")
        print(f"{place}  {finding['rule']}  {plain_line(finding['detail'])}")
    if findings:
        print(amount(len(findings), "finding"), file=sys.stderr)
    else:
        print("nothing to look at")
