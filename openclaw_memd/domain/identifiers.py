"""Identifiers, paths, addresses and compounds: what is one of them in normalised text, and its parts."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from openclaw_memd.domain.scripts import MARK_BODY

# What may stand between two atoms; a comma joins digits only.
_CONNECTOR = r"(?:://|::|\.\.?/|/\.{0,2}|:\\|\+\+|[-.:@\\'+&=#~]|(?<=\d),(?=\d))"


def _atom_pattern(run_body: str) -> str:
    # Underscores alone are no atom: they open and close emphasis, as in "_'The end.'_". Some characters count
    # as marks and as letters, so what is taken is never given back: it could be divided in too many ways.
    return rf"_*[^\W_{run_body}][^\W{run_body}]*+(?:[{MARK_BODY}]++[^\W{run_body}]*+)*+"


def compound_pattern(run_body: str) -> str:
    """A word or an identifier with the signs that belong to it: ``$HOME``, ``#tag``, ``C++``, ``50%``.

    ``run_body`` is what belongs to no word: ``scripts.RUN_BODY``, or nothing for text that has none of it.
    """
    atom = _atom_pattern(run_body)
    return (
        rf"(?:(?<![^\W_{run_body}])(?:[$#@]|--|[-+](?=\d)|\.(?=[^\W\d])))?{atom}(?:{_CONNECTOR}{atom})*"
        r"(?:(?<=[A-Za-z])(?:\+\+|#)(?!\w)|(?<=\d)%)?|_+"
    )


def url_pattern(run_body: str) -> str:
    """An address with its scheme, without the punctuation that ends a sentence; ``run_body`` as above."""
    no_body = r"\s<>\"'`|(){}\[\]\\^\u0080-\u00bf\u2000-\u206f\u3000-\u303f\ud800-\udfff\x00-\x1f\x7f"
    return (
        rf"(?<![^\W_{run_body}])[A-Za-z][A-Za-z0-9+.\-]{{0,15}}+://[^\W_{run_body}][^{no_body}{run_body}]*"
        r"(?<![.,;:!?*_~])"
    )


_ATOMS = re.compile(_atom_pattern(""))
_PIECES = re.compile(r"[^\W_]++(?:[" + MARK_BODY + r"]++[^\W_]*+)*+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_NUMBERED = re.compile(r"([A-Za-z]{2,})([0-9]+)|([0-9]+)([A-Za-z]{2,})")
_TAIL = re.compile(r"[/@\\]+\.{0,2}/?")
_SEGMENTS = re.compile(r"[/@\\:=&?#+~]+")
_VERSION = re.compile(r"^[vV]([0-9].*)")
_LOOSE = re.compile(r"[-_',]+")
_DIGIT = re.compile(r"\d")

_TAIL_COUNT = 3

IDENTIFIER_CHARS: Final = 400
"""Nothing longer is an identifier: not even addresses with a query are, as a rule."""

IDENTIFIER_PIECES: Final = 64
"""Nothing that joins more pieces is an identifier."""

BLOB_CHARS: Final = 200
_BLOB = re.compile(rf"(?<![A-Za-z0-9+/=_\-])[A-Za-z0-9+/=_\-]{{{BLOB_CHARS},}}+")
_SIGNS = re.compile(r"[+/=_\-]+")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_BLOB_PIECE_CHARS = 12  # between signs; encoded bytes have 32 on average, words joined by signs about 6
_CHANGES_PER_CHAR = 0.25  # base64 has 0.42 and hexadecimal digits 0.47, numbered words about 0.15


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


def find_blobs(text: str) -> Iterator[tuple[int, int]]:
    """Where ``text`` holds long runs of encoded bytes, in base64 or in hexadecimal digits, as in data URIs.

    They look like one another and like no word: most pieces between signs are long, and small letters,
    capitals and digits take turns.
    """
    for match in _BLOB.finditer(text):
        run = match.group()
        letters = _SIGNS.sub("", run)
        if len(letters) < BLOB_CHARS // 2 or len(_SIGNS.findall(run)) * _BLOB_PIECE_CHARS > len(letters):
            continue
        if len(_CHANGE.findall(run)) > len(letters) * _CHANGES_PER_CHAR:
            yield match.span()


def name_blob(blob: str) -> str:
    """The one word that stands for a blob: its letters and digits, with nothing to take apart."""
    return _SIGNS.sub("", blob).lower()


def hide_blobs(text: str) -> str:
    """``text`` with an ellipsis in the place of each blob of encoded bytes (see ``find_blobs``)."""
    if not _may_hold_blob(text):
        return text
    kept: list[str] = []
    position = 0
    for start, end in find_blobs(text):
        kept += text[position:start], "…"
        position = end
    return "".join([*kept, text[position:]])


def _may_hold_blob(text: str) -> bool:
    """Whether some stretch has no blank that is as long as what surely lies inside a blob, wherever that is.

    Takes a tenth of the time of the pattern, and most text has a blank in each of these stretches.
    """
    stretch = BLOB_CHARS // 2
    for start in range(0, len(text) - stretch + 1, stretch):
        if text.find(" ", start, start + stretch) < 0:
            return True
    return False


def cut_long(text: str) -> Iterator[tuple[int, str]] | None:
    """The pieces of a match that is too long for an identifier, with their offsets; None for all others."""
    if len(text) <= IDENTIFIER_CHARS and not _joins_many(text):
        return None
    return ((piece.start(), piece.group()) for piece in _PIECES.finditer(text))


def parse_compound(text: str) -> Compound:
    """Take apart one match of ``compound_pattern`` or ``url_pattern``."""
    whole = text.strip("_")
    pieces: list[str] = _PIECES.findall(whole)
    letters = "".join(pieces)
    bare = _LOOSE.sub("", whole)
    segments = _SEGMENTS.split(whole)
    tails: list[str] = []
    if len(segments) > 1:
        tails += [whole[match.end() :] for match in deque(_TAIL.finditer(whole), _TAIL_COUNT)]
    tails += [segment.strip("-._") for segment in segments]
    if whole.startswith(("v", "V")):
        tails += _VERSION.findall(whole)
    words: list[str] = []
    for piece in pieces:
        if piece.isdecimal() or (piece.islower() and piece.isalpha()):  # most of them
            words.append(piece)
        else:
            words += _split_piece(piece)
    return Compound(
        whole,
        joined=bare if bare != whole and bare == letters else None,
        tails=tuple(filter(None, tails)),
        words=tuple(words),
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


def _joins_many(text: str) -> bool:
    if len(text) <= 2 * IDENTIFIER_PIECES:  # a piece and what joins it are two characters at least
        return False
    return next(islice(_PIECES.finditer(text), IDENTIFIER_PIECES, None), None) is not None


def _split_piece(piece: str) -> list[str]:
    """An atom without underscores, then its humps, or its letters and its number."""
    if not piece.isascii():
        return [piece]
    if numbered := _NUMBERED.fullmatch(piece):
        return [piece, *filter(None, numbered.groups())]
    if _HUMP.search(piece):
        return [piece, *(hump for hump in _CAMEL.findall(piece) if len(hump) > 1)]
    return [piece]
