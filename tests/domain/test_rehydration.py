"""A candidate is what its note says now, or nothing."""

import pytest

from openclaw_memd.domain.claims import claim_text
from openclaw_memd.domain.daily_claims import read_claims
from openclaw_memd.domain.rehydration import rehydrate

KEY = "Meter box key is under the blue pot."


def live(text: str, said: str, line: int = 1, end_line: int | None = None) -> tuple[str, int, int] | None:
    found = rehydrate(read_claims(text), said, line, end_line or line)
    return None if found is None else (found.text, found.start_line, found.end_line)


def test_a_moved_line_has_its_new_place_and_a_deleted_one_none() -> None:
    assert live(f"- {KEY}\n", KEY) == (KEY, 1, 1)
    assert live(f"- It rains today.\n- It snows today.\n\n- {KEY}\n", KEY) == (KEY, 4, 4)
    assert live("- It rains today.\n", KEY) is None
    assert live("", KEY) is None
    assert live(f"- {KEY}\n", "") is None


def test_a_changed_line_is_not_what_was_found() -> None:
    assert live("- Meter box key is under the red pot.\n", KEY) is None
    assert live(f"- It is not true that: {KEY}\n", KEY) is None
    assert live(f"- {KEY} No more since May.\n", KEY) is None


def test_of_equal_lines_the_nearest_counts() -> None:
    text = f"- {KEY}\n" + "- Something else is here.\n" * 5 + f"- {KEY}\n"
    assert live(text, KEY, 2) == (KEY, 1, 1)
    assert live(text, KEY, 6) == (KEY, 7, 7)


def test_items_that_were_one_snippet_are_joined() -> None:
    text = "# Home\n\n- The key is outside.\n- The pot is blue.\n"
    joined = "The key is outside.; The pot is blue."
    assert live(text, joined, 3, 4) == (joined, 3, 4)
    assert live(text, "The key is outside. The pot is blue.", 3, 4) == (joined, 3, 4)
    assert live(text, f"Home: {joined}", 3, 4) == (f"Home: {joined}", 3, 4)


@pytest.mark.parametrize(("old", "new"), [("Garden", "Allotment"), ("花园", "菜园")])
def test_a_renamed_heading_is_the_one_of_now(old: str, new: str) -> None:
    text = f"## {new}\n\n- {KEY}\n"
    assert live(text, f"{old}: {KEY}", 3) == (f"{new}: {KEY}", 3, 3)


def test_no_heading_is_invented_and_a_plain_one_never_comes_back() -> None:
    assert live(f"## Garden\n\n- {KEY}\n", KEY, 3) == (KEY, 3, 3)
    assert live(f"## Morning\n\n- {KEY}\n", f"Morning: {KEY}", 3) == (KEY, 3, 3)
    assert live(f"- {KEY}\n", f"Garden: {KEY}") == (KEY, 1, 1)


def test_a_cut_snippet_is_the_whole_line_again() -> None:
    whole = "The heating has a timer " + "that is set by hand every autumn " * 12 + "and by nobody else."
    assert live(f"- {whole}\n", whole[:280]) == (whole, 1, 1)
    assert live(f"- {whole}\n", whole[:277] + "...") == (whole, 1, 1)
    longer = whole * 3
    assert live(f"- {longer}\n", claim_text(longer)) == (longer, 1, 1)
    assert live(f"- {whole}\n", whole[:40]) is None, "a mere fragment"


@pytest.mark.parametrize("end", ["<!-- openclaw:dreaming:light:end -->\n", ""])
def test_what_dreaming_wrote_is_refused(end: str) -> None:
    block = f"## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- {KEY}\n- The pot is blue.\n{end}"
    assert live(f"# Day\n\n- It rains today.\n\n{block}", KEY, 7) is None
    assert live(f"{block}\n# Later\n\n- {KEY}\n", KEY, 3) is not None
    straddling = f"- {KEY}\n<!-- openclaw:dreaming:light:start -->\n- The pot is blue.\n{end}"
    assert live(straddling, f"{KEY}; The pot is blue.", 1, 3) is None


def test_comments_do_not_count() -> None:
    text = f"<!-- a note for people -->\n- {KEY} <!-- importance: 7 --> <!-- seen -->\n"
    found = rehydrate(read_claims(text), KEY, 1, 1)
    assert found is not None
    assert (found.text, found.annotations.importance) == (KEY, 7)
    assert live("<!-- only a comment, and a long one -->\n", "only a comment, and a long one") is None
