"""DREAMS.md as text."""

import re
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.dream_pages import (
    DiaryEntry,
    add_entry,
    drop_entries,
    format_when,
    put_block,
    put_report,
    read_diary,
)

START, END = "<!-- openclaw:dreaming:deep:start -->", "<!-- openclaw:dreaming:deep:end -->"
ENTRY = DiaryEntry("April 11, 2026 at 3:00 AM UTC", "I dreamt.", "r1")


def test_a_block_is_made_and_then_replaced() -> None:
    first = put_block("# Mine\n", "deep", "one")
    second = put_block(first, "deep", "two")

    assert first == f"# Mine\n\n## Deep Sleep\n\n{START}\none\n{END}\n"
    assert second == first.replace("one", "two")
    assert put_block(second, "deep", "two") == second


def test_later_blocks_of_the_phase_go_and_what_people_wrote_stays() -> None:
    text = f"a\n\n{START}\nx\n{END}\nmine\n\n## Deep Sleep\n{START}\ny\n{END}\nlast"

    assert put_block(text, "deep", "z") == f"a\n\n## Deep Sleep\n\n{START}\nz\n{END}\nmine\n\nlast"


def test_a_block_without_an_end_swallows_nothing() -> None:
    text = f"{START}\nmine\n"

    assert put_block(text, "deep", "z").startswith(text)


def test_blocks_of_other_phases_stay() -> None:
    text = put_block(put_block("", "light", "l"), "rem", "r")

    assert put_block(text, "deep", "d").startswith(text)


def test_line_ends_are_those_of_the_file() -> None:
    text = put_block("a\r\nb\r\n", "light", "x\ny")

    assert "\n" not in text.replace("\r\n", "")
    assert put_block(text, "light", "x\ny") == text


def test_the_diary_comes_first_and_grows_at_its_end() -> None:
    text = add_entry("\ufeffMine.\n", ENTRY)
    later = add_entry(text, DiaryEntry("April 12, 2026 at 3:00 AM UTC", "Again.", "r2"))

    assert text.startswith("\ufeff# Dream Diary\n")
    assert later.endswith("Mine.\n")
    assert [entry.run_id for entry in read_diary(later)] == ["r1", "r2"]
    assert read_diary(later)[0] == ENTRY
    assert add_entry(later, ENTRY) == later  # a run writes once


def test_a_diary_of_openclaw_is_gone_on_with() -> None:
    text = (
        "# Dream Diary\n\n<!-- openclaw:dreaming:diary:start -->\n---\n\n*March 2, 2026 at 3:00 AM UTC*\n\n"
        "A lake.\n\n<!-- openclaw:dreaming:diary:end -->\n\nMine.\n"
    )
    found = read_diary(add_entry(text, ENTRY))

    assert [(entry.day, entry.run_id) for entry in found] == [
        (date(2026, 3, 2), None),
        (date(2026, 4, 11), "r1"),
    ]


def test_a_diary_without_an_end_gets_one() -> None:
    text = add_entry("<!-- openclaw:dreaming:diary:start -->\nmine\n", ENTRY)

    assert read_diary(text) == [ENTRY]
    assert text.endswith("<!-- openclaw:dreaming:diary:end -->\nmine\n")


def test_when() -> None:
    assert format_when(datetime(2026, 4, 11, 0, 5, tzinfo=UTC), "UTC") == "April 11, 2026 at 12:05 AM UTC"
    assert format_when(datetime(2026, 4, 11, 15, 30, tzinfo=UTC), "UTC") == "April 11, 2026 at 3:30 PM UTC"
    assert DiaryEntry("February 30, 2026", "", None).day is None


def test_entries_of_some_runs_go_from_the_diary() -> None:
    text = "Mine.\n"
    for run_id in ("r1", "r2", "r3"):
        text = add_entry(text, DiaryEntry("April 11, 2026 at 3:00 AM UTC", f"Told by {run_id}.", run_id))

    for gone in ("r1", "r2", "r3"):
        left = drop_entries(text, [gone])
        assert [entry.run_id for entry in read_diary(left)] == [r for r in ("r1", "r2", "r3") if r != gone]
        assert left.endswith("<!-- openclaw:dreaming:diary:end -->\n\nMine.\n")
    assert drop_entries(text, ["r"]) == text


@given(st.text(st.sampled_from("ab\n \r-#<!>*\udc80\ufeff"), max_size=60))
def test_what_people_wrote_is_kept_byte_for_byte(text: str) -> None:
    """Without our marks in it, their text is in the new one as it was, but for a line end at its end."""
    page = add_entry(put_block(text, "deep", "body"), ENTRY)

    assert text.removeprefix("\ufeff") in page
    assert put_block(page, "deep", "body") == page


def test_a_second_run_of_a_day_goes_below_the_first() -> None:
    first = put_report("", "light", "r1", "- one")
    both = put_report(first, "light", "r2", "- two\n- three")

    assert first == "# Light Sleep\n\n<!-- memd:dream r1 -->\n- one\n"
    assert both == f"{first}\n---\n\n<!-- memd:dream r2 -->\n- two\n- three\n"
    assert put_report(both, "light", "r1", "- other") == both.replace("- one", "- other")
    assert put_report(both, "light", "r2", "- other") == both.replace("- two\n- three", "- other")
    assert put_report(both, "light", "r3", "- two\n- three") == both, "a run that goes on says nothing twice"
    assert put_report("# Light Sleep\n\n- of an older version\n", "light", "r1", "- one") == (
        "# Light Sleep\n\n- of an older version\n\n---\n\n<!-- memd:dream r1 -->\n- one\n"
    )


@given(
    st.lists(st.tuples(st.sampled_from(["r1", "r2", "r3"]), st.sampled_from(["- a", "- b\n\n---\n- c", "-"])))
)
def test_every_run_of_a_day_is_kept(runs: list[tuple[str, str]]) -> None:
    text = ""
    for run_id, body in runs:
        text = put_report(text, "rem", run_id, body)
        assert body in text
        assert put_report(text, "rem", run_id, body) == text
    assert text.count("# REM Sleep") == bool(runs)


_MARKS = (
    START,
    END,
    f" {START}\t",
    f"{END} \r",
    "## Deep Sleep",
    "##  Deep Sleep\t",
    "",
    " ",
    "mine",
    f"x {START}",
)


@given(st.lists(st.sampled_from(_MARKS), max_size=14), st.sampled_from(["", "\n"]))
def test_blocks_are_found_as_by_a_pattern_over_all_of_the_text(lines: list[str], last: str) -> None:
    text = "\n".join([*lines, *[""] * 3 * sum("\r" in line for line in lines)]) + last  # most end plainly
    inner = rf"(?:(?!^[ \t]*{START})[^\n]*\n)*?"
    pattern = re.compile(
        r"(?:^##[ \t]+Deep Sleep[ \t]*\r?\n(?:[ \t]*\r?\n)?)?"
        rf"^[ \t]*{START}[ \t]*\r?\n{inner}^[ \t]*{END}[ \t]*(?:\r?\n|\Z)",
        re.MULTILINE,
    )
    block = f"## Deep Sleep\n\n{START}\nnew\n{END}\n"
    first, *rest = pattern.split(text)
    made = put_block(text, "deep", "new")
    if rest:
        assert made == first + block + "".join(rest)
    else:
        assert (made.startswith(text), made.endswith(block)) == (True, True)
        assert made[len(text) : -len(block)].strip() == ""
