"""Unicode forms: one spelling for text that people see as the same, and the way back to its offsets."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from openclaw_memd.domain.scripts import UNIT_MARK, Script, script_of

# Format characters, variation selectors and fillers: invisible inside a word, so they neither split it
# nor belong to it (soft hyphens, joiners, bidirectional controls).
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

MOST_MARKS: Final = 30
"""How many combining marks in a row count: the limit of Unicode's Stream-Safe Text Format (UAX #15)."""

# Marks of rare scripts and of musical notation, beside those that stay within a word.
_RARE_MARKS = (
    "\U000101fd\U000102e0\U00010376-\U0001037a\U00010ae5-\U00010ae6\U00010f82-\U00010f85"
    "\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169"
    "\U0001d16d-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244"
    "\U0001e000-\U0001e02a\U0001e130-\U0001e136"
)
_MANY_MARKS = re.compile(f"(?:{UNIT_MARK.pattern}|[{_RARE_MARKS}]){{{MOST_MARKS + 1},}}+")

# Typographic spellings of the apostrophe and of the hyphen.
_SPELLINGS = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2010": "-", "\u2212": "-"})

_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    # Arabic: alef wasla, alef maksura, teh marbuta, Persian kaf and yeh, tatweel.
    | {"\u0671": "\u0627", "\u0649": "\u064a", "\u0629": "\u0647"}
    | {"\u06a9": "\u0643", "\u06cc": "\u064a", "\u0640": ""}
)

_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

_KEEPS_MARKS = frozenset({Script.OTHER, Script.DEVANAGARI, Script.TAMIL, Script.ARMENIAN})
_STRESS = frozenset("\u0300\u0301")


def normalize(text: str) -> str:
    """``text`` in NFKC with typographic apostrophes and hyphens as ASCII and without invisible characters.

    Case and marks stay, ``MOST_MARKS`` of them on a letter. Idempotent.
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFKC", _drop_marks(_INVISIBLE.sub("", text)))
    return _drop_marks(composed).translate(_SPELLINGS)


def _drop_marks(text: str) -> str:
    """``text`` without the marks that no writing needs: to bring n of them in order takes n² steps."""
    return _MANY_MARKS.sub(lambda row: _first_marks(row.group()), text)


def _first_marks(row: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in row:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def align(text: str, normalized: str) -> tuple[Sequence[int], Sequence[int]]:
    """Where the source of each character of ``normalized`` starts and ends in ``text``.

    ``normalized`` is ``normalize(text)``. A character that comes from a group (a letter and its marks, a
    ligature) has the bounds of the group.
    """
    if len(text) == len(normalized) and unicodedata.is_normalized("NFKC", text):
        return range(len(text)), range(1, len(text) + 1)
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for end in (*(index for index in range(1, len(text)) if _begins_group(text[index])), len(text)):
        width = _normalized_width(text[start:end])
        starts.extend([start] * width)
        ends.extend([end] * width)
        start = end
    return starts, ends


@lru_cache(maxsize=4096)
def _normalized_width(group: str) -> int:
    return len(normalize(group))


@lru_cache(maxsize=4096)
def _begins_group(character: str) -> bool:
    """Whether normalisation never joins ``character`` to what stands before it."""
    if character.isascii():
        return True
    first = unicodedata.normalize("NFKD", character)[0]
    composes = "\u1160" <= first <= "\u11ff" or unicodedata.category(first)[0] == "M"
    return not composes and _INVISIBLE.match(character) is None


def fold(word: str) -> str:
    """A normalised word without case, and without the marks that people leave out when they type.

    Marks go in Latin, Greek and Arabic and, as stress marks, in Cyrillic, where ``ё`` becomes ``е`` and ``й``
    stays. Native digits become ASCII. Vowel signs of other scripts are part of the word. Idempotent.
    """
    if word.isascii():
        return word.lower()
    folded: list[str] = []
    base, script = "", Script.OTHER
    for character in unicodedata.normalize("NFD", word):
        if unicodedata.category(character)[0] == "M":
            if _is_kept(base, script, character):
                folded.append(character)
        elif character.isdecimal():
            base, script = "", Script.OTHER
            folded.append(str(unicodedata.decimal(character)))
        else:
            base, script = character, script_of(character)
            folded.append(character)
    return unicodedata.normalize("NFC", "".join(folded).casefold().translate(_LETTERS))


def _is_kept(base: str, script: Script, mark: str) -> bool:
    if script is Script.CYRILLIC:
        return (mark not in _STRESS or base in "гкГК") and not (mark == "\u0308" and base in "еЕ")
    return script in _KEEPS_MARKS and base.isalpha()


def spell_umlauts(word: str) -> str:
    """A normalised word folded with its umlauts written as two letters (``Größe``: ``groesse``)."""
    return fold(unicodedata.normalize("NFC", word.casefold()).translate(_DIGRAPHS))
