from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.errors import DeniedError, InvalidParamsError
from openclaw_memd.recall.get import cut_window
from openclaw_memd.recall.types import GetAnswer, GetRequest
from tests.recall.memory import Memory, open_memory

LONG = "\n".join(f"line {number}" for number in range(1, 122)) + "\n"


async def get(memory: Memory, path: str, **window: int) -> GetAnswer:
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
    [({"from_line": 0}, "from"), ({"lines": 0}, "lines"), ({"max_chars": 0}, "max_chars")],
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


async def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": ""}) as memory:
        answer = await get(memory, "memory/a.md")

    assert (answer.status, answer.text, answer.total_lines) == ("ok", "", 0)


def test_lines_are_taken_as_long_as_they_fit() -> None:
    window = cut_window(["abc", "de", "f"], 1, 10, 6)

    assert (window.lines, window.is_cut, window.remains) == (("abc", "de"), False, True)


def test_a_first_line_that_is_too_long_is_cut() -> None:
    window = cut_window(["abcdef", "g"], 1, 10, 4)

    assert (window.lines, window.is_cut, window.remains) == (("abcd",), True, True)


async def test_a_cut_line_has_no_next(tmp_path: Path) -> None:
    async with open_memory(tmp_path, {"memory/a.md": "x" * 50 + "\nb\n"}) as memory:
        answer = await get(memory, "memory/a.md", max_chars=10)

    assert (answer.text, answer.truncated, answer.next_from) == ("x" * 10, True, None)
    assert answer.notice is not None
