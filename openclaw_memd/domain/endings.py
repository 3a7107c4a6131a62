"""Word forms that Snowball's rules leave apart: plurals of Portuguese and Spanish, affixes of Arabic. Pure.

All take words in folded spelling, without accents and marks.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

# Plural, singular, least letters before it: the plural step of RSLP (Orengo and Huyck 2001) as far as
# Snowball's Portuguese has no such rule.
_PORTUGUESE: Final = (("oes", "ao", 2), ("aes", "ao", 1), ("eis", "el", 2), ("ois", "ol", 2), ("ns", "m", 2))
_NO_PLURALS: Final = frozenset({"depois", "dois", "leis", "maes", "pois", "reis", "seis"})

_LEAST_SPANISH: Final = 2

# Light stemming of Arabic: "light10" of Larkey, Ballesteros and Connell (2007), each affix once. A word keeps
# three letters without an article and four without anything else, where theirs keeps two: shorter rests are
# other words, since what looks like an affix may be of the root (lbnan, lbn).
_LEAST_BARE: Final = 3
_LEAST_ARABIC: Final = 4
_ARABIC_AND: Final = "و"
_ARABIC_ARTICLES: Final = ("ال", "بال", "كال", "فال", "لل")
_ARABIC_ENDINGS: Final = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")


def portuguese_singular(word: str) -> str | None:
    """The singular of ``word`` if it looks like a plural that Snowball does not know: opinioes, opiniao."""
    if word in _NO_PLURALS:
        return None
    for plural, singular, least in _PORTUGUESE:
        if word.endswith(plural) and len(word) - len(plural) >= least:
            return word.removesuffix(plural) + singular
    return None


def spanish_singular(word: str) -> str | None:
    """The singular of a plural in ``-ces``: luces, luz."""
    if word.endswith("ces") and len(word) - 3 >= _LEAST_SPANISH:
        return word.removesuffix("ces") + "z"
    return None


def arabic_light_stem(word: str) -> str:
    """``word`` without conjunction, article and the endings of number, gender and possession."""
    if word.startswith(_ARABIC_AND) and len(word) - len(_ARABIC_AND) >= _LEAST_ARABIC:
        word = word.removeprefix(_ARABIC_AND)
    for article in _ARABIC_ARTICLES:
        if word.startswith(article) and len(word) - len(article) >= _LEAST_BARE:
            word = word.removeprefix(article)
            break
    for ending in _ARABIC_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_ARABIC:
            word = word.removesuffix(ending)
    return word


SINGULARS: Final[Mapping[str, Callable[[str], str | None]]] = MappingProxyType(
    {"es": spanish_singular, "pt": portuguese_singular}
)
"""By language, what finds the singular of a plural that its stemmer does not bring to one stem with it."""
