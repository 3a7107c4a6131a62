"""Words of no language with the frequencies of one, for text that nobody has to have written."""

from collections.abc import Callable
from functools import cache
from itertools import accumulate
from random import Random

WORDS = 20_000
UNSPACED_WORDS = 2_000
SEED = 20_260_111

_ONSETS = ("b", "br", "ch", "d", "dr", "f", "g", "gr", "h", "k", "kl", "l", "m", "n", "p", "pr", "r", "s")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "l", "n", "r", "s", "t", "rd", "nk", "st")
_IDEOGRAPHS = tuple(map(chr, range(0x4E00, 0x4E00 + 600)))


class Vocabulary:
    """Words that are drawn with a frequency of one over their rank, which is Zipf's law."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self._weights = tuple(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def draw(self, random: Random, count: int) -> list[str]:
        """``count`` words."""
        return random.choices(self.words, cum_weights=self._weights, k=count)

    def draw_rare(self, random: Random) -> str:
        """A word of the rarer half, each as likely as the other."""
        return self.words[random.randrange(len(self.words) // 2, len(self.words))]


@cache
def spaced() -> Vocabulary:
    """Words of Latin letters; the frequent ones are short, as they are in languages."""
    random = Random(SEED)
    return Vocabulary(tuple(sorted(_distinct(lambda: _spell(random), WORDS), key=len)))


@cache
def unspaced() -> Vocabulary:
    """Words of one to three ideographs."""
    random = Random(SEED)
    return Vocabulary(
        _distinct(
            lambda: "".join(random.choices(_IDEOGRAPHS, k=random.choice((1, 2, 2, 2, 3)))), UNSPACED_WORDS
        )
    )


def sentence(random: Random, *, words: int) -> str:
    """A sentence of so many spaced words."""
    return f"{' '.join(spaced().draw(random, words)).capitalize()}."


def unspaced_sentence(random: Random, *, words: int) -> str:
    """A sentence of so many unspaced words."""
    return f"{''.join(unspaced().draw(random, words))}。"


def _spell(random: Random) -> str:
    syllables = random.choice((1, 2, 2, 3, 3, 4))
    parts = (
        random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS) for _ in range(syllables)
    )
    return "".join(parts)


def _distinct(make: Callable[[], str], count: int) -> tuple[str, ...]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[make()] = None
    return tuple(found)
