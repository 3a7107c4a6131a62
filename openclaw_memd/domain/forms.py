"""Every form that one word, identifier or pictograph is found by."""

import re
from collections.abc import Iterable
from itertools import chain
from typing import Literal, NamedTuple

from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.identifiers import is_identifier, parse_compound
from openclaw_memd.domain.scripts import EMOJI_PATTERN, SKIN_TONES
from openclaw_memd.domain.stemming import Stems

FORM_LIMIT_CHARS = 100
"""Longer forms are cut, the same in index and query."""

_EMOJI = re.compile(EMOJI_PATTERN)


class Forms(NamedTuple):  # made for every new word, in a third of the time of a dataclass
    """The forms of one match of the grammar.

    ``exact`` stand for all of it, the whole first; ``every`` adds the forms of its parts. ``words`` are those
    of each word of an identifier that is not the whole of it, in full length.
    """

    kind: Literal["word", "identifier"]
    exact: tuple[str, ...]
    every: tuple[str, ...]
    words: tuple[tuple[str, ...], ...] = ()

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The forms of each word of an identifier, which only a query asks for."""
        return tuple(dict.fromkeys(map(_cut, self.words)))


def find_forms(text: str, stems: Stems) -> Forms:
    """The forms of one match of the grammar in normalised text; none at all for bare underscores."""
    if is_plain_word(text):
        forms = _cut(stems.forms(text))
        return Forms("word", forms, forms)
    if not text.isascii() and _EMOJI.match(text):
        forms = _cut((text, text.rstrip(SKIN_TONES)))
        return Forms("word", forms, forms)
    return _identifier_forms(text, stems) if is_identifier(text) else _word_forms(text, stems)


def is_plain_word(text: str) -> bool:
    """Whether ``text`` is letters only with no inner capitals: most words, with nothing to take apart."""
    return text.isalpha() and (text.islower() or text.istitle())


def _word_forms(text: str, stems: Stems) -> Forms:
    compound = parse_compound(text)
    exact = list(stems.forms(compound.whole))
    if compound.joined is not None:
        exact.append(fold(compound.joined))
        # What an apostrophe cuts off is no word of its own: l'eau, Anna's, and nothing in don't.
        if not exact[0].endswith("n't"):
            exact += stems.forms(max(compound.words, key=len))
    humps = [stems.forms(word) for word in compound.words if len(word) > 1]
    return Forms("word", _cut(exact), _cut(chain(exact, *humps)))


def _identifier_forms(text: str, stems: Stems) -> Forms:
    compound = parse_compound(text)
    exact = list(stems.forms(compound.whole) if compound.is_wordlike else (fold(compound.whole),))
    if compound.joined is not None:
        exact.append(fold(compound.joined))
    words = [stems.forms(word) for word in compound.words]
    every = _cut(chain(exact, map(fold, compound.tails), *words))
    others = tuple([forms for forms in words if forms and forms[0] != exact[0]])
    return Forms("identifier", _cut(exact), every, others)


def _cut(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([form[:FORM_LIMIT_CHARS] for form in forms if form]))
