"""The curated entries that have triggers, held such that a message finds its own quickly. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from openclaw_memd.domain.scoring import saturate, score_text
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.domain.triggers import Phrases

TOPIC_CHARS: Final = 1_024
"""How much of the end of a message tells what it is about."""


@dataclass(frozen=True, slots=True)
class TriggerText:
    """An entry: the headings that it stands under, its visible text, and its trigger phrases."""

    heading: str
    text: str
    phrases: tuple[str, ...]

    @property
    def whole(self) -> str:
        """What is embedded of it."""
        return f"{self.text} {'; '.join(self.phrases)}"


class PhraseHit(NamedTuple):
    """The best phrase of an entry, by words: its score, 0..1."""

    score: float
    phrase: str


class _Analysed(NamedTuple):
    """How often an entry has each form, its phrases among its text, and the forms of its phrases.

    ``row`` has all its forms, each with a blank before it.
    """

    forms: Mapping[str, int]
    row: str
    phrase_forms: frozenset[str]

    def weigh(self, term: Term) -> float:
        """How often the entry has ``term``; a part of an identifier counts for its share of it."""
        if term.prefix:
            return float(any(f" {form}" in self.row for form in term.forms))
        found = max([self.forms.get(form, 0) for form in term.forms])
        if found or not term.parts:
            return found
        return sum(map(self.weigh, term.parts)) / len(term.parts)


class TriggerIndex:
    """``texts`` by their words; an entry is known by its number.

    ``before`` is an index of what they were: what did not change is not analysed again.
    """

    def __init__(
        self,
        texts: Sequence[TriggerText],
        analyzer: Analyzer,
        stems: Stems,
        before: "TriggerIndex | None" = None,
    ) -> None:
        known: Mapping[TriggerText, _Analysed] = {} if before is None else before.analysed
        self._analyzer = analyzer
        self._texts = texts
        self.analysed: Mapping[TriggerText, _Analysed] = {
            text: known.get(text) or _analyse(text, analyzer) for text in texts
        }
        self._phrases = [(number, phrase) for number, text in enumerate(texts) for phrase in text.phrases]
        self._matcher = Phrases([phrase for _, phrase in self._phrases], stems)
        self._with_phrase_form: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            for form in self.analysed[text].phrase_forms:
                self._with_phrase_form.setdefault(form, []).append(number)

    def match(self, message: str) -> Mapping[int, PhraseHit]:
        """The best phrase of each entry that has a word of ``message`` in one."""
        best: dict[int, PhraseHit] = {}
        for place, score in self._matcher.match(message).items():
            number, phrase = self._phrases[place]
            if number not in best or score > best[number].score:
                best[number] = PhraseHit(score, phrase)
        return best

    def terms(self, message: str) -> Sequence[Term]:
        """What ``message`` is about, as a search would have it: its words without function words."""
        return self._analyzer.query_terms(message[-TOPIC_CHARS:])

    def share_words(self, terms: Sequence[Term]) -> frozenset[int]:
        """The entries that have any of ``terms`` in a phrase, if only as a pair of characters of a run."""
        forms = {form for term in terms for form in term.forms}
        return frozenset(number for form in forms for number in self._with_phrase_form.get(form, ()))

    def relevance(self, terms: Sequence[Term], number: int) -> float:
        """How relevant the entry ``number`` is for a message of ``terms``, 0..1.

        It is the text score of a search where all words weigh the same: what else is in memory, and who
        wrote it, makes no difference. The phrases are part of an entry, as in the index.
        """
        entry = self.analysed[self._texts[number]]
        found = sum(saturate(count, 0.0) for term in terms if (count := entry.weigh(term)))
        return score_text(found / len(terms)) if terms else 0.0


def _analyse(text: TriggerText, analyzer: Analyzer) -> _Analysed:
    forms = Counter(analyzer.index_line(f"{text.heading} {text.text}").split())
    for phrase in text.phrases:
        forms.update(analyzer.index_line(phrase).split())
    terms = (term for phrase in text.phrases for term in analyzer.query_terms(phrase))
    said = frozenset(form for term in terms for form in term.forms)
    return _Analysed(forms, "".join(f" {form}" for form in forms), said)
