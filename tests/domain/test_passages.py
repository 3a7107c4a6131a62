import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.passages import PASSAGE_CHARS, Stretch, cut_around, pick_passages, smooth

lines = st.lists(st.integers(0, 900).map(lambda size: "x" * size), min_size=1, max_size=20)


@st.composite
def stretches(draw: st.DrawFn) -> list[Stretch]:
    texts = draw(st.lists(lines, min_size=1, max_size=4))
    return [
        Stretch(
            1,
            text,
            draw(st.lists(st.floats(0, 1), min_size=len(text), max_size=len(text))),
            draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text))),
        )
        for text in texts
    ]


@given(stretches())
def test_passages_are_whole_lines_that_fit_or_one_line_and_never_overlap(given_: list[Stretch]) -> None:
    taken: set[tuple[int, int]] = set()
    last = 1.0
    for passage in pick_passages(given_):
        place = given_[passage.stretch]
        shown = place.lines[passage.first : passage.stop]
        assert passage.first <= passage.best < passage.stop
        assert place.begins[passage.best]
        assert passage.score == place.scores[passage.best] <= last
        assert len(shown) == 1 or len("\n".join(shown)) <= PASSAGE_CHARS
        assert shown[0].strip()
        assert shown[-1].strip()
        inner = {(passage.stretch, line) for line in range(passage.first, passage.stop)}
        assert not inner & taken
        taken |= inner
        last = passage.score


@given(stretches())
def test_every_line_with_a_score_that_may_begin_one_is_in_a_passage(given_: list[Stretch]) -> None:
    shown = {
        (passage.stretch, line)
        for passage in pick_passages(given_)
        for line in range(passage.first, passage.stop)
    }

    for number, place in enumerate(given_):
        for line, score in enumerate(place.scores):
            begins = score > 0 and place.begins[line] and bool(place.lines[line].strip())
            assert not begins or (number, line) in shown


def test_a_passage_grows_to_its_better_side() -> None:
    half = "x" * 340
    (first, *_) = pick_passages([Stretch(1, [half, half, half], [0.2, 0.9, 0.3], [True] * 3)])

    assert (first.first, first.stop) == (1, 3)


def test_a_line_alone_keeps_its_score() -> None:
    assert smooth([0.8]) == [pytest.approx(0.8)]
    assert smooth([]) == []


@given(st.lists(st.floats(0, 1), min_size=1))
def test_smoothing_stays_within_the_scores(scores: list[float]) -> None:
    smoothed = smooth(scores)

    assert len(smoothed) == len(scores)
    assert min(scores) - 1e-9 <= min(smoothed)
    assert max(smoothed) <= max(scores) + 1e-9


def test_neighbours_lift_a_line() -> None:
    low, high, _ = smooth([0.1, 0.1, 0.9])

    assert high > low


@given(st.text(alphabet="ab ", min_size=1, max_size=3_000), st.data())
def test_a_cut_is_a_slice_around_its_position(line: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(line) - 1))
    cut = cut_around(line, position)

    assert len(cut) <= PASSAGE_CHARS
    assert cut in line
    assert cut == line or len(cut) > PASSAGE_CHARS // 2


def test_a_cut_keeps_the_match_and_ends_between_words() -> None:
    words = [f"word{number}" for number in range(400)]
    line = " ".join(words)
    cut = cut_around(line, line.index("word200"))

    assert "word200" in cut
    assert cut.split(" ")[0] in words
    assert cut.split(" ")[-1] in words
