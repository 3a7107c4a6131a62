"""Where a promoted entry comes from, as it is written beside it, and how that is told from what it says.

Above a promoted entry stands an anchor for each claim that led to it: ``<!-- memd:promoted KEY -->``. That of
an entry of USER.md also names the source; in MEMORY.md the text ends with it. OpenClaw's own are understood.
"""

import re
from typing import Final

# Each begins with a whole run of blanks and holds itself not a second time, so that no text takes long.
_SOURCE_TAIL: Final = re.compile(
    r"(?<![ \t])[ \t]+\(Source: ((?:(?!\(Source: )[^\n])+#L\d+(?:-L\d+)?)\)(?=[ \t]*(?:<!--|$))", re.MULTILINE
)
_OPENCLAW_TAIL: Final = re.compile(
    r"(?<![ \t])[ \t]+(?:Source: (?:(?!Source: )[^\n])+#L\d+(?:-L?\d+)?"
    r"|\[score=[^\]\n]{0,200}\bsource=[^\]\n]{1,500}\])(?=[ \t]*$)",
    re.MULTILINE,
)
_ANCHOR: Final = re.compile(
    r"^[ \t]*<!--[ \t]*(?:memd:promoted[ \t]+(?P<key>[^\s>]+)(?:[ \t]+from[ \t]+(?P<source>[^\n]*?))?"
    r"|openclaw-memory-promotion:(?P<theirs>[^\n]*?))[ \t]*-->[ \t]*$",
    re.MULTILINE,
)
_LINE: Final = re.compile(
    r"^[ \t]*<!--[ \t]*(?:memd:promoted[ \t]|openclaw-memory-(?:promotion|lineage):)[^\n]*-->[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)


def format_anchor(key: str, source: str | None = None) -> str:
    """The line above an entry that was promoted from the claim ``key``."""
    if source is None or "--" in source or ">" in source:
        return f"<!-- memd:promoted {key} -->"
    return f"<!-- memd:promoted {key} from {source} -->"


def format_tail(source: str) -> str:
    """What the text of a promoted entry ends with."""
    return f"(Source: {source})"


def find_anchors(text: str) -> dict[str, None]:
    """The keys of the claims that the entries of ``text`` were promoted from, in order."""
    if "<!--" not in text:
        return {}
    return {key: None for found in _ANCHOR.finditer(text) if (key := found["key"] or found["theirs"])}


def find_sources(text: str) -> tuple[str, ...]:
    """Where the entries of ``text`` say that they come from, as ``memory/2026-01-11.md#L3-L5``."""
    named = [found["source"] for found in _ANCHOR.finditer(text) if found["source"]]
    return (*named, *(found[1] for found in _SOURCE_TAIL.finditer(text)))


def strip_lineage(text: str) -> str:
    """``text`` without anchors and sources."""
    if "<!--" in text:
        text = _LINE.sub("", text)
    if ("Source: " in text and "#L" in text) or "source=" in text:
        text = _OPENCLAW_TAIL.sub("", _SOURCE_TAIL.sub("", text))
    return text
