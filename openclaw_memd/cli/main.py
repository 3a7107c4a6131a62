"""The ``memd`` command: all but the local commands are one call over the daemon's socket.

This module imports little, since health checks and hooks run ``memd status``; a command is imported when it
is used.
"""

import os
import sys
from importlib import import_module

from openclaw_memd.cli.arguments import Parser, UsageError, put_command_first, read_words, wants_json
from openclaw_memd.cli.exits import DONE, FAILED, INTERRUPTED, CliError
from openclaw_memd.cli.output import prepare_streams, print_json

COMMANDS = {
    "run": "openclaw_memd.cli.run",
    "status": "openclaw_memd.cli.status",
    "search": "openclaw_memd.cli.search",
    "get": "openclaw_memd.cli.get",
    "deep": "openclaw_memd.cli.deep",
    "sync": "openclaw_memd.cli.sync",
    "rebuild": "openclaw_memd.cli.rebuild",
    "note": "openclaw_memd.cli.note",
    "flush": "openclaw_memd.cli.flush",
    "sessions": "openclaw_memd.cli.sessions",
    "remember": "openclaw_memd.cli.remember",
    "lint": "openclaw_memd.cli.lint",
    "inject": "openclaw_memd.cli.inject",
    "bootstrap": "openclaw_memd.cli.bootstrap",
    "trust": "openclaw_memd.cli.trust",
    "intents": "openclaw_memd.cli.intents",
    "dream": "openclaw_memd.cli.dream",
    "explain": "openclaw_memd.cli.explain",
    "forget": "openclaw_memd.cli.forget",
    "doctor": "openclaw_memd.cli.doctor",
    "import": "openclaw_memd.cli.imports",
    "history": "openclaw_memd.cli.history",
    "diff": "openclaw_memd.cli.diff",
    "undo": "openclaw_memd.cli.undo",
    "backup": "openclaw_memd.cli.backup",
    "restore": "openclaw_memd.cli.restore",
    "rpc": "openclaw_memd.cli.rpc",
    "model": "openclaw_memd.cli.model",
    "service": "openclaw_memd.cli.service",
    "config": "openclaw_memd.cli.config",
}
"""Each command's module: it has ``SUMMARY``, ``configure(parser)`` and ``execute(options) -> exit code``."""


def entry_point() -> None:
    """Run the command line and leave with its exit code."""
    prepare_streams()
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    try:
        try:
            code = _run(put_command_first(read_words(arguments)))
        except CliError as error:
            code = error.show(as_json=wants_json(arguments))
        except SystemExit as end:  # argparse, after --help
            code = int(end.code or DONE)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away, as `memd search x | head` does: nothing is wrong.
        _drop_output()
        return DONE
    except OSError as error:
        _drop_output()
        print(f"memd: cannot write the output: {error.strerror or error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _run(words: list[str]) -> int:
    if not words or words[0] not in COMMANDS:
        return _overview(words)
    command = import_module(COMMANDS[words[0]])
    parser = Parser(words[0], command.SUMMARY)
    command.configure(parser)
    return int(command.execute(parser.parse_words(words[1:])))


def _overview(words: list[str]) -> int:
    """Help or the version.

    Raises:
        UsageError: it was neither that was asked for, nor a command.
    """
    if words[:1] == ["--version"]:
        from openclaw_memd.version import VERSION

        print_json({"version": VERSION}) if wants_json(words) else print(f"memd {VERSION}")
        return DONE
    summaries = {name: import_module(module).SUMMARY for name, module in COMMANDS.items()}
    if words and words[0] in ("-h", "--help"):
        print_json({"commands": summaries}) if wants_json(words) else print(_help(summaries), end="")
        return DONE
    if not words or words[0].startswith("-"):
        raise UsageError("a command is needed", _help(summaries))
    import difflib

    close = difflib.get_close_matches(words[0], COMMANDS, n=1)
    raise UsageError(f"no command {words[0]!r}" + (f"; did you mean {close[0]}?" if close else ""))


def _help(summaries: dict[str, str]) -> str:
    commands = "".join(f"  {name:10} {summary}\n" for name, summary in summaries.items())
    return (
        f"usage: memd COMMAND [OPTIONS]\n\nA memory daemon for agent runtimes.\n\n{commands}\n"
        "`memd COMMAND --help` tells a command's options.\n"
    )


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that the interpreter's own flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    entry_point()
