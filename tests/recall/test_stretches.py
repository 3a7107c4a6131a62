from datetime import date

import pytest

from openclaw_memd.domain.matching import AnalysedText, TextMatch
from openclaw_memd.domain.provenance import Origin, Tier
from openclaw_memd.recall.chunk_scores import ScoredChunk
from openclaw_memd.recall.stretches import join_chunks
from tests.recall.test_selection import draft

ROW = draft("day", 0.5).row


def chunk(
    ordinal: int,
    start_line: int,
    *lines: str,
    score: float = 0.1,
    path: str = "memory/day.md",
    **facts: object,
) -> ScoredChunk:
    row = ROW._replace(ordinal=ordinal, start_line=start_line, path=path, **facts)  # type: ignore[arg-type]
    text = AnalysedText(lines, lines, context="")
    scores = [score] * len(lines)
    return ScoredChunk(row, text, TextMatch((), (), ()), None, {}, scores, scores)


def test_overlapping_chunks_become_one_run_with_the_better_scores() -> None:
    (joined,) = join_chunks([chunk(1, 2, "b", "c", score=0.9), chunk(0, 1, "a", "b")])

    assert joined.lines == ["a", "b", "c"]
    assert joined.scores == [0.1, 0.9, 0.9]
    assert joined.owners == [(1, 0), (0, 0), (0, 1)]
    assert joined.start_line == 1


def test_adjacent_chunks_join_and_others_do_not() -> None:
    joined = join_chunks([chunk(0, 1, "a"), chunk(1, 2, "b"), chunk(3, 9, "c"), chunk(4, 12, "d")])

    assert [one.lines for one in joined] == [["a", "b"], ["c"], ["d"]]


def test_a_line_that_one_chunk_has_in_part_is_taken_from_the_other() -> None:
    (front,) = join_chunks([chunk(0, 1, "a", "whole line"), chunk(1, 2, "line", "b")])
    (back,) = join_chunks([chunk(0, 1, "a", "who"), chunk(1, 2, "whole line", "b")])

    assert front.lines == back.lines == ["a", "whole line", "b"]


def test_the_first_chunk_tells_whether_the_start_is_cut_and_the_last_one_the_end() -> None:
    front, middle = chunk(0, 1, "a", "b", cut_start=True), chunk(1, 2, "b", "c", cut_start=True)
    (joined,) = join_chunks([front, middle])
    (cut,) = join_chunks([front, chunk(1, 2, "b", "c", cut_end=True)])
    (whole,) = join_chunks([chunk(0, 1, "a", "b", cut_end=True), chunk(1, 2, "b", "c")])

    assert (joined.cut_start, joined.cut_end) == (True, False)
    assert (cut.cut_start, cut.cut_end) == (True, True)
    assert (whole.cut_start, whole.cut_end) == (False, False)


def test_a_chunk_that_adds_nothing_does_not_make_a_cut_end_whole() -> None:
    (joined,) = join_chunks([chunk(0, 1, "a", "b", cut_end=True), chunk(1, 2, "b")])

    assert joined.cut_end


def test_pieces_of_one_endless_line_stay_apart() -> None:
    joined = join_chunks([chunk(0, 1, "abcdef"), chunk(1, 1, "efghij")])

    assert [one.lines for one in joined] == [["abcdef"], ["efghij"]]


@pytest.mark.parametrize(
    "facts",
    [
        {"tier": Tier.CURATED},
        {"importance": 3},
        {"triggers": ("x",)},
        {"projects": ("a",)},
        {"origin": Origin.UNTRUSTED},
        {"observed_on": date(2026, 1, 1)},
        {"path": "memory/other.md"},
        {"status": "active"},
        {"supersedes_key": "k"},
    ],
)
def test_chunks_that_differ_in_what_they_are_stay_apart(facts: dict[str, object]) -> None:
    assert len(join_chunks([chunk(0, 1, "a"), chunk(1, 2, "b", **facts)])) == 2  # type: ignore[arg-type]
