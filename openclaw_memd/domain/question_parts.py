"""The parts of a question that are worth a search of their own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.stopwords import CHINESE_CHARACTERS, CHINESE_PHRASES, JAPANESE_PHRASES, LISTS
from openclaw_memd.domain.text import Analyzer

PART_WEIGHT: Final = 0.25
"""How much what a part finds counts beside what the whole question finds (tuned by ``benchmarks.deep``)."""

MOST_PARTS: Final = 8
MOST_NAMES: Final = 4
_LEAST_TERMS: Final = 2

_NAME = re.compile(r"(?<![\w'])[^\W\d_][\w-]{1,40}(?:'s\b)?")
_QUOTED = re.compile('["“„«「『‘]([^"“”„«»「」『』‘’\n]{2,80})["”“»」』’]')
_CLAUSE = re.compile(
    r"[,;:?!.，。；？！、]+\s|[，。；？！、]|\s(?:and|or|und|oder|y|o|e|ou|и|или)\s", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"'s$")

# What a question about a time says beside the time: it is about everything that happened then.
_EMPTY_WORDS: Final = frozenset(
    fold(word)
    for word in """
    discuss discussed talk talked happen happened happening decide decided work worked working done said up on
    go going hablamos hicimos pasó discutimos fizemos aconteceu falamos conversamos decidimos
    besprochen gemacht passiert geredet gesprochen los
    делали обсуждали говорили произошло случилось было решили
    했지 했어 얘기했지 있었지 있었어 했나요
    """.split()  # noqa: SIM905 - as long as it is, it reads better
)
_EMPTY_PHRASES: Final = (
    *sorted(CHINESE_PHRASES | JAPANESE_PHRASES, key=len, reverse=True),
    *("我們", "你們", "咱們", "讨论", "討論", "发生", "發生", "决定", "決定", "聊"),
    *("说", "說", "谈", "談", "做", "话", "話", "した", "決"),
)
_STOP_WORDS: Final = frozenset[str]().union(*LISTS.values())


@dataclass(frozen=True, slots=True)
class Part:
    """A query, and how much its finds count beside those of the whole question, which count 1."""

    text: str
    weight: float


def find_names(question: str) -> tuple[str, ...]:
    """The words of ``question`` that begin with a capital and say something, and what stands in quotation
    marks, each once, in order.
    """
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(question):
        found[match[1].strip()] = None
    for match in _NAME.finditer(question):
        name = _POSSESSIVE.sub("", match[0])
        if name[0].isupper() and fold(name) not in _STOP_WORDS:
            found[name] = None
    return tuple(found)[:MOST_NAMES]


def split_question(question: str, analyzer: Analyzer) -> tuple[Part, ...]:
    """The whole question first, then its parts.

    A part is the question without its names, the question with one of several names, a clause, or an
    identifier. One that asks for the same words as another comes once.
    """
    names = find_names(question)
    seen: set[tuple[object, ...]] = set()
    parts: list[Part] = []
    for part in _all_parts(question, names, analyzer):
        terms = tuple(analyzer.query_terms(part.text))
        if terms and terms not in seen:
            seen.add(terms)
            parts.append(part)
    return tuple(parts[:MOST_PARTS])


def is_topicless(question: str) -> bool:
    """Whether ``question`` has nothing that one could look for, such as "what did we talk about"."""
    rest = question
    for phrase in _EMPTY_PHRASES:
        rest = rest.replace(phrase, " ")
    return all(_says_nothing(word) for word in _WORD.findall(rest))


def _says_nothing(written: str) -> bool:
    word = fold(written)
    return word in _STOP_WORDS or word in _EMPTY_WORDS or all(char in CHINESE_CHARACTERS for char in word)


def _all_parts(question: str, names: tuple[str, ...], analyzer: Analyzer) -> Iterator[Part]:
    yield Part(question, 1.0)
    for term in analyzer.query_terms(question):
        if term.kind == "identifier":
            yield Part(term.forms[0], 1.0)
    if names:
        topic = _without(question, names)
        if not is_topicless(topic):
            yield Part(topic, PART_WEIGHT)
    if len(names) > 1:
        for name in names:
            yield Part(_without(question, [other for other in names if other != name]), PART_WEIGHT)
    clauses = [clause for clause in _CLAUSE.split(question) if clause]
    if len(clauses) > 1:
        for clause in clauses:
            if len(analyzer.query_terms(clause)) >= _LEAST_TERMS and not is_topicless(clause):
                yield Part(clause, PART_WEIGHT)


def _without(question: str, names: Iterable[str]) -> str:
    for name in names:
        question = re.sub(rf"(?<!\w){re.escape(name)}(?:'s)?(?!\w)", " ", question)
    return " ".join(question.split())
