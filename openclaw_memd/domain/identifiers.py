"""Identifiers, paths, addresses and compounds: what is one of them in normalised text, and its parts."""

import re
from typing import NamedTuple

from openclaw_memd.domain.scripts import MARK_BODY, RUN_BODY

# Underscores alone are no atom: they open and close emphasis, as in "_'The end.'_".
_ATOM = f"_*[^\\W_{RUN_BODY}][^\\W{RUN_BODY}]*(?:[{MARK_BODY}]+[^\\W{RUN_BODY}]*)*"
# What may stand between two atoms; a comma joins digits only.
_CONNECTOR = r"(?:://|::|\.\.?/|/\.{0,2}|:\\|\+\+|[-.:@\\'+&=#~]|(?<=\d),(?=\d))"

COMPOUND_PATTERN = (
    rf"(?:(?<![^\W_{RUN_BODY}])(?:[$#@]|--|[-+](?=\d)|\.(?=[^\W\d])))?{_ATOM}(?:{_CONNECTOR}{_ATOM})*"
    r"(?:(?<=[A-Za-z])(?:\+\+|#)(?!\w)|(?<=\d)%)?|_+"
)
"""A word or an identifier with the signs that belong to it: ``$HOME``, ``#tag``, ``C++``, ``50%``."""

URL_PATTERN = (
    rf"(?<![^\W_{RUN_BODY}])[A-Za-z][A-Za-z0-9+.\-]{{0,15}}+://[^\W_{RUN_BODY}]"
    rf"[^\s<>\"'`|(){{}}\[\]\\^\u0080-\u00bf\u2000-\u206f\u3000-\u303f\ud800-\udfff\x00-\x1f\x7f{RUN_BODY}]*"
    r"(?<![.,;:!?*_~])"
)
"""An address with its scheme, without the punctuation that ends a sentence."""

_ATOMS = re.compile(_ATOM)
_PIECES = re.compile(r"[^\W_]+(?:[" + MARK_BODY + r"]+[^\W_]*)*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_NUMBERED = re.compile(r"([A-Za-z]{2,})([0-9]+)|([0-9]+)([A-Za-z]{2,})")
_TAIL = re.compile(r"[/@\\]+\.{0,2}/?")
_SEGMENTS = re.compile(r"[/@\\:=&?#+~]+")
_VERSION = re.compile(r"^[vV]([0-9].*)")
_LOOSE = re.compile(r"[-_',]+")
_DIGIT = re.compile(r"\d")

_TAIL_COUNT = 3


class Compound(NamedTuple):
    """An identifier taken apart; every field in the case and spelling of the text.

    ``whole`` is the identifier, ``joined`` the same without its inner hyphens, underscores, apostrophes or
    commas (None where nothing else is taken out), ``tails`` what people cite of it (the end of a path, a
    host, a file name, a version without its ``v``), ``words`` its smallest parts in order. ``is_wordlike``
    tells that it is made of words only, so that stems make sense for the whole.
    """

    whole: str
    joined: str | None
    tails: tuple[str, ...]
    words: tuple[str, ...]
    is_wordlike: bool


def parse_compound(text: str) -> Compound:
    """Take apart one match of ``COMPOUND_PATTERN`` or ``URL_PATTERN``."""
    whole = text.strip("_")
    pieces: list[str] = _PIECES.findall(whole)
    letters = "".join(pieces)
    bare = _LOOSE.sub("", whole)
    segments = _SEGMENTS.split(whole)
    tails: list[str] = []
    if len(segments) > 1:
        tails += [whole[match.end() :] for match in _TAIL.finditer(whole)][-_TAIL_COUNT:]
    tails += [segment.strip("-._") for segment in segments]
    tails += _VERSION.findall(whole)
    return Compound(
        whole,
        joined=bare if bare != whole and bare == letters else None,
        tails=tuple(filter(None, tails)),
        words=tuple([word for piece in pieces for word in _split_piece(piece)]),
        is_wordlike=bare == letters and "_" not in whole and _DIGIT.search(bare) is None,
    )


def is_identifier(text: str) -> bool:
    """Whether a match is more than one word or number: joined, signed, in camel case, or letters with digits.

    Words with apostrophes only are words.
    """
    bare = text.strip("_").replace("'", "")
    if not bare.isalpha() and not bare.isdecimal():
        return "_" in bare or _DIGIT.search(bare) is not None or _ATOMS.fullmatch(bare) is None
    return _HUMP.search(bare) is not None


def _split_piece(piece: str) -> list[str]:
    """An atom without underscores, then its humps, or its letters and its number."""
    if not piece.isascii() or piece.isdecimal() or (piece.isalpha() and piece.islower()):
        return [piece]
    if numbered := _NUMBERED.fullmatch(piece):
        return [piece, *filter(None, numbered.groups())]
    if _HUMP.search(piece):
        return [piece, *(hump for hump in _CAMEL.findall(piece) if len(hump) > 1)]
    return [piece]
