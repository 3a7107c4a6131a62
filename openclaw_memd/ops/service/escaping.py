"""Text as systemd reads it in unit files: systemd.syntax(7), systemd.unit(5), systemd.service(5)."""

import os
import re
import shlex
from collections.abc import Sequence

_BARE = re.compile(r"[A-Za-z0-9_./=:@+,-]+")
_NOT_IN_PATHS = re.compile("[\x01-\x1f\x7f'\"\\\\]")
"""What systemd refuses in the path of an executable (``string_is_safe`` of its sources)."""

_BYTE = re.compile(rb"\\x([0-9a-f]{2})")

_SHELL = ("/bin/sh", "-c", 'exec "$0" "$@"')
"""Starts a command whose path systemd refuses; the shell gives way to it, so the process id stays."""


def command_line(words: Sequence[str]) -> str:
    """The value of ``ExecStart`` that runs ``words``, taken as they are: nothing in them is expanded.

    The prefix ``:`` turns substitution of variables off, so that ``$`` means itself.
    """
    if _NOT_IN_PATHS.search(words[0]):
        words = (*_SHELL, *words)
    return ":" + " ".join(quote_word(word) for word in words)


def read_program(value: str) -> str:
    """The program that a value of ``ExecStart`` starts, without prefixes; '' when it names none."""
    try:
        words = shlex.split(value)
    except ValueError:
        return ""
    if not words:
        return ""
    raw = _BYTE.sub(lambda found: bytes((int(found[1], 16),)), os.fsencode(words[0].lstrip("@-:+!")))
    return os.fsdecode(raw).replace("%%", "%")


def quote_word(word: str) -> str:
    """One word of a command line that gives ``word``: quoted where needed, specifiers and escapes undone.

    Bytes that are not UTF-8 (surrogates here, as Python names them) are written as escapes.
    """
    if _BARE.fullmatch(word):
        return word
    return '"' + "".join(_escape(char) for char in word) + '"'


def path_value(path: str) -> str:
    """A path as the whole value of a setting, such as ``ListenStream``, which knows no quotes.

    Raises:
        ValueError: no unit file can hold it.
    """
    if path != path.strip() or path.endswith("\\") or re.search("[\x00-\x1f\x7f\udc80-\udcff]", path):
        raise ValueError("a unit file cannot hold this path")
    return path.replace("%", "%%")


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char == "%":
        return "%%"
    if char < " " or char == "\x7f" or "\ud800" <= char <= "\udfff":
        return "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
    return char
