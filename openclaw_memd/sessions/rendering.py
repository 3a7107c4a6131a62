"""From a message to the lines that are indexed of it. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from openclaw_memd.domain.graphemes import splits_character
from openclaw_memd.domain.recall_guard import strip_recalled
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.sessions.messages import Role

LINE_CHARS: Final = 800
"""The most of a message in one line (OpenClaw's); what is longer goes on in the next, with the same label."""

PIECE_CHARS: Final = 65_536
"""The most of a message that is stored in one piece, so that no piece is more than a part can hold."""

_LABELS: Final = {Role.USER: "User: ", Role.ASSISTANT: "Assistant: "}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """What is kept of a message: one line, without recalled memory, its secrets masked; '' if nothing is."""
    text = mask_secrets(strip_recalled(_SURROGATE.sub("\ufffd", text)))
    return " ".join(_CONTROL.sub(" ", text).split())


def has_lone_surrogate(text: str) -> bool:
    """Whether ``text`` is no text: it has no form in UTF-8."""
    return _SURROGATE.search(text) is not None


def cut_pieces(text: str) -> Iterator[str]:
    """A cleaned text in pieces to be stored."""
    return _cut(text, PIECE_CHARS)


def render_lines(role: Role, text: str) -> list[str]:
    """A piece of a cleaned text as the lines of a document."""
    label = _LABELS[role]
    return [label + segment for segment in _cut(text, LINE_CHARS)]


def _cut(text: str, width: int) -> Iterator[str]:
    """``text`` in segments of at most ``width``, cut at a blank where one is, else between characters."""
    start = 0
    while len(text) - start > width:
        end = text.rfind(" ", start + 1, start + width + 1)
        if end < 0:
            end = _between_characters(text, start, start + width)
        yield text[start:end]
        start = end + (text[end] == " ")
    if start < len(text):
        yield text[start:]


def _between_characters(text: str, start: int, end: int) -> int:
    """The last place up to ``end`` that parts no character; ``end`` itself in a row of nothing but marks."""
    place = end
    while place > start and splits_character(text, place):
        place -= 1
    return place if place > start else end
