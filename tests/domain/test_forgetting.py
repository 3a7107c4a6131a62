"""What of a text goes, and that nothing else does."""

from collections import Counter
from datetime import UTC, date, datetime
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openclaw_memd.domain.forgetting import (
    Cut,
    LineRecord,
    Selectors,
    Wanted,
    assign_records,
    cut_text,
    holds_terms,
)
from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import InvalidParamsError
from tests.domain.strategies import notes, patient

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)
S1, S2 = ("main", "s1"), ("main", "s2")


@cache
def analyzer() -> Analyzer:
    return Analyzer()


def record(
    line: str, session: tuple[str, str] | None = S1, *, count: int = 1, at: datetime = AT, own: bool = True
) -> LineRecord:
    return LineRecord(hash_line(line), count, session, at, is_told=session is not None, is_own=own)


def of_session(*sessions: tuple[str, str]) -> Wanted:
    return Wanted(sessions=frozenset(sessions or (S1,)))


def of_query(query: str) -> Wanted:
    return Wanted(terms=tuple(analyzer().query_terms(query)))


def cut(text: str, wanted: Wanted, *records: LineRecord, day: date | None = None) -> Cut:
    return cut_text(text, records, wanted, analyzer(), day)


def test_something_has_to_be_selected() -> None:
    with pytest.raises(InvalidParamsError) as caught:
        Selectors().check()
    assert caught.value.field == "session_ids"
    assert Selectors(participant="ana").check() == Selectors(participant="ana")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- ben\n- stays\n", "- stays\n"),
        ("- stays\n- ben\n", "- stays\n"),
        ("- stays\n- ben", "- stays\n"),
        ("- ben\n", ""),
        ("- ben", ""),
        ("\ufeff- ben\n- stays\n", "\ufeff- stays\n"),
        ("- stays\r\n- ben\r\n- too\r\n", "- stays\r\n- too\r\n"),
        ("one\n\nben\n\ntwo\n", "one\n\ntwo\n"),
        ("one\n\n\nben\n\n\ntwo\n", "one\n\n\ntwo\n"),
        ("one\n\nben\n", "one\n"),
        ("ben\n\ntwo\n", "two\n"),
        ("one\n- ben\ntwo is part of it\n\nthree\n", "one\n\nthree\n"),
        ("- ben\n  more\n  - sub\n\n  and more\n- stays\n", "- stays\n"),
        ("<!-- importance: 9 -->\n- ben <!-- key: k -->\n  <!-- x -->\n- stays\n", "- stays\n"),
        ("- stays\n```sh\nben\n```\n- too\n", "- stays\n```sh\nben\n```\n- too\n"),
        ("# H\n\n```sh\nben\n```\n\n- too\n", "# H\n\n- too\n"),
        ("# About Ben\n\n- ben\n\n# Other\n\n- x\n", "# Other\n\n- x\n"),
        ("# About\n\n- ben\n\n# Other\n\n- x\n", "# About\n\n# Other\n\n- x\n"),
        ("# About Ben\n\n- stays\n", "# About Ben\n\n- stays\n"),
        ("Ben\n===\n\n- x\n", "Ben\n===\n\n- x\n"),
        ("---\ntitle: ben\n---\n\n- stays\n", "- stays\n"),
    ],
)
def test_by_query_whole_entries_go(text: str, left: str) -> None:
    if "```sh\nben" in text and text.startswith("- stays"):
        left = "- too\n"  # the code belongs to the item above it
    assert cut(text, of_query("ben")).text == left


def test_every_word_has_to_be_there_in_any_form() -> None:
    text = "- Ben keeps the keys.\n- Ben sleeps.\n- The key is lost.\n"
    assert cut(text, of_query("ben key")).text == "- Ben sleeps.\n- The key is lost.\n"


def test_of_equal_lines_those_go_that_the_session_wrote() -> None:
    text = "- same\n- same\n- same\n- same\n"
    records = (record("- same"), record("- same", S2, count=2))
    owners = assign_records(text.split("\n"), records)
    assert [owner and owner.session for owner in owners] == [S1, S2, S2, None, None]
    assert cut(text, of_session(), *records).removed == ("- same",)
    assert cut(text, of_session(S2), *records).removed == ("- same", "- same")
    assert cut(text, of_session(), record("- same", count=0)).removed == ()


def test_an_entry_goes_with_its_first_line_and_loses_single_lines_else() -> None:
    text = "- first\n  second\n  third\n"
    assert cut(text, of_session(), record("- first")).text == ""
    single = cut(text, of_session(), record("  second"))
    assert (single.text, single.mixed, single.removed) == ("- first\n  third\n", (1,), ("  second",))


def test_a_comment_of_the_session_above_an_entry_of_another_goes_alone() -> None:
    text = "<!-- importance: 9 -->\n- theirs\n"
    assert cut(text, of_session(), record("<!-- importance: 9 -->")).text == "- theirs\n"


def test_fences_of_an_entry_that_stays_are_left() -> None:
    text = "- theirs:\n  ```\n  mine\n  ```\n- more\n"
    records = [record("  ```", count=2), record("  mine")]
    assert cut(text, of_session(), *records).text == "- theirs:\n  ```\n  ```\n- more\n"


def test_what_was_apart_does_not_grow_together() -> None:
    text = "one\n- mine\n\ntwo\n"
    assert cut(text, of_session(), record("- mine")).text == "one\n\ntwo\n"
    text = "<!-- a\nb -->\none\n***\ntwo\n"
    assert cut(text, of_session(), record("***")).text == "<!-- a\nb -->\none\n\ntwo\n"


def test_our_own_heading_goes_with_the_last_of_its_entries_and_theirs_stays() -> None:
    text = "# 2026-01-11 (Europe/Vienna)\n\n- mine\n"
    mine, header = record("- mine"), record("# 2026-01-11 (Europe/Vienna)", S2)
    assert cut(text, of_session(), mine, header).is_empty
    assert cut(text, of_session(), mine, header).text == ""
    theirs = cut(text, of_session(), mine)
    assert theirs.is_empty
    assert theirs.text == "# 2026-01-11 (Europe/Vienna)\n"
    both = cut(text + "- other\n", of_session(), mine, record("# 2026-01-11 (Europe/Vienna)"))
    assert not both.is_empty
    assert both.text == "# 2026-01-11 (Europe/Vienna)\n\n- other\n"
    nested = "# A\n\n## B\n\n- mine\n\n# C\n"
    assert cut(nested, of_session(), mine, record("# A"), record("## B")).text == "# C\n"
    assert cut(nested, of_session(), mine, record("## B")).text == "# A\n\n# C\n"


def test_a_heading_of_the_session_goes_though_others_wrote_under_it() -> None:
    text = "# 2026-01-11 (Europe/Vienna)\n\n## Mine\n\n- mine\n- theirs\n"
    records = [record(line) for line in ("# 2026-01-11 (Europe/Vienna)", "## Mine", "- mine")]
    assert cut(text, of_session(), *records).text == "# 2026-01-11 (Europe/Vienna)\n\n- theirs\n"
    reported = record("# 2026-01-11 (Europe/Vienna)", own=False)
    assert cut(text, of_session(), reported).text == "## Mine\n\n- mine\n- theirs\n"


def test_a_heading_that_holds_the_query_stays_above_what_does_not_and_is_told() -> None:
    text = "# Notes\n\n## Ben\n\n- likes tea\n- ben sleeps\n\n## On Ben\n\n- ben eats\n"
    found = cut(text, of_query("ben"))
    assert found.text == "# Notes\n\n## Ben\n\n- likes tea\n"
    assert found.headings == (3,)


def test_since_narrows_by_the_record_else_by_the_day_of_the_note() -> None:
    later = datetime(2026, 1, 12, tzinfo=UTC)
    wanted = Wanted(frozenset({S1}), since=later, since_day=later.date())
    text = "- old\n- new\n- by hand\n"
    records = (record("- old"), record("- new", at=later))
    assert cut(text, wanted, *records).text == "- old\n- by hand\n"
    assert cut(text, wanted.whole(), *records).text == "- old\n- by hand\n"
    assert cut(text, wanted.whole(), *records, day=later.date()).text == "- old\n"
    everything = Wanted(since=later, since_day=later.date(), is_everything=True)
    assert cut(text, everything, *records, day=later.date()).text == "- old\n- by hand\n"
    query = Wanted(terms=of_query("hand").terms, since=later, since_day=later.date())
    assert cut(text, query, *records).text == text
    assert cut(text, query, *records, day=later.date()).text == "- old\n- new\n"


@patient
@given(notes, st.data())
def test_what_is_not_selected_stays_byte_for_byte(text: str, data: st.DataObject) -> None:
    assume("\ufeff" not in text[1:])  # one that comes to be the first character is a mark
    lines = text.split("\n")
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=6))
    records = [record(line, own=data.draw(st.booleans())) for line in chosen if line.strip()]
    found = cut(text, of_session(), *records)
    assert not (Counter(_solid(text)) - Counter(_solid(found.text)) - Counter(found.removed))
    assert Counter(_solid(text)) == Counter(_solid(found.text)) + Counter(found.removed)
    assert _is_part(_solid(found.text), _solid(text))
    if not found.removed:
        assert found.text == text


@patient
@given(notes, st.sampled_from(["release", "blue-heron-17", "仓库", "café release", "引っ越し"]))
def test_no_entry_that_held_the_query_is_left(text: str, query: str) -> None:
    wanted = of_query(query)
    found = cut(text, wanted)
    held = [entry.text for entry in parse_entries(text) if holds_terms(entry.text, wanted.terms, analyzer())]
    gone = Counter(line.rstrip() for line in found.removed)
    for entry in held:
        gone.subtract(line.rstrip() for line in _solid(entry))
    assert min(gone.values(), default=0) >= 0
    assert Counter(_solid(text)) == Counter(_solid(found.text)) + Counter(found.removed)


@patient
@given(notes)
def test_a_whole_text_leaves_nothing(text: str) -> None:
    assume(_solid(text))
    found = cut(text, Wanted(is_whole=True))
    assert _solid(found.text) == []
    assert found.is_empty


def _solid(text: str) -> list[str]:
    """The lines that are not blank; a byte order mark belongs to none."""
    return [line for line in text.removeprefix("\ufeff").split("\n") if line.strip()]


def _is_part(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def test_named_entries_go_whole_whoever_wrote_them_and_whenever() -> None:
    text = (
        "# Memory\n\n- stays\n\n## Promoted (2026-01-11)\n\n<!-- memd:promoted k -->\n- goes\n  - with it\n"
    )
    wanted = Wanted(entries=frozenset({hash_line("- goes")}), since=AT, since_day=AT.date())
    cut = cut_text(text, (), wanted, analyzer(), None)
    assert cut.text == "# Memory\n\n- stays\n"
    assert cut.numbers == (5, 7, 8, 9)
    assert cut_text(text.replace("- goes", "- other"), (), wanted, analyzer(), None).removed == ()


def test_a_heading_of_a_night_stays_as_long_as_anything_is_under_it() -> None:
    text = "## Promoted (2026-01-11)\n\n- goes\n- stays\n\n## Mine\n\n- goes\n"
    wanted = Wanted(entries=frozenset({hash_line("- goes")}))
    assert (
        cut_text(text, (), wanted, analyzer(), None).text
        == "## Promoted (2026-01-11)\n\n- stays\n\n## Mine\n"
    )
