"""The command line's words: checked, put in order and parsed."""

import argparse
import os
import sys
from typing import Any, NoReturn

from openclaw_memd.cli.exits import USAGE, CliError

_HELP = ("-h", "--help", "--version")
_WITH_VALUE = ("--socket", "--config", "--agent")
_PLACES = ("socket", "config", "agent", "workspace")
_MASK = "\0"
"""Before a word that only looks like an option; no argument of a process can hold it."""


class UsageError(CliError):
    """The command line is wrong. ``usage`` is how it would be right."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message, USAGE)
        self.usage = usage

    def show(self, *, as_json: bool) -> int:
        """Print the error; the exit code."""
        if not as_json:
            print(self.usage, end="", file=sys.stderr)
        return super().show(as_json=as_json)


class Parser(argparse.ArgumentParser):
    """A command's parser with the options that every command has."""

    def __init__(self, command: str, summary: str) -> None:
        super().__init__(prog=f"memd {command}", description=summary, allow_abbrev=False)
        self.add_argument("--json", action="store_true", help="print the bare result as JSON")
        self.add_argument("--socket", metavar="PATH", help="the daemon's socket")
        self.add_argument("--config", metavar="FILE", help="the configuration file")
        self.add_argument("--agent", metavar="ID", help="the agent to ask for (default: main)")

    def parse_words(self, words: list[str]) -> argparse.Namespace:
        """The options and words of a command line, in any order; behind ``--`` there are words only.

        Raises:
            UsageError: it is wrong.
        """
        end = words.index("--") if "--" in words else len(words)
        masked = [_MASK + word if word.startswith("-") else word for word in words[end + 1 :]]
        options = self.parse_intermixed_args([*words[:end], *masked])
        for name in _PLACES:
            if getattr(options, name, None) == "":  # of a variable that is not set, and no default is meant
                self.error(f"--{name}: must not be empty")
        return argparse.Namespace(**{name: _unmask(value) for name, value in vars(options).items()})

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            UsageError: always.
        """
        raise UsageError(message.replace(_MASK, ""), self.format_usage())


def _unmask(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmask(one) for one in value]
    return value.removeprefix(_MASK) if isinstance(value, str) else value


def read_words(arguments: list[str]) -> list[str]:
    """The arguments as text, whatever the locale is.

    Raises:
        UsageError: one is not UTF-8.
    """
    words = []
    for number, argument in enumerate(arguments, start=1):
        try:
            words.append(os.fsencode(argument).decode())
        except UnicodeError:
            raise UsageError(f"argument {number} is not UTF-8") from None
    return words


def put_command_first(words: list[str]) -> list[str]:
    """``words`` with the common options that stand before the command moved behind it."""
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] not in _HELP:
        place += 2 if words[place] in _WITH_VALUE else 1
    return [*words[place : place + 1], *words[:place], *words[place + 1 :]]


def wants_json(arguments: list[str]) -> bool:
    """Whether ``--json`` is among the options, right or wrong as the rest may be."""
    return "--json" in arguments[: arguments.index("--") if "--" in arguments else None]
