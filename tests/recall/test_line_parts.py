from dataclasses import replace
from pathlib import Path

import pytest

from openclaw_memd.recall.drafts import Draft
from openclaw_memd.recall.line_parts import drop_repeats
from tests.recall.memory import open_memory
from tests.recall.test_selection import draft as make_draft


def has_word(text: str) -> bool:
    return "word" in text


def part(ordinal: int, text: str, *, edges: tuple[bool, bool] | None = None, worded: bool = True) -> Draft:
    made = make_draft("a", 0.5)
    edges = edges or (ordinal > 0, True)
    return replace(made, row=made.row._replace(ordinal=ordinal), lines=(text,), edges=edges, worded=worded)


def kept(*drafts: Draft) -> list[int]:
    return [draft.row.ordinal for draft in drop_repeats(drafts, has_word)]


def test_a_word_where_two_parts_overlap_shows_the_better_one_alone() -> None:
    assert kept(part(0, "abc word"), part(1, "word def")) == [0]
    assert kept(part(1, "word def"), part(0, "abc word")) == [1]


def test_a_part_that_has_a_word_elsewhere_too_stays() -> None:
    assert kept(part(0, "abc word"), part(1, "word def word")) == [0, 1]
    assert kept(part(1, "word def"), part(0, "word abc word")) == [1, 0]


def test_parts_that_do_not_overlap_stay() -> None:
    assert kept(part(0, "abc word"), part(1, "other word")) == [0, 1]
    assert kept(part(0, "abc word"), part(2, "word def")) == [0, 2]


def test_a_part_that_is_near_by_meaning_stays() -> None:
    assert kept(part(0, "abc tail"), part(1, "tail def", worded=False)) == [0, 1]


def test_whole_lines_stay() -> None:
    assert kept(part(0, "abc word", edges=(False, False)), part(1, "word def")) == [0, 1]


@pytest.mark.parametrize("before", [200, 260, 300, 340])
async def test_a_match_in_one_long_line_is_shown_once(tmp_path: Path, before: int) -> None:
    fields = [f'"k{number}":"v{number}"' for number in range(before)]
    rest = [f'"m{number}":{number}' for number in range(300)]
    line = "{" + ",".join([*fields, '"route":"blue-heron-19"', *rest]) + "}\n"
    async with open_memory(tmp_path, {"memory/min.md": line}, embedder=None) as memory:
        answer = await memory.find("blue-heron-19")

    assert [hit.text.count("blue-heron-19") for hit in answer.hits] == [1]
