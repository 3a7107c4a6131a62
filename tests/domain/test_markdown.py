import re
from unittest.mock import patch

import pytest
from hypothesis import given

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.markdown import Entry, Span, annotations_of, parse_entries
from tests.domain.strategies import patient, texts


def shape(text: str) -> list[tuple[str, str]]:
    return [(entry.kind, entry.text) for entry in parse_entries(text)]


def only(text: str) -> Entry:
    (entry,) = parse_entries(text)
    return entry


@patient
@given(texts)
def test_entries_are_exact_slices_in_order_and_only_headings_are_in_none(text: str) -> None:
    lines = text.removeprefix("\ufeff").split("\n")
    covered: set[int] = set()
    end = last_line = 0
    for entry in parse_entries(text):
        assert end <= entry.start < entry.end
        assert text[entry.start : entry.end] == entry.text
        assert entry.start_line == text.count("\n", 0, entry.start) + 1 > last_line
        assert entry.end_line == text.count("\n", 0, entry.end) + 1
        assert lines[entry.start_line - 1].strip()
        assert lines[entry.end_line - 1].strip()
        end, last_line = entry.end, entry.end_line
        covered.update(range(entry.start_line, entry.end_line + 1))
    for number, line in enumerate(lines, 1):
        if line.strip() and number not in covered:
            below = lines[number] if number < len(lines) else ""
            assert re.match(r" {0,3}#{1,6}(\s|$)|\s*(=+|--+)\s*$", line) or re.match(
                r"\s*(=+|--+)\s*$", below
            )


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "12)"])
def test_a_list_item_has_its_continuation_and_its_sub_items(marker: str) -> None:
    first = (
        f"{marker} Ship with the blue script.\nlazy\n  more\n  - sub\n    1. sub sub\n\n  a paragraph of it"
    )
    second = f"{marker} The next one."
    assert shape(f"{first}\n\n{second}\n") == [("item", first), ("item", second)]


def test_tabs_indent_sub_items() -> None:
    assert shape("- a\n\t- b\n\t\t- c\n- d") == [("item", "- a\n\t- b\n\t\t- c"), ("item", "- d")]


def test_a_list_may_be_indented_as_a_whole() -> None:
    assert shape("  - a\n    - b\n  - c") == [("item", "  - a\n    - b"), ("item", "  - c")]


def test_a_paragraph_ends_at_a_blank_line_a_list_a_heading_a_rule_and_a_fence() -> None:
    assert shape("one\ntwo\n\nthree\n- four\n# H\nfive\n***\nsix\n") == [
        ("paragraph", "one\ntwo"),
        ("paragraph", "three"),
        ("item", "- four"),
        ("paragraph", "five"),
        ("rule", "***"),
        ("paragraph", "six"),
    ]


def test_a_number_that_begins_a_line_of_prose_is_no_list() -> None:
    assert shape("It was the year\n2026. Nice.\n-\n\n2026. A list.") == [
        ("paragraph", "It was the year\n2026. Nice.\n-"),
        ("item", "2026. A list."),
    ]


def test_text_after_a_list_and_a_blank_line_is_a_paragraph() -> None:
    assert shape("- a\n\nb") == [("item", "- a"), ("paragraph", "b")]


@pytest.mark.parametrize("rule", ["---", "- - -", "***", "* * *", "___", "-----  "])
def test_a_rule_is_no_list_item(rule: str) -> None:
    assert shape(f"- a\n{rule}\n- b")[1] == ("rule", rule)


def test_heading_paths() -> None:
    text = (
        "# A #\n- a\n### B <!-- key: b -->\n- b\n## C\n- c\n\nD d\n===\n- d\n\nE\n---\n- e\n#\n- f\n\n#tag\n"
    )
    assert [(entry.text, entry.heading_path) for entry in parse_entries(text)] == [
        ("- a", ("A",)),
        ("- b", ("A", "B")),
        ("- c", ("A", "C")),
        ("- d", ("D d",)),
        ("- e", ("D d", "E")),
        ("- f", ()),
        ("#tag", ()),
    ]


@pytest.mark.parametrize("text", ["a\nb\n---", "> a\n---", "| a |\n---", "- a\n---", "\n---"])
def test_a_line_of_dashes_makes_a_heading_of_one_line_of_text_only(text: str) -> None:
    *_, last = parse_entries(text)
    assert (last.kind, last.text) == ("rule", "---")


def test_a_heading_inside_an_item_or_indented_as_code_is_text() -> None:
    assert shape("- a\n  # b") == [("item", "- a\n  # b")]
    assert shape("    # b") == [("paragraph", "    # b")]


LABELS = "## Wi-Fi\n\n- SSID: heron\n- **Password:** blue-17\n- 电话：123\n"


def test_a_heading_with_a_few_labels_is_one_entry() -> None:
    entry = only(LABELS)
    assert (entry.kind, entry.text, entry.heading_path) == ("labels", LABELS.rstrip(), ("Wi-Fi",))
    assert [e.kind for e in parse_entries(LABELS + "\n## Next\n- x\n")] == ["labels", "item"]


@pytest.mark.parametrize(
    "body",
    [
        "- SSID: heron",
        "- SSID: heron\n- no label",
        "- SSID: heron\n- Password: x\n\nand prose",
        "- SSID: heron\n- Password: x <!-- importance: 9 -->",
        "- SSID: heron\n- Password: x\n  - sub",
        "- 2026-01-02: decided\n- 2026-01-03: undone",
        "- See https://a.org/b\n- At 10:30 the train",
        "- This is a whole long sentence: yes\n- Password: x",
        "- SSID: heron\n- Password: " + "x" * 120,
        "".join(f"- Label {'abcdefghi'[i]}: x\n" for i in range(9)),
    ],
)
def test_other_bullets_are_entries_of_their_own(body: str) -> None:
    assert "labels" not in [kind for kind, _ in shape(f"## H\n{body}\n")]


PYTHON_BLOCK = "````python\n```javascript\n# comment\n- no item\n```\n\n````"


def test_a_code_block_is_one_entry_and_holds_no_heading() -> None:
    entries = parse_entries(f"# A\n\n{PYTHON_BLOCK}\n\n- after\n")
    assert [(e.kind, e.text, e.start_line, e.end_line, e.heading_path) for e in entries] == [
        ("code", PYTHON_BLOCK, 3, 9, ("A",)),
        ("item", "- after", 11, 11, ("A",)),
    ]


def test_a_fence_line_with_trailing_words_does_not_close() -> None:
    block = "```python\nx = 1\n```javascript\n# comment\n```"
    assert shape(f"{block}\n\n# H\n- a") == [("code", block), ("item", "- a")]


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert shape("- a\n\n```\n# b\n\n- c\n") == [("item", "- a"), ("code", "```\n# b\n\n- c")]


@pytest.mark.parametrize(
    "text",
    [
        "- Run:\n\n  ```sh\n  # comment\n\n  - x\n  ```\n  more",
        "- Run\n```sh\n# comment\n```",
        "- Run:\n\n```sh\n# comment\n```",
        "Run：\n\n```sh\n# comment\n```",
        "- ```sh\n  # comment\n  ```",
        "1. a\n   - ~~~\n     # comment\n     ~~~",
    ],
)
def test_code_belongs_to_the_entry_it_is_indented_into_or_follows(text: str) -> None:
    assert only(text).text == text
    assert shape(f"{text}\n\n# H\n\n- next\n")[1:] == [("item", "- next")]


def test_code_in_an_item_ends_with_the_item() -> None:
    assert shape("- a\n  ```\n  code\nprose\n# H\n- b") == [
        ("item", "- a\n  ```\n  code"),
        ("paragraph", "prose"),
        ("item", "- b"),
    ]


def test_front_matter_is_an_entry_of_its_own_kind() -> None:
    matter = "---\ntitle: x\ntags:\n- a # no heading\n<!-- importance: 3 -->\n---"
    entries = parse_entries(f"\ufeff{matter}\r\n# H\r\n- a\r\n")
    assert [(entry.kind, entry.text) for entry in entries] == [("front_matter", matter), ("item", "- a")]
    assert entries[0].annotations == NO_ANNOTATIONS


@pytest.mark.parametrize(
    "text", ["---\n\n- a\n\n---\n", "---\n# A\n---\n", "---\ntitle: x\n", "\n---\na: b\n---\n"]
)
def test_a_rule_at_the_start_is_no_front_matter(text: str) -> None:
    assert "front_matter" not in [kind for kind, _ in shape(text)]


def test_annotations_on_the_line_above_belong_to_the_entry() -> None:
    first, second = parse_entries("- a\n<!-- importance: 9 -->\n- b\n")
    assert (first.text, first.annotations) == ("- a", NO_ANNOTATIONS)
    assert (second.text, second.start_line) == ("<!-- importance: 9 -->\n- b", 2)
    assert second.annotations.importance == 9


def test_annotations_with_nothing_below_belong_to_the_entry_directly_above() -> None:
    first, second = parse_entries("- a\n<!-- importance: 9 -->\n\n- b\n")
    assert (first.annotations.importance, second.annotations.importance) == (9, None)
    last = parse_entries("# H\n\n- a\n- b\n<!-- importance: 9 -->")[-1]
    assert (last.end_line, last.annotations.importance) == (5, 9)


def test_indented_annotations_belong_to_their_item() -> None:
    first, second = parse_entries("- a\n  <!-- importance: 9 -->\n- b\n")
    assert (first.annotations.importance, second.annotations.importance) == (9, None)


def test_a_comment_line_above_an_entry_moves_with_it_and_any_other_stands_alone() -> None:
    assert shape("<!-- promoted: 1 -->\n- a\n<!-- end -->\n") == [
        ("item", "<!-- promoted: 1 -->\n- a"),
        ("comment", "<!-- end -->"),
    ]
    assert shape("<!-- importance: 3 -->\n\n- a") == [("comment", "<!-- importance: 3 -->"), ("item", "- a")]
    assert shape("<!-- note -->\nTitle\n---\n- a") == [("comment", "<!-- note -->"), ("item", "- a")]


def test_what_is_commented_out_is_no_entry() -> None:
    comment = "<!--\n- a\n\n# b\n-->"
    assert shape(f"{comment}\n- c") == [("comment", comment), ("item", "- c")]


@pytest.mark.parametrize("text", ["<!-- open\n\n- a\n", "<!-- open\n\n- a <!-- key: a -->\n"])
def test_a_comment_that_is_never_closed_hides_nothing(text: str) -> None:
    paragraph, item = parse_entries(text)
    assert (paragraph.kind, paragraph.text, item.kind) == ("paragraph", "<!-- open", "item")


def test_quotes_and_tables_are_text() -> None:
    quote, table = "> # a\n> - b", "| a | b |\n| --- | --- |\n| c | d |"
    assert shape(f"{quote}\n\n{table}\n") == [("paragraph", quote), ("paragraph", table)]


def test_line_ends_of_every_kind() -> None:
    entries = parse_entries("# A\r\n- a\r\n  b\r\n- c")
    assert [(e.text, e.start_line, e.end_line) for e in entries] == [("- a\r\n  b", 2, 3), ("- c", 4, 4)]
    assert only("- a\r- b\r").text == "- a\r- b"


@pytest.mark.parametrize("text", ["", "\n", " \n\t\r\n", "\ufeff", "\ufeff\n", "# A", "A\n="])
def test_a_text_with_nothing_but_blanks_and_headings_has_no_entries(text: str) -> None:
    assert parse_entries(text) == []


def test_odd_characters_are_text() -> None:
    assert only("\x00").text == "\x00"
    assert only("- \x00 \ud800 😀").text == "- \x00 \ud800 😀"
    assert only("x" * 6000).end == 6000


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("<!-- observed: 2026-01-11 | status: superseded -->\n\n- a\n", ["item"]),
        ("# B\n\n<!-- status: superseded -->\n\n1. a\n\n<!-- status: active -->\n\n1. b\n", ["item", "item"]),
        ("- a\n<!-- status: superseded -->\n\n- b\n", ["item", "item"]),
        ("<!-- status: superseded -->\n\n\n- a\n", ["comment", "item"]),
        ("<!-- status: superseded -->\n\nwords\n", ["comment", "paragraph"]),
        ("<!-- importance: 3 -->\n\n- a\n", ["comment", "item"]),
        ("<!-- remark -->\n<!-- status: superseded -->\n\n- a\n", ["comment", "item"]),
        ("<!-- status: superseded -->\n", ["comment"]),
    ],
)
def test_date_and_status_may_stand_above_an_item_with_a_blank_line_between(
    text: str, kinds: list[str]
) -> None:
    entries = parse_entries(text)
    assert [entry.kind for entry in entries] == kinds
    assert (entries[0].annotations.status == "superseded") == ("superseded" in entries[0].text)


@pytest.mark.parametrize("filling", ["", "x" * 1_000_000])
def test_of_many_entries_only_the_first_are_made(filling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def note(span: Span, text: str, start: int, end: int) -> Annotations:
        made.append(text[start:end])
        return annotations_of(span, text, start, end)

    monkeypatch.setattr("openclaw_memd.domain.markdown.annotations_of", note)
    text = f"# Work\n- One.\n- Two.\n- Three {filling}.\n"

    assert [entry.text for entry in parse_entries(text, 2)] == ["- One.", "- Two."]
    assert len(parse_entries(text)) == 3
    if filling:
        assert len(made) == 5, "the third is made when it is asked for"


@patient
@given(texts, texts)
def test_entries_of_another_version_change_nothing(one: str, other: str) -> None:
    with patch("openclaw_memd.domain.markdown._KEPT_CHARS", -1):
        assert parse_entries(f"{one}\n{other}", like=parse_entries(other)) == parse_entries(f"{one}\n{other}")


def test_what_an_entry_of_a_long_text_says_of_itself_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_memd.domain.markdown._KEPT_CHARS", 0)
    before = parse_entries("---\na: 1\n---\n- One. <!-- key: one -->\n- Two. <!-- key: two -->\n")
    read: list[str] = []

    def note(span: Span, text: str, start: int, end: int) -> Annotations:
        read.append(text[start:end])
        return annotations_of(span, text, start, end)

    monkeypatch.setattr("openclaw_memd.domain.markdown.annotations_of", note)
    now = parse_entries("- Two. <!-- key: two -->\n- Three. <!-- key: three -->\n", like=before)

    assert [entry.annotations.key for entry in now] == ["two", "three"]
    assert read == ["- Three. <!-- key: three -->"]
