"""Text made safe to stand in a prompt: nothing hidden in it, nothing that opens or closes a frame."""

import re
import unicodedata

from openclaw_memd.domain.graphemes import splits_character

ELLIPSIS = "…"

_DELIMITER = re.compile(  # in JSON `<` may be written `\u003c`; `recall_guard` reads that too
    r"(?:<|(?<!\\)\\++u003c){3}\s*(BEGIN|END)_([A-Z][A-Z_]*?)\s*(?:>|\\++u003e){3}", re.IGNORECASE
)
_IN_DELIMITERS = ("<<<", "003c", "003C")  # one of these is in each
_UNUSUAL = re.compile(r"[^ -~\n\t]")
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef]")  # bidi controls, tags, selectors
_VISIBLE_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_VARIATION_SUPPLEMENT = range(0xE0100, 0xE01F0)


def neutralize(text: str) -> str:
    """``text`` as inert prompt content.

    As ``show_plainly`` gives it, with ``&``, ``<`` and ``>`` escaped as in XML.
    """
    return show_plainly(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def show_plainly(text: str) -> str:
    """``text`` with its markup, and nothing in it that a reader cannot see.

    Frame delimiters (ours and OpenClaw's) become ``[[NAME_BEGIN]]`` or ``[[NAME_END]]``; bidi controls,
    zero-width and other invisible characters and control characters are dropped; every other line separator
    than ``\\n`` becomes a blank.
    """
    return disarm_delimiters(_UNUSUAL.sub(lambda found: _visible(found[0]), text))


def drop_hiding(text: str) -> str:
    """``text`` without the characters that only hide: controls that turn text round, and letters that nobody
    sees. Joiners, marks of direction and emoji stay as they are.
    """
    return _HIDING.sub("", text)


def disarm_delimiters(text: str) -> str:
    """``text`` with every frame delimiter (ours and OpenClaw's) as ``[[NAME_BEGIN]]`` or ``[[NAME_END]]``."""
    if not any(map(text.__contains__, _IN_DELIMITERS)):  # as it mostly is, and told in a tenth of the time
        return text
    return _DELIMITER.sub(lambda found: f"[[{found[2].upper()}_{found[1].upper()}]]", text)


def in_one_line(text: str) -> str:
    """``text`` with one blank for every run of white space, and none around it."""
    return " ".join(text.split())


def shorten(text: str, max_chars: int) -> str:
    """``text`` in at most ``max_chars`` code points (at least 1); a cut comes behind a word where it can and
    ends with ``…``.
    """
    if len(text) <= max_chars:
        return text
    end = max_chars - len(ELLIPSIS)
    blank = text.rfind(" ", end * 2 // 3, end + 1)
    if blank > 0:
        end = blank
    while end > 0 and splits_character(text, end):
        end -= 1
    return text[:end].rstrip() + ELLIPSIS


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Zl", "Zp"}:
        return " "
    if category == "Cs":
        return "\ufffd"
    hidden = (
        category == "Cc"
        or (category == "Cf" and char not in _VISIBLE_FORMATS)
        or char in _INVISIBLE_LETTERS
        or ord(char) in _VARIATION_SUPPLEMENT
    )
    return "" if hidden else char
