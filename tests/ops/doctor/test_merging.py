"""Nothing of either file is lost when an old memory file is merged, and twice adds nothing."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.ops.doctor.merging import TITLE, UnmergeableError, merge

MEMORY = "# Core\n\n- The port is 8123.\n\n## People\n\n- Ana has the key.\n"


def entries(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(entry.heading_path, entry.text) for entry in parse_entries(text)]


def lines(text: str) -> set[str]:
    return {line.rstrip() for line in text.split("\n") if line.strip()}


def test_what_is_only_in_the_old_file_is_added_under_its_own_headings() -> None:
    legacy = "# Core\n\n- The port is 8123.\n- The lamp is blue.\n\n## Places\n\n- The attic is dry.\n"

    merged = merge(MEMORY, legacy)

    assert merged is not None
    assert merged.startswith(MEMORY)
    assert entries(merged)[2:] == [
        (("Core",), "- The lamp is blue."),
        (("Core", "Places"), "- The attic is dry."),
    ]


def test_the_same_words_under_another_heading_are_another_entry() -> None:
    merged = merge("# Likes\n\n- tea\n", "# Dislikes\n\n- tea\n")

    assert merged is not None
    assert entries(merged) == [(("Likes",), "- tea"), (("Dislikes",), "- tea")]


def test_text_without_a_heading_does_not_fall_under_the_last_one_of_the_other_file() -> None:
    merged = merge(MEMORY, "- The lamp is blue.\n")

    assert merged is not None
    assert TITLE in merged
    assert entries(merged)[-1] == ((TITLE.removeprefix("# "),), "- The lamp is blue.")


@pytest.mark.parametrize("memory", [None, "", "  \n\n"])
def test_without_a_memory_file_the_old_one_is_taken_as_it_is(memory: str | None) -> None:
    legacy = "---\ntitle: x\n---\n\n- a\n  - b\n"
    assert merge(memory, legacy) == legacy


@pytest.mark.parametrize("memory", [None, MEMORY])
def test_an_empty_old_file_adds_nothing(memory: str | None) -> None:
    assert merge(memory, " \n\n") is None


@pytest.mark.parametrize("end", ["```\nsome code\n", "~~~~\n```\n"])
def test_nothing_is_added_where_it_would_not_be_read(end: str) -> None:
    with pytest.raises(UnmergeableError):
        merge(MEMORY + "\n" + end, "- The lamp is blue.\n")


def test_an_old_file_that_ends_in_a_code_block_would_swallow_what_is_added_later() -> None:
    with pytest.raises(UnmergeableError):
        merge(MEMORY, "- a\n\n```\nnever closed\n")


def test_few_labels_that_are_left_of_many_are_still_added() -> None:
    """Some bullets alone under a heading are one entry; more of them are many."""
    known = "".join(f"- key{number}: value\n" for number in range(7))
    legacy = f"# Desk\n\n{known}- colour: blue\n- height: tall\n- wood: oak\n"
    merged = merge(f"# Desk\n\n{known}- more: than\n- that: makes\n- many: entries\n", legacy)

    assert merged is not None
    assert lines(legacy) <= lines(merged)
    assert merge(merged, legacy) is None


TEXTS = st.lists(
    st.sampled_from(
        [
            "# Core",
            "# People",
            "## Places",
            "### Deep",
            "Title\n===",
            "",
            "- The port is 8123.",
            "- one\n  - two",
            "- key: value",
            "- other: thing",
            "* tea <!-- importance: 9 -->",
            "A paragraph\nof two lines.",
            "```\ncode\n```",
            "<!-- key: a -->\n- keyed",
            "---",
            "1. first",
            "> quoted",
            "| a | b |",
            "    indented",
            "日本語のメモ",
        ]
    ),
    max_size=12,
).map(lambda parts: "\n".join([*parts, ""]))


@given(memory=TEXTS, legacy=TEXTS)
def test_every_line_and_entry_is_kept_and_a_second_time_adds_nothing(memory: str, legacy: str) -> None:
    try:
        merged = merge(memory, legacy)
    except UnmergeableError:
        return
    result = memory if merged is None else merged

    assert lines(memory) | lines(legacy) <= lines(result)
    if memory.strip():
        assert result.startswith(memory.rstrip("\n"))
        assert not Counter(entries(memory)) - Counter(entries(result))
    assert merge(result, legacy) is None
