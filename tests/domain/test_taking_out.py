"""Entries go, and nothing else changes what it is."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.taking_out import take_out
from tests.domain.strategies import notes, patient


def test_neighbours_do_not_become_one() -> None:
    text = "One paragraph.\n- an item\n\nAnother.\n"
    assert take_out("a\n- b\nc\n", lambda entry: entry.text.startswith("- b"))[0] == "a\n"
    new, gone = take_out(text, lambda entry: entry.kind == "item")
    assert new == "One paragraph.\n\nAnother.\n"
    assert [entry.text for entry in gone] == ["- an item"]
    new, _ = take_out("Above.\n\n```\ncode\n```\nBelow.\n", lambda entry: entry.kind == "code")
    assert [entry.text for entry in parse_entries(new)] == ["Above.", "Below."]


def test_the_heading_of_a_generated_section_goes_with_its_last_entry() -> None:
    text = "# Mine\n\n- a\n\n## Promoted (2026-01-12)\n\n- b\n- c\n\n## Empty before\n\n## Later\n\n- d\n"
    assert take_out(text, lambda entry: entry.text == "- b")[0] == text.replace("- b\n", "")
    new, _ = take_out(text, lambda entry: entry.text in ("- b", "- c", "- d"))
    assert new == "# Mine\n\n- a\n\n\n## Empty before\n\n## Later\n\n"


@patient
@given(notes, st.sets(st.integers(0, 12)))
def test_lines_of_others_stay_in_order(text: str, taken: set[int]) -> None:
    entries = parse_entries(text)
    starts = {entry.start_line for index, entry in enumerate(entries) if index in taken}
    new, gone = take_out(text, lambda entry: entry.start_line in starts)
    assert [entry.start_line for entry in gone] == sorted(starts)
    lines = {line for entry in gone for line in range(entry.start_line, entry.end_line + 1)}
    kept = [line for number, line in enumerate(text.split("\n"), 1) if number not in lines and line.strip()]
    assert [line for line in new.split("\n") if line.strip()] == kept
