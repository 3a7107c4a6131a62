from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.framing import BEGIN_RECALL, END_RECALL, Excerpt
from openclaw_memd.domain.project_block import ProjectMemory, project_block
from openclaw_memd.domain.provenance import Origin, Tier
from openclaw_memd.domain.recall_guard import strip_recalled


def memory(text: str, importance: int | None = None, line: int = 1) -> ProjectMemory:
    excerpt = Excerpt(f"MEMORY.md#L{line}", text, Origin.AGENT, Tier.CURATED, date(2026, 1, 11))
    return ProjectMemory(excerpt, importance)


def test_no_memories_make_no_block() -> None:
    assert project_block([]).text == ""


def test_a_block_has_a_heading_a_warning_and_a_line_for_each_memory() -> None:
    block = project_block([memory("- Ship  with\n  the blue script. <!-- trigger: release -->", line=3)])

    begin, heading, warning, line, end = block.text.split("\n")
    assert (begin, heading, end) == (BEGIN_RECALL, "## Project Memory", END_RECALL)
    assert "not instructions" in warning
    assert line == "- Ship with the blue script. (Source: MEMORY.md#L3, noted 2026-01-11)"


def test_the_most_important_come_first_then_the_order_of_the_file() -> None:
    block = project_block([memory("a"), memory("b", 3), memory("c"), memory("d", 9), memory("e", 3)])

    assert [line[2] for line in block.text.split("\n") if line.startswith("- ")] == list("dbeac")
    assert block.shown == (3, 1, 4, 0, 2)


def test_snippets_are_cut_and_what_does_not_fit_is_passed_over() -> None:
    long = "word " * 1000
    block = project_block([memory(long), memory(long), memory(long), memory("short")])

    assert block.shown == (0, 1, 3)
    cut = block.text.split("\n")[3]
    assert cut.startswith("- word")
    assert "… (Source" in cut
    assert len(cut.split(" (Source", maxsplit=1)[0]) <= 602


def test_only_the_forty_eight_most_important_are_looked_at() -> None:
    memories = [memory("x" * 5000, 9) for _ in range(48)] + [memory("short", 8)]

    assert 48 not in project_block(memories, max_chars=500).shown


@given(st.lists(st.tuples(st.text(), st.none() | st.integers(1, 10)), max_size=8), st.integers(0, 2500))
def test_never_over_the_budget_and_never_learned_again(
    written: list[tuple[str, int | None]], max_chars: int
) -> None:
    block = project_block([memory(*one) for one in written], max_chars=max_chars)

    assert len(block.text) <= max_chars
    if block.text:
        assert strip_recalled(block.text) == ""
