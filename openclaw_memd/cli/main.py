"""The ``memd`` command: all but the local commands are one call over the daemon's socket.

This module imports little, since health checks and hooks run ``memd status``; a command is imported when it
is used.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from openclaw_memd.cli.exits import USAGE, CliError

if TYPE_CHECKING:
    from argparse import ArgumentParser

COMMANDS = {
    "run": "openclaw_memd.cli.run",
    "status": "openclaw_memd.cli.status",
    "search": "openclaw_memd.cli.search",
    "get": "openclaw_memd.cli.get",
    "sync": "openclaw_memd.cli.sync",
    "rebuild": "openclaw_memd.cli.rebuild",
    "rpc": "openclaw_memd.cli.rpc",
    "model": "openclaw_memd.cli.model",
    "config": "openclaw_memd.cli.config",
}
"""Each command's module: it has ``SUMMARY``, ``configure(parser)`` and ``execute(options) -> exit code``."""


def entry_point() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    import argparse

    if not arguments or arguments[0] in ("-h", "--help", "--version") or arguments[0] not in COMMANDS:
        return _overview(arguments)
    command = import_module(COMMANDS[arguments[0]])
    parser = argparse.ArgumentParser(
        prog=f"memd {arguments[0]}", description=command.SUMMARY, allow_abbrev=False
    )
    add_common(parser)
    command.configure(parser)
    options = parser.parse_args(arguments[1:])
    try:
        code = int(command.execute(options))
        sys.stdout.flush()
        return code
    except CliError as error:
        return error.show(as_json=options.json)
    except BrokenPipeError:
        # The reader of our output went away, as `memd search x | head` does: nothing is wrong.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def add_common(parser: "ArgumentParser") -> None:
    """The options that every command has."""
    parser.add_argument("--json", action="store_true", help="print the bare result as JSON")
    parser.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    parser.add_argument("--config", metavar="FILE", help="the configuration file")
    parser.add_argument("--agent", metavar="ID", help="the agent to ask for (default: main)")


def _overview(arguments: list[str]) -> int:
    """Help, the version, or what is wrong with the command's name."""
    if arguments[:1] == ["--version"]:
        from openclaw_memd.version import VERSION

        print(f"memd {VERSION}")
        return 0
    if arguments and not arguments[0].startswith("-"):
        import difflib

        close = difflib.get_close_matches(arguments[0], COMMANDS, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        print(f"memd: no command {arguments[0]!r}{hint}", file=sys.stderr)
        return USAGE
    out = sys.stdout if arguments and arguments[0] in ("-h", "--help") else sys.stderr
    print("usage: memd COMMAND [OPTIONS]\n\nA memory daemon for agent runtimes.\n", file=out)
    for name, module in COMMANDS.items():
        print(f"  {name:10} {import_module(module).SUMMARY}", file=out)
    print("\n`memd COMMAND --help` tells a command's options.", file=out)
    return 0 if out is sys.stdout else USAGE


if __name__ == "__main__":
    entry_point()
