import pytest

from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.recall.chunk_scores import LINE_SHARE, ChunkVectors

NOTE = "# Plan\n\n- one\n- two <!-- importance: 9 -->\n"
MOVED = "# Plan\n<!-- importance: 9 -->\n- one\n\n- two"


def test_chunks_of_the_same_text_have_the_same_lines() -> None:
    assert line_texts(NOTE) == line_texts(MOVED) == ["# Plan", "- one", "- two"]


@pytest.mark.parametrize("text", [NOTE, MOVED])
def test_each_line_gets_its_own_score_wherever_it_stands(text: str) -> None:
    vectors = ChunkVectors(0.3, [0.0, 0.5, 0.9])

    spread = dict(zip(text.split("\n"), vectors.spread(text.split("\n")), strict=True))

    rest = (1 - LINE_SHARE) * 0.3
    assert spread["# Plan"] == pytest.approx(rest)
    assert spread["- one"] == pytest.approx(rest + LINE_SHARE * 0.5)
    assert spread[next(line for line in spread if "two" in line)] == pytest.approx(rest + LINE_SHARE * 0.9)
    assert spread[""] == pytest.approx(rest)


@pytest.mark.parametrize("lines", [None, [0.1], [0.1, 0.2, 0.3, 0.4]])
def test_without_fitting_lines_the_whole_counts(lines: list[float] | None) -> None:
    assert ChunkVectors(0.3, lines).spread(NOTE.split("\n")) == [0.3] * 5
