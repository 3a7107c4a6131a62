from hypothesis import given

from openclaw_memd.domain.lines import indent_width, split_lines
from tests.domain.strategies import patient, texts


def test_lines_end_at_line_feeds_only() -> None:
    lines = split_lines("a\r\nb\rc\u2028d\x0ce\n")
    assert lines.texts == ["a\r", "b\rc\u2028d\x0ce", ""]
    assert [lines.start(i) for i in range(3)] == [0, 3, 11]
    assert lines.end(0) == 1


def test_a_byte_order_mark_is_in_no_line() -> None:
    lines = split_lines("\ufeff# A\nb")
    assert lines.texts[0] == "# A"
    assert lines.start(0) == 1
    assert lines.number_at(0) == 1


@patient
@given(texts)
def test_every_offset_is_in_the_line_that_it_is_counted_in(text: str) -> None:
    lines = split_lines(text)
    for offset in range(len(text)):
        assert lines.number_at(offset) == text.count("\n", 0, offset) + 1
    for index, line in enumerate(lines.texts):
        start = lines.start(index)
        assert text[start : start + len(line)] == line
        assert text[start : lines.end(index)] == line.removesuffix("\r")


def test_a_tab_indents_to_the_next_multiple_of_four() -> None:
    assert [indent_width(line) for line in ("a", "  a", "\ta", "  \ta", " \t a", "\t\t")] == [
        0,
        2,
        4,
        4,
        5,
        8,
    ]
