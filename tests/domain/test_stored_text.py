"""Text and back to bytes: only what changes differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.stored_text import decode_stored, encode_stored

BOM = b"\xef\xbb\xbf"
PIECES = st.lists(
    st.sampled_from(["\n", "\r\n", "\r", "\ufeff", "- a", "- bé", " ", "日本", "\x85", "\u2028"]), max_size=40
)
STORED = st.builds(lambda mark, pieces: mark + "".join(pieces).encode(), st.sampled_from([b"", BOM]), PIECES)


@given(STORED)
def test_what_does_not_change_is_the_same_bytes(data: bytes) -> None:
    assert encode_stored(decode_stored(data), data) == data


@given(STORED, st.lists(st.sampled_from(["- new", "", "- a"]), min_size=1, max_size=4), st.data())
def test_added_lines_leave_all_others_as_they_were(
    data: bytes, added: list[str], draw: st.DataObject
) -> None:
    lines = decode_stored(data).split("\n")
    place = draw.draw(st.integers(0, len(lines) - 1))
    text = "\n".join([*lines[:place], *added, *lines[place:]])
    stored = encode_stored(text, data)
    is_closed = not decode_stored(data) or data.endswith(b"\n") == text.endswith("\n")
    assert stored.startswith(BOM) == data.startswith(BOM)
    if is_closed:
        assert decode_stored(stored) == text
    before = [line for line in data.removeprefix(BOM).split(b"\n") if line.strip()]
    after = [line for line in stored.removeprefix(BOM).split(b"\n") if line.strip()]
    bare = [line.rstrip(b"\r") for line in after]
    for line in before:
        assert line.rstrip(b"\r") in bare


@given(STORED)
def test_the_end_of_the_last_line_stays(data: bytes) -> None:
    stored = encode_stored(decode_stored(data) + "\n- more\n", data)
    if decode_stored(data):
        assert stored.endswith(b"\n") == data.endswith(b"\n")


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (None, "- a\n- b", b"- a\n- b"),
        (b"", "- a\n", b"- a\n"),
        (BOM, "- a\n", BOM + b"- a\n"),
        (b"- a\n", "", b""),
        (b"- a\r\n", "- b\n- a\n", b"- b\r\n- a\r\n"),
        (b"- a\n- b\r\n- c\n", "- b\n- c\n- d\n", b"- b\r\n- c\n- d\n"),
        (b"- a\r\n- b\r\n- c\n", "- a\n- c\n- d\n", b"- a\r\n- c\n- d\r\n"),
        (b"- a\r\n- b", "- a\n- b\n- c\n", b"- a\r\n- b\r\n- c"),
        (b"- a\rb\n", "- a\rb\n- c\n", b"- a\rb\n- c\n"),
    ],
)
def test_lines_that_come_in_get_the_ends_that_most_have(
    before: bytes | None, text: str, after: bytes
) -> None:
    assert encode_stored(text, before) == after


def test_long_texts_with_mixed_ends_are_not_compared_for_ever() -> None:
    before = b"".join(b"- %d\r\n" % number for number in range(5000)) + b"- end\n"
    text = "".join(f"- other {number}\n" for number in range(5000)) + "- end\n"
    assert encode_stored(text, before).count(b"\r\n") == 5000
