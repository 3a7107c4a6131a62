"""An editor that adds lines to a file as fast as it can: ``python -m`` this with its way, file and numbers.

The numbers are those of its parts, and of the lines of each. It says ``ready``; for each part it waits for a
line on its input, writes the lines and says ``done``. Between the parts it has nothing open.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

REOPENED = 50
"""The appending one opens the file anew after so many lines, as a log is rotated."""


def append(path: Path, lines: list[str]) -> None:
    """Through one open descriptor, for many lines."""
    for start in range(0, len(lines), REOPENED):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        for line in lines[start : start + REOPENED]:
            os.write(descriptor, f"{line}\n".encode())
        os.close(descriptor)


def echo(path: Path, lines: list[str]) -> None:
    """As ``>>`` in a shell does."""
    for line in lines:
        with path.open("ab", buffering=0) as file:
            file.write(f"{line}\n".encode())


def save(path: Path, lines: list[str]) -> None:
    """Read it, empty it and write it."""
    for line in lines:
        content = path.read_bytes()
        with path.open("r+b", buffering=0) as file:
            file.truncate()
            file.write(content + f"{line}\n".encode())


def rename(path: Path, lines: list[str]) -> None:
    """Read it, and rename another one into its place."""
    other = path.with_name("editor.tmp")
    for line in lines:
        other.write_bytes(path.read_bytes() + f"{line}\n".encode())
        other.rename(path)


WAYS: dict[str, Callable[[Path, list[str]], None]] = {
    "append": append,
    "echo": echo,
    "save": save,
    "rename": rename,
}


if __name__ == "__main__":
    way, name = sys.argv[1:3]
    parts, number = map(int, sys.argv[3:])
    print("ready", flush=True)
    for part in range(parts):
        sys.stdin.readline()
        WAYS[way](Path(name), [f"- {way} {index}" for index in range(part * number, (part + 1) * number)])
        print("done", flush=True)
