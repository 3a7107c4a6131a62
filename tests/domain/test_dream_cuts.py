"""Pages of dreams without what is forgotten."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.dream_cuts import count_gone, cut_page, cut_report
from openclaw_memd.domain.dream_pages import DiaryEntry, add_entry, format_when, put_block, read_diary

WHEN = format_when(datetime(2026, 1, 11, 3, tzinfo=UTC), "UTC")
BODY = "- Candidate: the key is red.\n  - recalls: 3\n- Candidate: it rains.\n  - recalls: 1"


def page() -> str:
    text = put_block("# Mine\n\n- the key is red, say I\n", "light", BODY)
    for run, said in (("r1", "I saw a red key."), ("r2", "It rained.")):
        text = add_entry(text, DiaryEntry(WHEN, said, run))
    return text


def takes(text: str) -> bool:
    return "key" in text


def test_items_and_entries_go_whole_and_what_people_wrote_is_not_ours() -> None:
    left = cut_page(page(), takes, lambda text: text)
    assert "- the key is red, say I\n" in left
    assert "- Candidate: it rains.\n  - recalls: 1\n" in left
    assert "recalls: 3" not in left
    assert [entry.text for entry in read_diary(left)] == ["It rained."]
    assert count_gone(page(), left) == 6
    assert cut_page(page(), takes, lambda _text: "").count("say I") == 0


def test_a_report_keeps_its_headings() -> None:
    report = "# The key\n\n- Candidate: the key is red.\n  - recalls: 3\n\n### Keys\n\n- It rains.\n"
    assert cut_report(report, takes) == "# The key\n\n\n### Keys\n\n- It rains.\n"


@given(st.lists(st.sampled_from(page().splitlines(keepends=True))).map("".join))
def test_marks_always_stay_and_nothing_goes_unless_it_is_taken(text: str) -> None:
    assert cut_page(text, lambda _text: False, lambda other: other) == text
    left = cut_page(text, lambda _text: True, lambda _other: "")
    assert left.count("openclaw:dreaming") == text.count("openclaw:dreaming")
    assert "key" not in left
