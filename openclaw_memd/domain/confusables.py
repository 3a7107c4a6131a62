"""Letters of other scripts that look like Latin ones: one spelling for words that are made to look alike."""

import re
from typing import Final

_LOOK_ALIKES: Final = (
    # Cyrillic
    "аaеeоoрpсcуyхxіiјjѕsԁdһhӏlԛqԝwгrкkмmтtвbпnѵvАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSӀIԌGԚQԜWѴV"
    # Greek
    "αaοoνvρpυuχxιiκkτtγyηnΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX"
    # Latin letters of phonetic writing
    "ɑaɡgɩiʟl"
)
_FOLDED: Final = str.maketrans(dict(zip(_LOOK_ALIKES[::2], _LOOK_ALIKES[1::2], strict=True)))

_LATIN: Final = re.compile("[A-Za-z]")
_OTHERS: Final = re.compile("[Ͱ-Ͽἀ-῿Ѐ-ԯ]")
_PLAIN_OTHERS: Final = re.compile(f"(?![{_LOOK_ALIKES[::2]}])[Ͱ-Ͽἀ-῿Ѐ-ԯ]")
_WORD: Final = re.compile(r"\w+")
_LONE_GREEK: Final = re.compile(r"(?<!\w)[Ͱ-Ͽἀ-῿](?!\w)")


def fold_confusables(text: str) -> str:
    """``text`` with look-alikes as the Latin letters that they look like, wherever they stand for those.

    That is so in a word that has Latin letters too, and everywhere in a text in Latin letters that has no
    others of these scripts but look-alikes. Words in Cyrillic or Greek stay.
    """
    if text.isascii() or not _LATIN.search(text):
        return text
    if not _PLAIN_OTHERS.search(text):
        return text.translate(_FOLDED)
    return _WORD.sub(_fold_word, text) if _OTHERS.search(text) else text


def fold_words(text: str) -> str:
    """The same, but Greek letters that stand alone stay: each is a name, as of a filter or a particle."""
    folded = fold_confusables(text)
    if folded == text:
        return text
    alone = {found.start() for found in _LONE_GREEK.finditer(text)}
    return "".join(text[at] if at in alone else letter for at, letter in enumerate(folded))


def _fold_word(word: re.Match[str]) -> str:
    found = word.group()
    return found.translate(_FOLDED) if _LATIN.search(found) and _OTHERS.search(found) else found
