from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.errors import DeniedError, InvalidParamsError
from openclaw_memd.recall.get import cut_window
from openclaw_memd.recall.types import GetAnswer, GetRequest
from tests.recall.memory import Memory, open_memory

LONG = "\n".join(f"line {number}" for number in range(1, 122)) + "\n"


async def get(memory: Memory, path: str, **window: Any) -> GetAnswer:
    return await memory.get.get(GetRequest(path, **window))


async def test_a_window_has_its_lines_and_says_where_to_go_on(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": LONG}) as memory:
        first = await get(memory, "memory/a.md")
        rest = await get(memory, "memory/a.md", from_line=121)

    assert (first.lines, first.total_lines, first.truncated, first.next_from) == (120, 121, True, 121)
    assert first.text.split("\n")[-1] == "line 120"
    assert first.notice is not None
    assert "from=121" in first.notice
    assert first.notice in first.context
    assert (rest.text, rest.truncated, rest.next_from, rest.notice) == ("line 121", False, None, None)


async def test_the_file_is_read_as_it_is_now(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "old\n"}) as memory:
        memory.notes.write("memory/a.md", "new\n")
        memory.notes.write("memory/b.md", "never indexed\n")

        assert (await get(memory, "memory/a.md")).text == "new"
        assert (await get(memory, "memory/b.md")).text == "never indexed"


async def test_a_memory_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "a\n"}) as memory:
        memory.notes.remove("memory/a.md")

        for path in ("memory/a.md", "memory/2026-01-01.md", "USER.md", "extra/lib/x.md"):
            answer = await get(memory, path)
            assert (answer.status, answer.text, answer.path) == ("not_found", "", path)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../secret.md", "outside"),
        ("memory/../../secret.md", "outside"),
        ("/etc/passwd", "outside"),
        ("memory/a.md\0", "outside"),
        ("secret.txt", "not_memory"),
        ("SOUL.md", "not_memory"),
        ("memory/a.txt", "not_memory"),
        ("memory/link.md", "symlink"),
        ("memory/linked/b.md", "symlink"),
        ("memory/.dreams/x.md", "machine_folder"),
    ],
)
async def test_everything_else_is_denied_with_a_reason(tmp_path: Path, path: str, reason: str) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "a\n"}) as memory:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "b.md").write_text("secret\n")
        (memory.notes.folder / "memory" / "link.md").symlink_to(elsewhere / "b.md")
        (memory.notes.folder / "memory" / "linked").symlink_to(elsewhere)
        memory.notes.write("memory/.dreams/x.md", "x\n")
        memory.notes.write("SOUL.md", "x\n")
        memory.notes.write("secret.txt", "x\n")

        with pytest.raises(DeniedError) as caught:
            await get(memory, path)

    assert caught.value.reason == reason


async def test_a_file_that_became_a_link_is_denied(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "a\n"}) as memory:
        (tmp_path / "secret.md").write_text("secret\n")
        memory.notes.remove("memory/a.md")
        (memory.notes.folder / "memory" / "a.md").symlink_to(tmp_path / "secret.md")

        with pytest.raises(DeniedError) as caught:
            await get(memory, "memory/a.md")

    assert caught.value.reason == "symlink"


@pytest.mark.parametrize(
    ("window", "field"),
    [
        ({"from_line": 0}, "from"),
        ({"lines": 0}, "lines"),
        ({"max_chars": 0}, "max_chars"),
        ({"from_char": 0}, "from_char"),
    ],
)
async def test_numbers_under_one_are_refused(tmp_path: Path, window: dict[str, int], field: str) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "a\n"}) as memory:
        with pytest.raises(InvalidParamsError) as caught:
            await get(memory, "memory/a.md", **window)

    assert caught.value.field == field


async def test_a_path_is_needed(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {}) as memory:
        with pytest.raises(InvalidParamsError):
            await get(memory, "")


async def test_outside_text_is_framed_as_such(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"extra/lib/a.md": "web text\n", "MEMORY.md": "own\n"}) as memory:
        outside = await get(memory, "extra/lib/a.md")
        own = await get(memory, "MEMORY.md")

    assert outside.origin is Origin.UNTRUSTED
    assert "<<<BEGIN_MEMD_UNTRUSTED>>>" in outside.context
    assert own.origin is Origin.AGENT
    assert "<<<BEGIN_MEMD_UNTRUSTED>>>" not in own.context


async def test_behind_the_end_there_is_nothing(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "a\nb\n"}) as memory:
        answer = await get(memory, "memory/a.md", from_line=9)

    assert (answer.status, answer.text, answer.lines, answer.truncated) == ("ok", "", 0, False)
    assert (answer.total_lines, answer.next_from, answer.notice) == (2, None, "The file has 2 lines.")


async def test_behind_the_end_of_a_line_the_next_one_begins(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "abc\nd\n"}) as memory:
        at_end = await get(memory, "memory/a.md", from_char=4)
        behind = await get(memory, "memory/a.md", from_char=9)

    assert (at_end.text, at_end.lines, at_end.notice) == ("\nd", 2, None)
    assert (behind.text, behind.notice) == ("\nd", "Line 1 has 3 characters.")


async def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": ""}) as memory:
        answer = await get(memory, "memory/a.md")

    assert (answer.status, answer.text, answer.total_lines) == ("ok", "", 0)


def test_lines_are_taken_as_long_as_they_fit() -> None:
    window = cut_window(["abc", "de", "f"], 1, 10, 6)

    assert (window.lines, window.next_from, window.next_char) == (("abc", "de"), 3, None)


def test_a_first_line_that_is_too_long_is_cut() -> None:
    window = cut_window(["abcdef", "g"], 1, 10, 4)

    assert (window.lines, window.next_from, window.next_char) == (("abcd",), 2, 5)


async def test_a_cut_line_says_where_its_rest_and_where_the_next_line_is(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "x" * 50 + "\nb\n"}) as memory:
        answer = await get(memory, "memory/a.md", max_chars=10)
        last = await get(memory, "memory/a.md", max_chars=10, from_char=41, lines=1)

    assert (answer.text, answer.truncated) == ("x" * 10, True)
    assert (answer.next_from, answer.next_char) == (2, 11)
    assert answer.notice == "Line 1 was cut: its rest comes with from=1 and from_char=11."
    assert (last.text, last.next_from, last.next_char) == ("x" * 10, 2, None)


LETTERS = st.sampled_from(["a", "\x01", "<", "é", "\U0001f600"])


@given(
    lines=st.lists(st.text(LETTERS, max_size=30), min_size=1, max_size=8),
    most_lines=st.integers(1, 9),
    max_chars=st.integers(1, 40),
)
def test_windows_one_after_another_are_the_whole_text(
    lines: list[str], most_lines: int, max_chars: int
) -> None:
    read: list[str] = []
    from_line, from_char = 1, 1
    while True:
        window = cut_window(lines, from_line, most_lines, max_chars, from_char)
        assert 1 <= len(window.lines) <= most_lines
        assert len("\n".join(window.lines)) <= max_chars
        if from_char > 1:
            read[-1] += window.lines[0]
        read += window.lines if from_char == 1 else window.lines[1:]
        if window.next_char is not None:
            from_char = window.next_char
        elif window.next_from is not None:
            from_line, from_char = window.next_from, 1
        else:
            break
    assert read == lines


@pytest.mark.parametrize("text", ["word " * 20_000, "\x01" * 20_000, "<é>\n" * 20_000, "\U0001f600" * 30_000])
async def test_an_answer_is_cut_to_the_bytes_that_it_may_have(tmp_path: Path, text: str) -> None:
    most = 8192
    async with open_memory(tmp_path, {"memory/a.md": text}) as memory:
        answer = await get(memory, "memory/a.md", lines=100_000, max_chars=1_000_000, max_bytes=most)

    assert most / 2 < len(msgspec.json.encode(answer)) <= most
    assert answer.truncated
    assert answer.next_char or answer.next_from
    assert text.startswith(answer.text)
