"""From what several searches found to the best passages of all of it.

Each line counts what the searches gave its passages and how many of the question's words it has itself, and
its neighbours count a little. The best lines are grown to passages again, from lines that stand together in
one place and have one provenance. What nobody vouches for is weighed apart: it moves nothing trusted.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.passages import PASSAGE_CHARS, Stretch, pick_passages
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.recall.types import Hit, cite

# Tuned by ``benchmarks.deep``.
WORDS_WEIGHT: Final = 1.0
NEIGHBOUR_SHARE: Final = 0.5
SPEAKER_BONUS: Final = 0.3
"""A line that somebody whom the question names has said."""

GROWN_CHARS: Final = 680
"""A little less than a hit may have, so that ten of them show no more text than those of a search."""

_LABEL_SIGNS: Final = "-*+> \t"
_CUT_CHARS: Final = PASSAGE_CHARS * 3 // 4
"""A hit of one line that is longer may be a part of it."""


@dataclass(frozen=True, slots=True)
class Finds:
    """What one search found, and how much that counts."""

    hits: tuple[Hit, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Asked:
    """The question in words: its terms, the weight of each of their forms, and the names in it.

    ``said`` is the message itself: where a session has it, it answers nothing.
    """

    terms: tuple[Term, ...]
    weights: Mapping[str, float]
    names: tuple[str, ...]
    said: str = ""


_Line = tuple[str, int]
_Kind = tuple[object, ...]


def weigh(finds: Sequence[Finds], asked: Asked, analyzer: Analyzer, limit: int) -> tuple[Hit, ...]:
    """The best ``limit`` passages: trusted ones that are no weak match, then the others.

    What nobody vouches for gets at most half of the places that are left, as long as weak trusted matches
    wait for them.
    """
    trusted = _passages(_only(finds, trusted=True), asked, analyzer, limit)
    untrusted = _passages(_only(finds, trusted=False), asked, analyzer, limit)
    strong = [hit for hit in trusted if not hit.weak]
    weak = [hit for hit in trusted if hit.weak]
    room = limit - len(strong)
    outside = untrusted[: room - min(len(weak), ceil(room / 2))]
    return (*strong, *outside, *weak[: room - len(outside)])


def best_line(hit: Hit, asked: Asked, analyzer: Analyzer) -> str:
    """The line of ``hit`` that has most of the question's words, without its annotations."""
    lines = strip_annotations(hit.text).split("\n")
    return max(lines, key=lambda line: _count_words(line, asked, analyzer)).lstrip(_LABEL_SIGNS)


def _only(finds: Iterable[Finds], *, trusted: bool) -> list[Finds]:
    chosen = [
        Finds(tuple(hit for hit in one.hits if is_trusted(hit.origin) is trusted), one.weight)
        for one in finds
    ]
    return [one for one in chosen if one.hits]


def _passages(finds: Sequence[Finds], asked: Asked, analyzer: Analyzer, limit: int) -> list[Hit]:
    found, owners, texts = _spread(finds, _squeeze(asked.said))
    if not texts:
        return []
    own = {line: _count_words(text, asked, analyzer) for line, text in texts.items()}
    most = max(own.values()) or 1.0
    scores = {
        line: (found[line] + WORDS_WEIGHT * (own[line] + NEIGHBOUR_SHARE * _beside(own, line)) / most)
        * (1 + SPEAKER_BONUS * _is_said_by(texts[line], asked.names))
        for line in texts
    }
    return _regrow(scores, owners, texts, limit)


def _spread(
    finds: Sequence[Finds], said: str
) -> tuple[dict[_Line, float], dict[_Line, Hit], dict[_Line, str]]:
    """For each line what the searches give it, the best hit that has it, and its text."""
    found: dict[_Line, float] = defaultdict(float)
    owners: dict[_Line, Hit] = {}
    texts: dict[_Line, str] = {}
    for one in finds:
        most = max(hit.score for hit in one.hits) or 1.0
        for hit in one.hits:
            for number, text in enumerate(hit.text.split("\n"), start=hit.start_line):
                line = (hit.path, number)
                if said and _squeeze(text.lstrip(_LABEL_SIGNS).removeprefix("User: ")) == said:
                    continue
                found[line] += one.weight * hit.score / most
                if line not in owners or _standing(hit) > _standing(owners[line]):
                    owners[line], texts[line] = hit, text
    return found, owners, texts


def _squeeze(text: str) -> str:
    return " ".join(text.casefold().split())


def _standing(hit: Hit) -> tuple[bool, bool, float]:
    return hit.exact, not hit.weak, hit.score


def _count_words(text: str, asked: Asked, analyzer: Analyzer) -> float:
    """The weight of the question's terms that ``text`` has.

    A word in the question's own form is rarer than its stem, and counts for more.
    """
    forms = frozenset(analyzer.index_terms(text))
    return sum(
        max((asked.weights[form] for form in term.forms if form in forms), default=0.0)
        for term in asked.terms
    )


def _beside(own: Mapping[_Line, float], line: _Line) -> float:
    path, number = line
    return own.get((path, number - 1), 0.0) + own.get((path, number + 1), 0.0)


def _is_said_by(text: str, names: Sequence[str]) -> bool:
    """Whether a line is labelled with one of the names, as in ``- Ada: yes``."""
    label, colon, _ = text.lstrip(_LABEL_SIGNS).partition(":")
    return bool(colon) and label.strip("* ").casefold() in {name.casefold() for name in names}


def _regrow(
    scores: Mapping[_Line, float], owners: Mapping[_Line, Hit], texts: Mapping[_Line, str], limit: int
) -> list[Hit]:
    runs: list[list[_Line]] = []
    for line in sorted(scores):
        path, number = line
        before = runs[-1][-1] if runs else None
        if before == (path, number - 1) and _joins(owners[before], owners[line]):
            runs[-1].append(line)
        else:
            runs.append([line])
    stretches = [
        Stretch(run[0][1], [texts[line] for line in run], [scores[line] for line in run], [True] * len(run))
        for run in runs
    ]
    hits: list[Hit] = []
    for passage in pick_passages(stretches, limit_chars=GROWN_CHARS):
        run = runs[passage.stretch][passage.first : passage.stop]
        best = owners[runs[passage.stretch][passage.best]]
        hits.append(
            replace(
                best,
                start_line=run[0][1],
                end_line=run[-1][1],
                text="\n".join(texts[line] for line in run),
                citation=cite(best.path, run[0][1], run[-1][1]),
                why=None,
            )
        )
        if len(hits) == limit:
            break
    return hits


def _joins(one: Hit, other: Hit) -> bool:
    """Whether lines of two hits may stand in one passage: all that a hit says must be true of both."""
    return _kind_of(one) == _kind_of(other) and not _may_be_cut(one) and not _may_be_cut(other)


def _kind_of(hit: Hit) -> _Kind:
    return (
        hit.origin,
        hit.session_kind,
        hit.observed_at,
        hit.importance,
        hit.triggers,
        hit.projects,
        hit.supersedes_key,
    )


def _may_be_cut(hit: Hit) -> bool:
    return hit.start_line == hit.end_line and len(hit.text) >= _CUT_CHARS
