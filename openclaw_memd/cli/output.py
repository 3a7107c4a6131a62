"""What people see: colours on a terminal only, plain words, one progress line."""

import json
import os
import sys
from typing import Any, TextIO

_CUT = "..."
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def prepare_streams() -> None:
    """Let no output fail for want of a letter or a stream: some take ASCII only, some were closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # whoever started us closed it
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        else:
            stream.reconfigure(errors="backslashreplace")


def takes_every_letter(stream: TextIO) -> bool:
    """Whether all of Unicode can be written to ``stream``."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def print_json(value: Any) -> None:
    """The bare result on standard output."""
    print(json.dumps(value, ensure_ascii=not takes_every_letter(sys.stdout), indent=2))


def paint(text: str, style: str) -> str:
    """``text`` in a style, on a terminal that can show it and has not asked for none (https://no-color.org)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def plain(text: str) -> str:
    """``text`` without the control characters that could drive a terminal."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable())


def plain_line(text: str) -> str:
    """``text`` on one line: a file's name may hold line ends, and must not look like more than a name."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def fit(text: str, columns: int) -> str:
    """``text`` as far as it fits into so many columns of a terminal; some letters take two, some none."""
    widths = [1] * len(text) if text.isascii() else [_columns_of(char) for char in text]
    if sum(widths) <= columns:
        return text
    used, kept = 0, 0
    for width in widths:
        if used + width > columns - len(_CUT):
            break
        used += width
        kept += 1
    return text[:kept] + _CUT


def _columns_of(char: str) -> int:
    import unicodedata

    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def amount(count: int, noun: str, plural: str | None = None) -> str:
    """``1 file``, ``2 files``; ``plural`` is for nouns that do not end so."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def size(count: float) -> str:
    """Bytes in the unit that suits."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def duration(seconds: float) -> str:
    """Seconds in the units that suit."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """A progress line on standard error; on anything but a terminal it says only the start and the end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._live = sys.stderr.isatty()
        self._shown = False

    def show(self, done: int, total: int | None, unit: str = "") -> None:
        """Draw the state of the work; ``total`` None or 0 means unknown."""
        if not self._live:
            if not self._shown:
                print(f"{self._what} ...", file=sys.stderr, flush=True)
                self._shown = True
            return
        self._shown = True
        if total:
            filled = min(30, 30 * done // total)
            full, empty = "█░" if takes_every_letter(sys.stderr) else "#."
            bar = full * filled + empty * (30 - filled)
            counts = f"{done:,}/{total:,}" if unit != "B" else f"{size(done)}/{size(total)}"
            text = (
                f"{self._what} {bar} {100 * done // total:3d} %  {counts}{'' if unit == 'B' else ' ' + unit}"
            )
        else:
            text = f"{self._what} {done:,} {unit}"
        print(f"\r\x1b[K{text.rstrip()}", end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """End the line."""
        if self._live and self._shown:
            print(file=sys.stderr)
