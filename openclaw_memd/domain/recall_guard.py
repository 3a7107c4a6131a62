"""Taking recalled memory out of a conversation's text, so that what was injected is never learned again.

Blocks are known by their delimiters alone, each alone on its line: what stands between may have been
translated, reworded or cut. Where the end of a block is missing, everything to the end of the text goes. A
block may be quoted as a whole, as in an answer to a mail; then it ends with its quotation at the latest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# memd's own blocks (see `framing`), and those in which OpenClaw keeps what its runtime tells a model.
_NAMES: Final = ("MEMD_RECALL", "MEMD_UNTRUSTED", "OPENCLAW_INTERNAL_CONTEXT")

# A text may be quoted in JSON: then a line ends with a written-out `\n`, and `<` may be written `\u003c`.
# It begins where its backslashes do, so that a long row of them is looked through once.
_BREAK = re.compile(r"\r\n|\r|\n|(?<!\\)(?:\\++r)?\\++n")
_BLANK = r"[\s\ufeff\u200b-\u200f\u2060]*"
_OPEN = r"(?:<|\\++u003c){3}"
_GREATER = r"(?:>|\\++u003e)"  # closes a delimiter, and quotes a line
_CLOSE = rf"{_GREATER}{{3}}"
_QUOTE = re.compile(rf"(?:{_BLANK}{_GREATER})*+", re.IGNORECASE)
_QUOTE_MARK = re.compile(_GREATER, re.IGNORECASE)
_LINE = re.compile(
    rf"(?P<lead>.*\")?(?P<quote>(?:{_BLANK}{_GREATER})*){_BLANK}{_OPEN}\s*(?P<side>BEGIN|END)_(?P<name>{'|'.join(_NAMES)})\s*{_CLOSE}{_BLANK}"
    r"(?P<rest>\\*\".*)?",
    re.IGNORECASE | re.DOTALL,
)
_CUT: Final = tuple(f"<<<{side}_{name}>>>" for side in ("BEGIN", "END") for name in _NAMES)
_SHORTEST_CUT: Final = len("<<<END_")

# Before it had delimiters, OpenClaw began such a block with a header line and a fixed notice below it.
_HEADER = re.compile(
    r"\s*(?:\[[^\]\n]{1,64}\]\s*)?OpenClaw runtime (?:context \(internal\):"
    r"|context for the immediately preceding user message\.|event\.)\s*"
)
_NOTICE = re.compile(r"\s*This context is runtime-generated\b")

_SIGNS: Final = ("<<<", "u003c", "u003C", "OpenClaw runtime ")
"""Without one of these there is nothing to take out."""


def strip_recalled(text: str) -> str:
    """``text`` without the blocks that memd or OpenClaw put into it, the rest exactly as it was.

    Blocks may be nested, and quoted (``> ``); a delimiter inside a sentence is no delimiter, nor is one in a
    block that is quoted more often than the block's own. An end without a beginning goes as well. Stripping
    twice is stripping once.
    """
    while any(sign in text for sign in _SIGNS):
        stripped = _strip_once(text)
        if stripped == text:
            break
        text = stripped
    return text


def blank_recalled(text: str) -> str:
    """``text`` with the lines of such blocks empty, so that every other line stays where it is."""
    if "<<<" not in text:
        return text
    lines = text.split("\n")
    blocks = _Blocks()
    for index, line in enumerate(lines):
        blocks.leave(line)
        found = _LINE.fullmatch(line)
        if found is None or found["lead"] or found["rest"] or not blocks.follow(found):
            found = None
        if found is not None or blocks.are_open:
            lines[index] = ""
    return "\n".join(lines)


class _Blocks:
    """The blocks that are open, and how often the outermost is quoted."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._depth = 0

    @property
    def are_open(self) -> bool:
        return bool(self._names)

    def leave(self, line: str) -> None:
        """Close what was quoted when ``line`` stands outside of that quotation."""
        if self._names and self._depth:
            quote = _QUOTE.match(line)
            if quote is None or _depth(quote[0]) < self._depth:
                self._names.clear()

    def follow(self, found: re.Match[str]) -> bool:
        """Open or close; whether ``found`` is a delimiter here.

        An end closes the innermost block of its name and those that were left open inside; any other is
        ignored.
        """
        name, depth = found["name"].upper(), _depth(found["quote"])
        if self._names and depth > self._depth:
            return False
        if found["side"].upper() == "BEGIN":
            if not self._names:
                self._depth = depth
            self._names.append(name)
            return True
        if name in self._names:
            while self._names.pop() != name:
                pass
            return True
        return not self._names


def _depth(quote: str) -> int:
    return len(_QUOTE_MARK.findall(quote))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, what ends it ('' at the end of the text), and whether that break, or the one before, was
    written out as in JSON."""

    text: str
    end: str
    is_escaped: bool
    follows_escaped: bool


def _strip_once(text: str) -> str:
    lines = _before_header(list(_outside_blocks(text)))
    while (last := _last_spoken(lines)) is not None and _is_cut(lines[last].text):
        del lines[last:]
    return "".join(line.text + line.end for line in lines)


def _outside_blocks(text: str) -> Iterator[_Line]:
    """The lines that belong to no block; of a line of JSON that holds a delimiter, what stands around it."""
    blocks = _Blocks()
    is_in_json = False
    for line in _lines(text):
        if is_in_json or not line.follows_escaped:  # a written-out break in a line of a block ends nothing
            blocks.leave(line.text)
        was_outside = not blocks.are_open
        found = _delimiter(line)
        if found is None or not blocks.follow(found):
            if was_outside:
                yield line
        elif found["side"].upper() == "BEGIN":
            if was_outside:
                is_in_json = line.is_escaped
                if found["lead"]:
                    yield _Line(found["lead"], "", line.is_escaped, line.follows_escaped)
        elif not blocks.are_open and found["rest"]:
            yield _Line(found["rest"], line.end, line.is_escaped, line.follows_escaped)


def _delimiter(line: _Line) -> re.Match[str] | None:
    """The delimiter that ``line`` is. Beside one there may be the quotes of a JSON string, and only there."""
    found = _LINE.fullmatch(line.text)
    if found is None:
        return None
    is_begin = found["side"].upper() == "BEGIN"
    if found["lead"] and not (is_begin and line.is_escaped):
        return None
    if found["rest"] and (is_begin or not line.follows_escaped):
        return None
    return found


def _lines(text: str) -> Iterator[_Line]:
    start, follows_escaped = 0, False
    for found in _BREAK.finditer(text):
        is_escaped = found[0].startswith("\\")
        yield _Line(text[start : found.start()], found[0], is_escaped, follows_escaped)
        start, follows_escaped = found.end(), is_escaped
    yield _Line(text[start:], "", is_escaped=False, follows_escaped=follows_escaped)


def _before_header(lines: list[_Line]) -> list[_Line]:
    """The lines before a header with its notice: nothing tells where such a block ends."""
    header: int | None = None
    for index, line in enumerate(lines):
        if line.text.strip():
            if header is not None and _NOTICE.match(line.text):
                return lines[:header]
            header = index if _HEADER.fullmatch(line.text) else None
    return lines


def _last_spoken(lines: list[_Line]) -> int | None:
    return next((index for index in reversed(range(len(lines))) if lines[index].text.strip()), None)


def _is_cut(line: str) -> bool:
    """Whether ``line``, the last one, begins a block of which the rest is missing."""
    bare = _QUOTE.sub("", line, count=1).strip().upper()
    is_cut_delimiter = len(bare) >= _SHORTEST_CUT and any(
        whole.startswith(bare) and whole != bare for whole in _CUT
    )
    return is_cut_delimiter or _HEADER.fullmatch(line) is not None
