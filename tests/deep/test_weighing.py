from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.deep.types import MOST_HITS
from openclaw_memd.deep.weighing import GROWN_CHARS, Asked, Finds, best_line, weigh
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.recall.types import Hit
from tests.deep.hits import make_hit

ANALYZER = Analyzer()


def ask(question: str, *names: str) -> Asked:
    terms = tuple(ANALYZER.query_terms(question))
    return Asked(terms, {form: 1.0 for term in terms for form in term.forms}, names)


def weighed(question: str, *finds: Finds, names: tuple[str, ...] = (), limit: int = MOST_HITS) -> list[Hit]:
    return list(weigh(finds, ask(question, *names), ANALYZER, limit))


def found(*hits: Hit, weight: float = 1.0) -> Finds:
    return Finds(hits, weight)


def test_what_several_searches_find_comes_first() -> None:
    left = make_hit("- a boat", path="memory/a.md")
    right = make_hit("- a ship", path="memory/b.md")

    hits = weighed("train", found(left, right), found(right, weight=0.5))

    assert [hit.path for hit in hits] == ["memory/b.md", "memory/a.md"]


def test_a_line_with_the_questions_words_comes_first() -> None:
    plain = make_hit("- nothing here", path="memory/a.md", score=0.5)
    worded = make_hit("- the gateway port", path="memory/b.md", score=0.4)

    assert weighed("gateway port", found(plain, worded))[0].path == "memory/b.md"


def test_what_a_named_person_said_comes_first() -> None:
    other = make_hit("- Ben: the canoe is red", path="memory/a.md")
    named = make_hit("- Ada: the canoe is red", path="memory/b.md")

    assert weighed("Ada canoe", found(other, named), names=("Ada",))[0].path == "memory/b.md"


def test_lines_that_stand_together_become_one_passage() -> None:
    first = make_hit("- red canoe\n- green kayak", start_line=3)
    second = make_hit("- green kayak\n- blue boat", start_line=4)

    (hit,) = weighed("kayak", found(first), found(second))

    assert (hit.start_line, hit.end_line) == (3, 5)
    assert hit.text == "- red canoe\n- green kayak\n- blue boat"
    assert hit.citation == "memory/2026-01-11.md#L3-L5"


@pytest.mark.parametrize("other", [{"origin": Origin.OWNER}, {"importance": 9}, {"path": "memory/x.md"}])
def test_lines_with_another_story_stay_apart(other: dict[str, object]) -> None:
    first = make_hit("- red canoe", start_line=3)
    second = make_hit("- red kayak", start_line=4, **other)  # type: ignore[arg-type]

    assert len(weighed("red", found(first, second))) == 2


def test_a_part_of_a_line_joins_nothing() -> None:
    part = make_hit("x" * 600, start_line=3)

    assert len(weighed("red", found(part, make_hit("- red", start_line=4)))) == 2


def test_trusted_comes_before_untrusted_and_weak_ones_share_the_rest() -> None:
    strong = make_hit("- red one", path="memory/a.md")
    weak = [make_hit("- red", path=f"memory/weak{number}.md", weak=True) for number in range(4)]
    outside = [
        make_hit("- red red", path=f"imports/{number}.md", origin=Origin.UNTRUSTED, score=1.0)
        for number in range(4)
    ]

    hits = weighed("red", found(*outside, *weak, strong), limit=5)

    assert hits[0].path == "memory/a.md"
    assert [hit.origin for hit in hits[1:3]] == [Origin.UNTRUSTED] * 2
    assert all(hit.weak for hit in hits[3:])
    assert len(hits) == 5


TEXTS = st.lists(
    st.sampled_from(["- red canoe", "- Ada: yes", "- blue", "", "x" * 90]), min_size=1, max_size=6
)
HITS = st.builds(
    lambda lines, path, line, score, weak: make_hit(
        "\n".join(lines), path=f"memory/{path}.md", start_line=line * 10 + 1, score=score, weak=weak
    ),
    TEXTS,
    st.integers(0, 4),
    st.integers(0, 5),
    st.floats(0, 1),
    st.booleans(),
)
FINDS = st.lists(
    st.builds(Finds, st.lists(HITS, min_size=1, max_size=6).map(tuple), st.floats(0, 1)), max_size=4
)


@given(FINDS)
def test_passages_are_few_short_and_apart(finds: list[Finds]) -> None:
    hits = weighed("red canoe", *finds, names=("Ada",))

    assert len(hits) <= MOST_HITS
    shown: set[tuple[str, int]] = set()
    for hit in hits:
        lines = {(hit.path, number) for number in range(hit.start_line, hit.end_line + 1)}
        assert hit.text.count("\n") == hit.end_line - hit.start_line
        assert len(hit.text) <= GROWN_CHARS or hit.start_line == hit.end_line
        assert not lines & shown
        shown |= lines


@given(FINDS, st.lists(HITS, max_size=5))
def test_what_nobody_vouches_for_moves_nothing_trusted(finds: list[Finds], outside: list[Hit]) -> None:
    more = Finds(tuple(replace(hit, origin=Origin.UNTRUSTED) for hit in outside), 1.0)

    without = weighed("red canoe", *finds, limit=1_000)
    with_more = weighed("red canoe", more, *finds, limit=1_000)

    assert [hit for hit in with_more if hit.origin is Origin.AGENT] == without


def test_the_best_line_has_most_of_the_words() -> None:
    hit = make_hit("- a boat\n- the red canoe\n- the red boat")

    assert best_line(hit, ask("red canoe"), ANALYZER) == "the red canoe"


def test_the_message_itself_answers_nothing() -> None:
    session = make_hit("User: the  port?\nAssistant: it is 18789", path="sessions/main/s1")
    asked = replace(ask("the port"), said="The port?")

    (hit,) = weigh([found(session)], asked, ANALYZER, MOST_HITS)

    assert (hit.text, hit.start_line) == ("Assistant: it is 18789", 4)
    assert weigh([found(make_hit("- the port?"))], asked, ANALYZER, MOST_HITS) == ()
