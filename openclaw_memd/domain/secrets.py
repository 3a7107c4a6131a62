"""Finding secrets in text by their shape, so that they do not leave the machine.

This cannot find every secret; it finds the shapes that keys, tokens, passwords and cards commonly have.

Nearly all text has no secret, and every message passes here: so a pattern runs only where a search for plain
substrings, which costs next to nothing, has not ruled it out. What is found is the same as without.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain import secret_shapes as shapes
from openclaw_memd.domain.secret_shapes import MASK

__all__ = ["MASK", "RULES", "Rule", "fold", "mask_secrets"]

_LONG_WORD_CHARS = 256


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what is put in the place of what it finds; ``None`` when that is no secret.

    Every match begins with one of ``stems``, in lower case; with none, it may begin anywhere.
    """

    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str]], str | None]
    stems: tuple[str, ...] = ()

    def apply(self, text: str, places: Iterable[int]) -> str:
        """``text`` without what is found at ``places``, which ascend."""
        parts, done, since = [], 0, 0
        for place in places:
            if place < since or (found := self.pattern.match(text, place)) is None:
                continue
            new = self.replace(found)
            if new is not None:
                parts += [text[done:place], new]
                done = since = found.end()
            elif text.find(" ", place, found.end()) < 0 and found.end() - place > _LONG_WORD_CHARS:
                since = found.end()  # names without end, each the value of the one before: else quadratic
        return "".join([*parts, text[done:]]) if parts else text


_KEY = Rule(shapes.KEY, shapes.mask_key)
_BLOB = Rule(shapes.BLOB, shapes.mask_blob)
_ESCAPED_BLOB = Rule(shapes.ESCAPED_BLOB, shapes.mask_blob)
_CARDS = Rule(shapes.DIGITS, shapes.mask_cards)
RULES: Final = (
    Rule(shapes.PRIVATE_BLOCK, lambda _found: MASK, ("-----begin ", "---- begin ")),
    _BLOB,
    _ESCAPED_BLOB,
    _KEY,
    Rule(shapes.COOKIE, shapes.mask_value, ("cookie",)),
    Rule(shapes.AUTHORIZATION, shapes.mask_authorization, ("authorization",)),
    Rule(shapes.BEARER, shapes.mask_bearer, ("bearer", "basic")),
    Rule(shapes.URL_USER, shapes.mask_url_user, ("://",)),
    Rule(shapes.SIGNATURE, shapes.mask_value, ("sig=",)),
    Rule(shapes.NAMED, shapes.mask_named, shapes.NAME_STEMS + shapes.FOREIGN_STEMS),
    _CARDS,
)
"""In the order in which they are applied, each to what the one before left."""

_STEMS = tuple((stem, rule) for rule in RULES for stem in rule.stems)
_ASCII_STEMS = tuple((stem, rule) for stem, rule in _STEMS if stem.isascii())


def _table(letters: str) -> bytes:
    """For `bytes.translate`: each of ``letters`` as ``w``, all else as a blank."""
    return bytes(ord("w") if chr(code) in letters else ord(" ") for code in range(256))


_AS_RUNS, _AS_BASE64, _AS_DIGITS = _table(shapes.RUN), _table(shapes.BASE64), _table("0123456789")
_LONG, _WIDE, _FOUR = b"w" * shapes.LEAST_KEY_CHARS, b"w" * shapes.LEAST_LINE_CHARS, b"w" * 4
_RUN = re.compile(rf"[{re.escape(shapes.RUN)}]{{{shapes.LEAST_KEY_CHARS},}}+")


def mask_secrets(text: str) -> str:
    """``text`` with each secret replaced by a mark; what names the secret stays.

    Masking what is masked changes nothing: it is gone over until nothing more is found, since a mark can part
    what hid a second secret.
    """
    while (masked := _mask_once(text)) != text:
        text = masked
    return text


def _mask_once(text: str) -> str:
    letters = text.encode("ascii", "replace")
    folded = fold(text)
    stems = _ASCII_STEMS if text.isascii() else _STEMS
    suspects = {id(rule) for stem, rule in stems if stem in folded}
    if _LONG in letters.translate(_AS_RUNS):
        suspects.add(id(_KEY))
        if _WIDE in letters.translate(_AS_BASE64):
            suspects |= {id(_BLOB), id(_ESCAPED_BLOB)}
    if "-----end " in folded:
        suspects.add(id(_BLOB))
    if _FOUR in letters.translate(_AS_DIGITS):
        suspects.add(id(_CARDS))
    if suspects:
        for rule in RULES:
            if id(rule) in suspects:
                text = _apply(rule, text)
    return text


def _apply(rule: Rule, text: str) -> str:
    if rule is _KEY:
        return _RUN.sub(lambda run: shapes.KEY.sub(shapes.mask_key, run[0]), text)
    if rule is _BLOB:
        return rule.apply(text, _block_places(text))
    if rule.stems:
        return rule.apply(text, _places(fold(text), rule.stems))
    return rule.apply(text, (found.start() for found in rule.pattern.finditer(text)))


def _block_places(text: str) -> list[int]:
    """Where lines of base64 begin, and the labels above them, in order."""
    places = set()
    letters = text.encode("ascii", "replace").translate(_AS_BASE64)
    wide = letters.find(_WIDE)
    while wide >= 0:
        start = text.rfind("\n", 0, wide) + 1
        places.add(start)
        places.add(text.rfind("-----BEGIN ", max(0, start - shapes.LABEL_CHARS), start))
        end = text.find("\n", wide)
        wide = letters.find(_WIDE, end) if end >= 0 else -1
    end = text.find("-----END ")
    while end >= 0:
        places.add(text.rfind("\n", 0, max(0, text.rfind("\n", 0, end))) + 1)
        line_end = text.find("\n", end)
        end = text.find("-----END ", line_end) if line_end >= 0 else -1
    return sorted(places - {-1})


def _places(folded: str, stems: tuple[str, ...]) -> list[int]:
    """Where one of ``stems`` is, in order."""
    places = []
    for stem in stems:
        place = folded.find(stem)
        while place >= 0:
            places.append(place)
            place = folded.find(stem, place + 1)
    return sorted(places)


def fold(text: str) -> str:
    """``text`` in lower case, character by character, as patterns that ignore case compare it."""
    if text.isascii():
        return text.lower()
    return text.replace("İ", "i").lower().replace("ı", "i").replace("ſ", "s").replace("ᲂ", "о")
