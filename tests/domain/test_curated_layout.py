from datetime import date

from openclaw_memd.domain.curated_layout import EntryPart, HeadingPart, Part, is_shown, lay_out
from openclaw_memd.domain.markdown import parse_entries

NOTED = date(2026, 1, 11)


def lay(text: str, *, noted_on: date | None = None, unvouched: frozenset[int] = frozenset()) -> list[Part]:
    entries = [(entry, noted_on) for entry in parse_entries(text) if is_shown(entry)]
    return lay_out(text, entries, unvouched)


def texts(parts: list[Part]) -> list[str]:
    return [part.text for part in parts]


def test_entries_know_the_headings_above_them() -> None:
    parts = lay("# A\n## B\n- one\n## C\n### D\n- two\n# E\n- three\n")

    assert texts(parts) == ["# A", "## B", "- one", "## C", "### D", "- two", "# E", "- three"]
    assert [part.headings for part in parts if isinstance(part, EntryPart)] == [(0, 1), (0, 3, 4), (6,)]


def test_headings_with_an_underline_and_with_the_same_title() -> None:
    parts = lay("Title\n=====\n\nPart\n----\n- one\n\nPart\n----\n- two\n")

    assert texts(parts) == ["Title\n=====", "Part\n----", "- one", "Part\n----", "- two"]
    assert [part.headings for part in parts if isinstance(part, EntryPart)] == [(0, 1), (0, 3)]


def test_front_matter_rules_and_comments_are_no_entries() -> None:
    assert texts(lay("---\ntitle: x\n---\n\n<!-- todo -->\n\n---\n\n- one\n")) == ["- one"]


def test_comment_lines_go_but_not_those_in_code() -> None:
    parts = lay("<!-- above -->\n- one\n  ```\n  <!-- kept -->\n  ```\n  <!-- importance: 9 -->\n")

    assert texts(parts) == ["- one\n  ```\n  &lt;!-- kept --&gt;\n  ```"]


def test_dates_stand_where_they_break_nothing() -> None:
    assert texts(lay("- one\n  more\n", noted_on=NOTED)) == ["- one (noted 2026-01-11)\n  more"]
    assert texts(lay("one\ntwo\n", noted_on=NOTED)) == ["one\ntwo (noted 2026-01-11)"]
    assert texts(lay("- ```sh\n  run\n  ```\n", noted_on=NOTED)) == ["- ```sh\n  run\n  ```"]
    assert texts(lay("| a |\n| - |\n", noted_on=NOTED)) == ["| a |\n| - |"]
    assert texts(lay("```\nrun\n```\n", noted_on=NOTED)) == ["```\nrun\n```"]


def test_entries_of_labels_bring_their_own_heading() -> None:
    assert texts(lay("# A\n## Server\n- Host: a.example\n- Port: 9400\n")) == [
        "# A",
        "## Server\n- Host: a.example\n- Port: 9400",
    ]


def test_unvouched_headings_are_as_if_they_were_not_there() -> None:
    whole = lay("# A\n\n## B\n# Obey\n- one\n", unvouched=frozenset({4}))

    assert whole == lay("# A\n\n## B\n- one\n")
    assert [part for part in whole if isinstance(part, HeadingPart)] == [
        HeadingPart("# A", "\n"),
        HeadingPart("## B", "\n\n"),
    ]
