"""What several memories are about, in whatever form each of them says it. Pure.

Words meet by their stems ("теплицы", "теплицу"). A run of Han characters has no borders between words, so
runs meet in the longest pieces that they share ("温室屋顶" and "温室钥匙" in "温室").
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from openclaw_memd.domain.text import Analyzer

LEAST_PIECE: Final = 2
LONGEST_PIECE: Final = 8

_HAN: Final = re.compile(r"[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff]{2,}")


class Common(NamedTuple):
    """A name for what is common, and the numbers of those that have it, ascending."""

    name: str
    having: tuple[int, ...]


def find_common(tags: Sequence[Sequence[str]], analyzer: Analyzer) -> list[Common]:
    """What each of ``tags``, those of one memory each, has in common with others, or alone; by name."""
    having: dict[str, dict[int, None]] = defaultdict(dict)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for number, own in enumerate(tags):
        for tag in dict.fromkeys(own):
            for key, name in _keys(tag, analyzer):
                having[key][number] = None
                names[key][name] += 1
    found = [Common(_name(names[key]), tuple(numbers)) for key, numbers in having.items()]
    return sorted(one for one in _longest(found) if one.having)


def _keys(tag: str, analyzer: Analyzer) -> Iterator[tuple[str, str]]:
    """By what a tag meets others, and what that is called."""
    if _HAN.fullmatch(tag):
        for start in range(len(tag) - LEAST_PIECE + 1):
            for end in range(start + LEAST_PIECE, min(len(tag), start + LONGEST_PIECE) + 1):
                yield tag[start:end], tag[start:end]
        if len(tag) > LONGEST_PIECE:
            yield tag, tag
        return
    tokens = analyzer.tokens(tag)
    is_word = len(tokens) == 1 and tokens[0].kind == "word"
    yield (min(tokens[0].forms, key=lambda form: (len(form), form)) if is_word else tag), tag


def _name(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], len(name), name))


def _longest(found: Sequence[Common]) -> Iterator[Common]:
    """``found`` without pieces of a longer piece that the same memories have."""
    by_having: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for one in found:
        if _HAN.fullmatch(one.name):
            by_having[one.having].append(one.name)
    for one in found:
        others = by_having[one.having] if _HAN.fullmatch(one.name) else ()
        if not any(one.name != other and one.name in other for other in others):
            yield one
