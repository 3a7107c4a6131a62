"""Text that a command takes: words, a file or standard input."""

import sys
from pathlib import Path

from openclaw_memd.cli.exits import CliError
from openclaw_memd.cli.owner import is_typed

STDIN = "-"
MOST_BYTES = 256 * 1024 * 1024
"""More than anybody has to say at once; without a bound a pipe that never ends would take all memory."""


def find_source(words: list[str], file: str | None) -> str | None:
    """Where the text is read from; None when ``words`` are the text, or when there is none at all."""
    if file is not None:
        return file
    if words == [STDIN] or (not words and sys.stdin is not None and not is_typed()):
        return STDIN
    return None


def read_text(source: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        CliError: it cannot be read, is not UTF-8, or is far too long.
    """
    name = "standard input" if source == STDIN else source
    try:
        if source != STDIN:
            with Path(source).open("rb") as stream:
                raw = stream.read(MOST_BYTES + 1)
        else:
            raw = b"" if sys.stdin is None else sys.stdin.buffer.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise CliError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > MOST_BYTES:
        raise CliError(f"{name}: longer than {MOST_BYTES >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CliError(f"{name}: not UTF-8") from None
