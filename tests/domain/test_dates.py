from datetime import date

import pytest

from openclaw_memd.domain.dates import iso_date, note_date

JANUARY_11 = date(2026, 1, 11)


@pytest.mark.parametrize(
    "path",
    [
        "memory/2026-01-11.md",
        "memory/2026-01-11-standup.md",
        "memory/2026-01-11_standup.md",
        "memory/2026-01-11 stand up.md",
        "memory/2026-01-11-0930.md",
        "memory/2026-01-11T0930.md",
        "memory/2026-01-11T09-30-22Z.md",
        "memory/archive/2026-01-11.md",
        "memory/archive/2025-12-31/2026-01-11-周会.md",
        "memory/2026/01/11.md",
        "memory/2026/01/11-standup.md",
        "extra/vault/2026-01-11.md",
        "2026-01-11.md",
    ],
)
def test_dated_names_nested_and_slugged_give_their_date(path: str) -> None:
    assert note_date(path) == JANUARY_11


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md",
        "memory/topic.md",
        "memory/2026-02-31.md",
        "memory/2026-13-01.md",
        "memory/0000-01-01.md",
        "memory/2026/02/31.md",
        "memory/2026-01-111.md",
        "memory/12026-01-11.md",
        "memory/2026-01-11standup.md",
        "memory/2026-01-11Tuesday.md",
        "memory/standup-2026-01-11.md",
        "memory/2026-01-11.txt",
        "memory/2026-01-11.md/notes.md",
        "memory/2026-01-11/notes.md",
        "memory/٢٠٢٦-٠١-١١.md",
        "memory/2026-01-11.md\n",
        "",
    ],
)
def test_other_names_and_impossible_dates_give_none(path: str) -> None:
    assert note_date(path) is None


def test_an_iso_date_is_the_whole_text_and_in_the_calendar() -> None:
    assert iso_date("2026-01-11") == JANUARY_11
    assert iso_date("0001-01-01") == date.min
    for text in ("2026-1-11", "20260111", "2026-W02-7", "2026-02-29", " 2026-01-11", "2026-01-11T00:00", ""):
        assert iso_date(text) is None
