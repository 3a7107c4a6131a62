from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.trigger_index import PhraseHit, TriggerIndex, TriggerText
from tests.work import least_time

ANALYZER = Analyzer()
STEMS = Stems(ANALYZER.languages)

TEXTS = (
    TriggerText("Deploys", "- The blue script ships CHG-48213.", ("release time", "ship")),
    TriggerText("", "- 网关在 10.0.0.1", ("网关设置",)),
    TriggerText("", "- Anna is allergic to nuts.", ("dinner with Anna",)),
)


def index_of(*texts: TriggerText, before: TriggerIndex | None = None) -> TriggerIndex:
    return TriggerIndex(texts, ANALYZER, STEMS, before)


def relevance(message: str, texts: Sequence[TriggerText] = TEXTS) -> list[float]:
    index = index_of(*texts)
    return [index.relevance(index.terms(message), number) for number in range(len(texts))]


def test_each_entry_is_found_by_its_best_phrase() -> None:
    found = index_of(*TEXTS).match("What is the release time, and who cooks dinner with Anna? 帮我看网关设置")

    assert found == {
        0: PhraseHit(1.0, "release time"),
        1: PhraseHit(1.0, "网关设置"),
        2: PhraseHit(1.0, "dinner with Anna"),
    }
    assert index_of(*TEXTS).match("nothing of that") == {}


def test_relevance_is_what_a_search_would_say_of_the_text() -> None:
    assert relevance("blue script")[0] > relevance("blue script and a green one")[0] > 0.2
    assert relevance("blue script")[1:] == [0.0, 0.0]
    assert relevance("deploys")[0] > 0, "by its heading"
    assert relevance("10.0.0.1")[1] > 0
    assert relevance("48213")[0] > 0
    assert relevance("CHG-48213")[0] > relevance("CHG-48214")[0] > 0
    assert relevance("") == [0.0, 0.0, 0.0]
    assert relevance("关")[1] > 0


def test_relevance_does_not_depend_on_what_else_is_in_memory() -> None:
    alone = relevance("ship the release", TEXTS[:1])[0]

    assert relevance("ship the release", (TEXTS[0], *[TEXTS[0]] * 20))[0] == alone > 0


def test_entries_share_a_word_with_a_message_by_their_phrases_alone() -> None:
    index = index_of(*TEXTS)

    assert index.share_words(index.terms("dinners for two")) == {2}
    assert index.share_words(index.terms("网关坏了")) == {1}
    assert index.share_words(index.terms("the blue script")) == set()
    assert index.share_words(index.terms("with")) == set(), "what says nothing is no word"


def test_what_did_not_change_is_not_analysed_again() -> None:
    before = index_of(*TEXTS)
    changed = TriggerText("", "- Anna likes soup.", ("dinner with Anna",))

    after = index_of(TEXTS[0], changed, before=before)

    assert after.analysed[TEXTS[0]] is before.analysed[TEXTS[0]]
    assert set(after.analysed) == {TEXTS[0], changed}
    assert after.match("dinner with Anna") == {1: PhraseHit(1.0, "dinner with Anna")}


words = st.sampled_from(["ship", "release", "网关", "设置", "Anna", "blue", "CHG-1", "the"])
texts = st.lists(words, max_size=6).map(" ".join)


@given(
    st.lists(st.builds(TriggerText, texts, texts, st.lists(texts, max_size=3).map(tuple)), max_size=4), texts
)
def test_scores_are_between_nothing_and_all(entries: list[TriggerText], message: str) -> None:
    index = index_of(*entries)
    terms = index.terms(message)

    assert all(0.0 <= index.relevance(terms, number) <= 1.0 for number in range(len(entries)))
    assert all(0.0 < hit.score <= 1.0 for hit in index.match(message).values())
    assert set(index.match(message)) <= set(range(len(entries)))


def test_entries_that_share_no_word_with_a_message_cost_it_nothing() -> None:
    words = [f"w{number}x" for number in range(2_000)]
    entries = [
        TriggerText("", f"- {words[i]} {words[-i]} and more of it", (f"{words[i]} {words[i * 7 % 2000]}",))
        for i in range(1_000)
    ]
    others = [TriggerText("", f"- q{i}z and y{i}z", (f"q{i}z y{i}z",)) for i in range(10_000)]
    message = " ".join(words)[-4_096:]

    def cost_s(index: TriggerIndex) -> float:
        index.match(message)
        return least_time(lambda _: [index.match(message) for _ in range(4)], 1)

    assert cost_s(index_of(*entries, *others)) < 5 * cost_s(index_of(*entries))  # a scan: eleven times
