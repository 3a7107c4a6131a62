"""A file's bytes as text that can be planned with, and back: what does not change stays as it was. Pure."""

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

_BOM: Final = b"\xef\xbb\xbf"
_MOST_COMPARED: Final = 4_000_000
"""Pairs of lines up to which two versions with mixed line ends are compared."""


def decode_stored(data: bytes) -> str:
    """The text with ``\\n`` for ``\\r\\n`` and no byte order mark. A carriage return alone is no line end.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return data.removeprefix(_BOM).decode("utf-8").replace("\r\n", "\n")


def encode_stored(text: str, before: bytes | None) -> bytes:
    """The bytes of a new ``text`` in the place of ``before`` (None: no file).

    The byte order mark stays or stays away, lines that do not change keep their ends and others get those
    that most lines have; whether the last line has one is as it was, unless there was no line.
    """
    if before is None:
        return text.encode()
    mark = _BOM if before.startswith(_BOM) else b""
    old = before.removeprefix(_BOM).decode("utf-8")
    if old and text:
        text = _end_like(text, old)
    count = old.count("\n")
    crlf = old.count("\r\n")
    if 0 < crlf < count:
        return mark + "".join(_mix(text, old)).encode()
    return mark + (text.replace("\n", "\r\n") if crlf else text).encode()


def _end_like(text: str, old: str) -> str:
    if old.endswith("\n"):
        return text if text.endswith("\n") else text + "\n"
    return text.removesuffix("\n")


def _mix(text: str, old: str) -> Iterator[str]:
    """The lines of ``text`` with the ends that they have in ``old``, which has both kinds."""
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in old.split("\n")[:-1]]
    common = Counter(ends).most_common(1)[0][0]
    before = old.replace("\r\n", "\n").split("\n")
    after = text.split("\n")
    kept = _kept(before, after)
    for index, line in enumerate(after[:-1]):
        number = kept.get(index, len(ends))
        yield line + (ends[number] if number < len(ends) else common)
    yield after[-1]


def _kept(before: list[str], after: list[str]) -> dict[int, int]:
    """The index before of each line that is the same after."""
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    found = {index: index for index in range(first)}
    shift = len(before) - len(after)
    found |= {index: index + shift for index in range(len(after) - last, len(after))}
    one, other = before[first : len(before) - last], after[first : len(after) - last]
    if len(one) * len(other) <= _MOST_COMPARED:
        for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
            found |= {first + block.b + step: first + block.a + step for step in range(block.size)}
    return found
