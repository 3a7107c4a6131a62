"""Whether a message is in English, where other languages are configured as well. Pure."""

from collections.abc import Collection, Sequence
from typing import Final

from openclaw_memd.domain.stopwords import LISTS

_ENGLISH: Final = "en"
_DOERS: Final = ("er", "r", "ers", "rs")


def is_english(words: Collection[str], others: Sequence[str]) -> bool:
    """Whether of the folded ``words`` of a message more are common ones of English than of any of ``others``,
    which are languages of Latin letters.

    It is not told of a language whose common words are not known, nor without any common word.
    """
    if not others or any(code not in LISTS for code in others):
        return False
    known = {code: sum(word in LISTS[code] for word in words) for code in (_ENGLISH, *others)}
    return all(known[_ENGLISH] > known[code] for code in others)


def names_doer(one: str, other: str) -> bool:
    """Whether one of two words is the other with the ending by which English names who does something.

    German makes plurals with it (``Kind``, ``Kinder``); in English it makes another word: ``customer`` is no
    form of ``custom``.
    """
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) :] in _DOERS
