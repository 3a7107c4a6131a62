from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain import traces
from openclaw_memd.domain.sketches import Sketch, near_duplicate_sketches
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import Trace, Traces, trace_text

ANALYZER = Analyzer()
WORDS = st.sampled_from(["gateway", "port", "7443", "not", "the", "on", "tea", "->", "<", "office"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


@given(st.lists(TEXTS, max_size=12), TEXTS)
def test_those_like_a_trace_are_found_as_by_comparing_with_each(texts: list[str], text: str) -> None:
    known = [trace_text(one, ANALYZER) for one in texts]
    asked = trace_text(text, ANALYZER)

    like = list(Traces(known).like(asked))

    distinct = {known.index(one) for one in known if asked.is_like(one)}
    assert {known.index(known[place]) for place in like} == distinct
    assert Traces(known).has_of(asked) == any(is_of(asked, one) for one in known)


def is_of(one: Trace, other: Trace) -> bool:
    """Whether the two say the same or are about the same."""
    return one.is_like(other) or (one.subject is not None and one.subject == other.subject)


def test_long_texts_that_differ_in_a_word_are_like_each_other() -> None:
    words = [f"word{chr(97 + i)}{chr(97 + j)}" for i in range(5) for j in range(10)]
    known = Traces([trace_text("something else", ANALYZER), trace_text(" ".join(words), ANALYZER)])
    for place in range(len(words)):
        changed = [*words[:place], "other", *words[place + 1 :]]
        assert list(known.like(trace_text(" ".join(changed), ANALYZER))) == [1]


def test_texts_of_the_same_pattern_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of such lines are what a machine writes: comparing each with each takes minutes."""
    compared: list[Sketch] = []

    def compare(one: Sketch, other: Sketch) -> bool:
        compared.append(other)
        return near_duplicate_sketches(one, other)

    monkeypatch.setattr(traces, "near_duplicate_sketches", compare)
    known = [trace_text(f"Entry {n} of the big file, word {n * 7}.", ANALYZER) for n in range(500)]
    held = Traces(known)
    assert all(list(held.like(one)) == [place] for place, one in enumerate(known))
    assert len(compared) <= len(known)


def test_texts_of_the_same_words_are_compared_with_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Sketch] = []

    def compare(_one: Sketch, other: Sketch) -> bool:
        compared.append(other)
        return False

    monkeypatch.setattr(traces, "near_duplicate_sketches", compare)
    same = trace_text("The office of Ana is open on Monday, and closed on Tuesday.", ANALYZER)
    held = Traces(replace(same, hash=n.to_bytes(2, "big")) for n in range(1_000))
    assert not held.has_like(replace(same, hash=b"another"))
    assert 0 < len(compared) <= 64
