"""Entries about old notes in the diary: put in their place, replaced as a whole, taken out exactly."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.backfill_pages import BackfillEntry, count_entries, drop_entries, put_entries
from openclaw_memd.domain.dream_pages import DiaryEntry, add_entry, open_diary, put_block, read_diary

DAY = date(2025, 3, 4)
NOTE = "memory/2025-03-04.md"
BODY = "## What Happened\n\n- The gateway listens on port 9400. [memory/2025-03-04.md:1]"
NIGHT = DiaryEntry("April 11, 2026 at 3:00 AM UTC", "I walked through the cabin.", "run-1")
START = "<!-- openclaw:dreaming:diary:start -->"
END = "<!-- openclaw:dreaming:diary:end -->"
OPENCLAWS = (
    "---\n\n*March 1, 2025*\n\n"
    "<!-- openclaw:dreaming:backfill-entry day=2025-03-01 source=memory/2025-03-01.md -->\n"
    "## What Happened\n\n- Somebody else's. [memory/2025-03-01.md:1]\n\n"
)


def everything(_day: date, _source: str) -> bool:
    return True


def entry(number: int = 0, source: str = NOTE, body: str = BODY) -> BackfillEntry:
    return BackfillEntry(DAY + timedelta(days=number), source, body)


def put(text: str, *entries: BackfillEntry) -> str:
    return put_entries(text, entries, everything)


def test_a_new_diary_comes_first_and_nights_go_on_below() -> None:
    text = put("# Mine\n\nOwn words.\n", entry())

    assert text.startswith(
        f"# Dream Diary\n\n{START}\n---\n\n*March 4, 2025*\n\n<!-- openclaw:dreaming:backfill-entry"
    )
    assert text.endswith(f"{END}\n\n# Mine\n\nOwn words.\n")
    found = read_diary(add_entry(text, NIGHT))
    assert [(one.day, one.is_backfill) for one in found] == [(DAY, True), (date(2026, 4, 11), False)]
    assert found[0].text.startswith("## What Happened")


def test_entries_come_by_day_before_those_of_nights_and_once() -> None:
    night = add_entry("", NIGHT)
    text = put(night, entry(1), entry(0))
    assert [one.day for one in read_diary(text)] == [DAY, DAY + timedelta(days=1), date(2026, 4, 11)]
    assert put(text, entry(1), entry(0)) == text
    assert drop_entries(text, everything) == night


def test_one_of_many_is_replaced_and_the_others_stay() -> None:
    text = put("", entry(0), entry(1), entry(2, "sessions/main/s1"))
    changed = put_entries(
        text, [entry(1, body="## What Happened\n\n- Other. [x:1]")], lambda day, _source: day == entry(1).day
    )
    assert count_entries(changed) == 3
    assert "- Other. [x:1]" in changed
    left = drop_entries(changed, lambda _day, source: source.startswith("memory/"))
    assert [one.day for one in read_diary(left)] == [entry(2).day]


def test_what_openclaw_wrote_stays() -> None:
    diary = f"# Dream Diary\n\n{START}\n{OPENCLAWS}{END}\n"
    text = put(diary, entry())
    assert count_entries(text) == 1
    assert OPENCLAWS in text
    assert drop_entries(text, everything) == diary


def test_a_diary_without_an_end_takes_nothing_with_it() -> None:
    """What people wrote below an open diary is theirs."""
    text = f"# Dream Diary\n\n{START}\nMy own lines.\n- and a list\n"
    written = put(text, entry())
    assert written.endswith(f"{END}\nMy own lines.\n- and a list\n")
    assert drop_entries(written, everything).endswith(f"{START}\n{END}\nMy own lines.\n- and a list\n")


def test_an_entry_without_its_last_mark_ends_where_other_text_begins() -> None:
    text = (
        put("", entry()).replace("<!-- memd:dream backfill:end -->\n\n", "").replace(END, f"Mine.\n\n{END}")
    )
    left = drop_entries(text, everything)
    assert "Mine." in left
    assert "port 9400" not in left
    assert count_entries(left) == 0


def test_an_entry_whose_date_somebody_took_away_goes_too() -> None:
    text = put(add_entry("", NIGHT), entry()).replace("---\n\n*March 4, 2025*\n\n", "")
    assert drop_entries(text, everything) == add_entry("", NIGHT)


def test_windows_line_ends_are_kept() -> None:
    text = put("# Mine\r\n\r\nOwn.\r\n", entry())
    assert "\n" not in text.replace("\r\n", "")
    assert put(text, entry()) == text
    assert drop_entries(text, everything).endswith("# Mine\r\n\r\nOwn.\r\n")


def test_odd_paths_and_texts_open_and_close_nothing() -> None:
    odd = entry(0, "memory/a b -->\n/2025-03-04.md")
    text = put("", odd, entry(1))
    assert count_entries(text) == 2
    assert drop_entries(text, lambda _day, source: source == odd.source) == put("", entry(1))


LINES = st.sampled_from(
    [
        "",
        "own words",
        "---",
        START,
        END,
        "# Dream Diary",
        "*March 4, 2025*",
        "- item",
        "## What Happened",
        "<!-- memd:dream backfill -->",
        "<!-- memd:dream backfill:end -->",
        f"<!-- openclaw:dreaming:backfill-entry day=2025-03-04 source={NOTE} -->",
        "<!-- openclaw:dreaming:backfill-entry day=2025-13-04 source=x -->",
        "<!-- openclaw:dreaming:light:start -->",
    ]
)


@given(st.lists(LINES, max_size=14).map("\n".join), st.lists(st.integers(0, 4), unique=True))
def test_what_was_put_in_can_be_taken_out_exactly(text: str, days: list[int]) -> None:
    """Whatever the page was: afterwards it is what it was, with marks of a diary; twice is once."""
    base = drop_entries(text, everything)
    base = drop_entries(base, everything)
    if count_entries(base):
        return  # pieces of marks came together and made one
    entries = [entry(number) for number in days]
    written = put(base, *entries)
    assert put(written, *entries) == written
    expected = open_diary(base)[0] if entries else base
    assert drop_entries(written, everything) == expected


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_lines_of_people_never_go(text: str) -> None:
    words = text.count("own words")
    assert drop_entries(put(text, entry()), everything).count("own words") == words


def test_twenty_megabytes_are_no_trouble() -> None:
    text = put_block("own words, many of them\n" * 900_000, "light", "- Candidate: x")
    written = put(text, entry(), entry(1))
    assert drop_entries(written, everything) == open_diary(text)[0]
