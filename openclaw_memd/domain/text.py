"""Text analysis, one for index and query: what a full-text index stores and what a query asks for."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from openclaw_memd.domain.caching import BoundedCache
from openclaw_memd.domain.folding import align, fold, normalize
from openclaw_memd.domain.forms import FORM_LIMIT_CHARS, Forms, find_forms, is_plain_word
from openclaw_memd.domain.identifiers import (
    BLOB_CHARS,
    compound_pattern,
    cut_long,
    find_blobs,
    name_blob,
    url_pattern,
)
from openclaw_memd.domain.runs import index_pieces, query_pieces, split_units
from openclaw_memd.domain.scripts import EMOJI_PATTERN, MAY_BE_RUN, RUN_BODY, RUN_PATTERN
from openclaw_memd.domain.stemming import STEMMER_VERSION, Stems
from openclaw_memd.domain.stopwords import ACRONYMS, LISTS

ANALYSIS_VERSION = 3
"""Raised whenever the same text would give other forms."""

_CACHED_WORDS = 32_768
_CACHED_WORD_CHARS = 24
_FOREIGN_STOP_WORDS = 2

_WITHOUT_RUNS = re.compile(f"{url_pattern('')}|{compound_pattern('')}|{EMOJI_PATTERN}")
# ASCII signs that the grammar never takes into a word at its start or at its end.
_OPENING = "([{\"'*_`<>|,;:!?/~\\=^&"
_CLOSING = ")]}\"'*_`<>|,;:!?/~\\=^&."

TokenKind = Literal["word", "identifier", "run"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text and every form it is found by.

    ``text[start:end]`` is its source, in code points of the text as it was given. ``forms[0]`` is the whole,
    the others are spellings, stems and parts. A run of an unspaced script gives one token a piece: each
    overlapping pair of characters, then the last character alone.
    """

    start: int
    end: int
    forms: tuple[str, ...]
    kind: TokenKind


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query asks for.

    Any of ``forms`` is a match; with ``prefix`` also anything that begins with one. ``parts`` are the words
    of an identifier: weaker evidence, since ``CHG-48213`` is not every ``CHG``. A text that has all of them
    is worth showing where none has the identifier.
    """

    forms: tuple[str, ...]
    kind: TokenKind
    prefix: bool = False
    parts: tuple["Term", ...] = ()


class Analyzer:
    """Turns text into forms for a full-text index, and a query into terms over the same forms.

    Forms have no white space, no control character, no lone surrogate, no ``"`` and no ASCII capital. Every
    instance with the same ``identity`` gives the same forms for the same text.

    Raises:
        ValueError: for a language with no stemmer (see ``SUPPORTED_LANGUAGES``).
    """

    def __init__(self, languages: Sequence[str] = ("en",)) -> None:
        self._stems = Stems(languages)
        self.identity = (
            f"analysis {ANALYSIS_VERSION}, unicode {unicodedata.unidata_version}, "
            f"stemmer {STEMMER_VERSION}, {' '.join(self._stems.languages)}"
        )
        self._forms = BoundedCache(
            lambda match: find_forms(match, self._stems),
            limit_entries=_CACHED_WORDS,
            key_limit_chars=_CACHED_WORD_CHARS,
        )
        self._words = BoundedCache(
            self._analyse_between_blanks, limit_entries=_CACHED_WORDS, key_limit_chars=_CACHED_WORD_CHARS
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """What to make an analyzer of the same ``identity`` with."""
        return self._stems.languages

    def forget(self) -> None:
        """Drop what is remembered of words that were analysed: memory for speed, the other way round."""
        self._forms.clear()
        self._words.clear()

    def tokens(self, text: str) -> list[Token]:
        """The tokens of ``text`` in its order."""
        normalized = normalize(text)
        starts, ends = align(text, normalized)
        found: list[Token] = []
        for begin, source, is_run in _scan(normalized):
            start = begin
            if is_run:
                units = split_units(source)
                for unit, form in zip(units, index_pieces(units), strict=True):
                    found.append(Token(starts[start], ends[start + len(form) - 1], (form,), "run"))
                    start += len(unit)
            elif (forms := self._forms[source]).exact:
                found.append(Token(starts[start], ends[start + len(source) - 1], forms.every, forms.kind))
        return found

    def index_terms(self, text: str) -> list[str]:
        """Every form of every token in text order: what the index stores for ``text``."""
        return self.index_line(text).split()

    def index_line(self, text: str) -> str:
        """The index terms of ``text``, separated by one blank: the quick way to many of them."""
        # No token holds white space, so text is analysed between blanks and words that come again are free.
        return "".join(map(self._words.__getitem__, text.split())).rstrip()

    def index_lines(self, lines: Iterable[str]) -> list[str]:
        """``index_line`` of each of ``lines``: the quicker way to very many."""
        analyse = self._words.__getitem__
        return ["".join(map(analyse, line.split())).rstrip() for line in lines]

    def query_terms(self, query: str) -> list[Term]:
        """The distinct terms of ``query`` in its order, without stop words unless there is nothing else."""
        normalized = normalize(query)
        sources = list(_scan(normalized))
        stop_words = self._choose_stop_words(frozenset(fold(source.text) for source in sources))
        in_capitals = normalized.isupper()
        stop_by_term: dict[Term, bool] = {}
        for _, source, is_run in sources:
            if is_run:
                for piece in query_pieces(source):
                    stop_by_term.setdefault(Term((piece.form,), "run", piece.prefix), piece.stop)
            elif (forms := self._forms[source]).exact:
                stop = forms.exact[0] in stop_words and (in_capitals or source not in ACRONYMS)
                stop_by_term.setdefault(_make_term(forms), stop)
        return [term for term, stop in stop_by_term.items() if not stop] or list(stop_by_term)

    def _analyse_between_blanks(self, text: str) -> str:
        """The index terms of ``text``, each with a blank after it."""
        bare = text.lstrip(_OPENING).rstrip(_CLOSING)
        if bare.isascii() and is_plain_word(bare) and len(bare) <= FORM_LIMIT_CHARS:
            return " ".join((*self._stems.forms(bare), ""))
        found: list[str] = []
        normalized = normalize(text)
        if len(normalized) <= FORM_LIMIT_CHARS:  # nothing to cut
            found_in = _grammar_of(normalized).finditer(normalized)
            sources = [(match.group(), match.lastgroup == "run") for match in found_in]
        else:
            sources = [(source.text, source.is_run) for source in _scan(normalized)]
        for source, is_run in sources:
            if is_run:
                found += index_pieces(split_units(source))
            else:
                found += find_forms(source, self._stems).every  # the whole of this is remembered
        found.append("")
        return " ".join(found)

    def _choose_stop_words(self, words: frozenset[str]) -> frozenset[str]:
        """The stop words for a query of ``words``.

        A language that was not configured counts when the query has several of its function words, more than
        of the configured ones: one alone may well be a word of another language.
        """
        own = frozenset[str]().union(*(LISTS[code] for code in self._stems.languages if code in LISTS))
        foreign = (
            stop_words
            for stop_words in LISTS.values()
            if len((words & stop_words) - own) >= _FOREIGN_STOP_WORDS
            and len(words & stop_words) > len(words & own)
        )
        return own.union(*foreign)


class _Source(NamedTuple):
    """One piece of normalised text that has forms of its own, at ``start``."""

    start: int
    text: str
    is_run: bool


@cache
def _grammar_with_runs() -> re.Pattern[str]:
    """The whole grammar. It takes 20 ms to make, which most programs and most notes can do without."""
    return re.compile(
        f"(?P<run>{RUN_PATTERN})|{url_pattern(RUN_BODY)}|{compound_pattern(RUN_BODY)}|{EMOJI_PATTERN}"
    )


def _grammar_of(normalized: str) -> re.Pattern[str]:
    """The grammar for this text: it finds the same as the whole one."""
    return _grammar_with_runs() if MAY_BE_RUN.search(normalized) else _WITHOUT_RUNS


def _scan(normalized: str) -> Iterator[_Source]:
    """What the grammar finds in ``normalized``, in its order.

    What is too long for an identifier comes in plain pieces, and each blob of encoded bytes as one word of
    its first characters: it says nothing, and its pieces would outnumber the words of all notes.
    """
    grammar = _grammar_of(normalized)
    position = 0
    if len(normalized) >= BLOB_CHARS:
        for start, end in find_blobs(normalized):
            yield from _scan_words(grammar.finditer(normalized, position, start))
            yield _Source(start, name_blob(normalized[start:end])[:FORM_LIMIT_CHARS], is_run=False)
            position = end
    yield from _scan_words(grammar.finditer(normalized, position))


def _scan_words(matches: Iterator[re.Match[str]]) -> Iterator[_Source]:
    for match in matches:
        source = match.group()
        if match.lastgroup == "run":
            yield _Source(match.start(), source, is_run=True)
        elif len(source) <= FORM_LIMIT_CHARS or (pieces := cut_long(source)) is None:
            yield _Source(match.start(), source, is_run=False)
        else:
            for offset, piece in pieces:
                yield _Source(match.start() + offset, piece[:FORM_LIMIT_CHARS], is_run=False)


def _make_term(forms: Forms) -> Term:
    return Term(forms.exact, forms.kind, parts=tuple(Term(part, "word") for part in forms.parts))
