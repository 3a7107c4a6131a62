"""What a line of Markdown says to who reads it, without what only dresses it."""

import re
from html import unescape
from typing import Final

from openclaw_memd.domain.confusables import fold_confusables
from openclaw_memd.domain.folding import normalize

_MARKERS: Final = re.compile(r"(?:\s|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))*")
_DRESSED: Final = re.compile(r"[<&*`~\[\\]|[^\x00-\x7f]")
_INLINE: Final = (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup"
    " tt u var wbr"
)
_BLOCK: Final = (
    "article aside blockquote body br center dd details div dl dt figure footer h1 h2 h3 h4 h5 h6 head header"
    " hr html iframe img li main nav ol p pre script section style summary table tbody td tfoot th thead tr"
    " ul"
)
_TAGS: Final = tuple(
    (re.compile(rf"</?(?:{'|'.join(names.split())})(?=[\s/>])[^<>]*>", re.IGNORECASE), put)
    for names, put in ((_INLINE, ""), (_BLOCK, " "))
)
_LINK: Final = re.compile(
    r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^()]*)?\)|\[[^\[\]]*\])"
)
_EMPHASIS: Final = re.compile(r"[*`]+|~~")
_ESCAPED: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~])")


def strip_markers(line: str) -> str:
    """A line of Markdown without what it begins with as a list item, a quotation or a heading: editors number
    lists anew by themselves.
    """
    found = _MARKERS.match(line)
    return line if found is None else line[found.end() :]


def read_saying(line: str) -> str:
    """What ``line`` says: no markers, comments (annotations among them), tags, link targets or emphasis,
    entities and letters that only look Latin as what they look like.

    A line that would say nothing says what it is: annotations alone on a line are known by their text.
    """
    bare = strip_markers(line)
    if not _DRESSED.search(bare):
        return bare
    said = strip_markers(_undress(normalize(bare)))
    return said if any(map(str.isalnum, said)) else bare


def read_asides(line: str) -> str:
    """What the comments of ``line`` say, which models are shown with it; empty when there are none."""
    return " ".join(_part_comments(line)[1]) if "<!--" in line else ""


def _part_comments(text: str) -> tuple[str, list[str]]:
    """A text without its comments, and what these say. A comment that does not end is text."""
    said: list[str] = []
    asides: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        said.append(text[place:start])
        asides.append(text[start + 4 : end])
        place = end + 3
    said.append(text[place:].replace("<!--", " "))
    return "".join(said).replace("-->", " "), asides


def _undress(text: str) -> str:
    said, _ = _part_comments(text)
    for tags, put in _TAGS:
        said = tags.sub(put, said)
    if "&" in said:
        said = normalize(unescape(said))
    said = _LINK.sub(r"\1", said)
    return fold_confusables(_EMPHASIS.sub("", _ESCAPED.sub("", said)))
