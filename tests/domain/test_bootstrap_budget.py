import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.bootstrap_budget import Candidate, Choice, choose_entries, cut_prose
from openclaw_memd.domain.curated_layout import is_shown
from openclaw_memd.domain.markdown import parse_entries
from tests.domain.strategies import notes, patient


def candidates(text: str) -> list[Candidate]:
    return [Candidate(entry, entry.annotations.observed) for entry in parse_entries(text) if is_shown(entry)]


def choose(text: str, max_chars: int) -> Choice:
    return choose_entries(text, candidates(text), max_chars, name="MEMORY.md")


def left_out_in(text: str) -> int:
    found = re.search(r"(\d+) entr(?:y|ies) left out\]$", text)
    return int(found[1]) if found else 0


def test_a_file_within_its_budget_is_shown_as_it_is() -> None:
    text = "# Memory\n\nTea at four.\n\n## Work\n- Deploys on Monday.\n- Ana has the key.\n"

    assert choose(text, len(text)) == Choice(
        "# Memory\n\nTea at four.\n\n## Work\n- Deploys on Monday.\n- Ana has the key.", (0, 1, 2), 0
    )


def test_annotations_and_comments_are_not_shown_and_dates_are() -> None:
    text = (
        "# Memory <!-- key: x -->\n<!-- promoted by a dream -->\n"
        "- Tea. <!-- trigger: tea --> <!-- observed: 2026-01-11 -->\n"
    )
    assert choose(text, 1000).text == "# Memory\n- Tea. (noted 2026-01-11)"


def test_headings_with_nothing_below_vanish() -> None:
    text = "# Memory\n\n## Empty\n\n## Full\n- Tea.\n\n## Rules\n\n---\n<!-- todo -->\n\n# End\n"

    assert choose(text, 1000).text == "# Memory\n\n## Full\n- Tea."


def test_the_key_line_comes_first_of_fourteen_thousand_characters() -> None:
    lines = [f"- Fact {number:03}: {'x' * 80}" for number in range(150)]
    text = "# Memory\n" + "\n".join(lines) + "\n- The key is under the heron. <!-- importance: 9 -->\n"
    assert len(text) > 14_000

    choice = choose(text, 12_000)

    assert "- The key is under the heron." in choice.text
    assert len(choice.text) <= 12_000
    assert choice.left_out == left_out_in(choice.text) == 151 - len(choice.shown) > 0
    shown = [line for line in choice.text.split("\n") if line.startswith("- ")]
    assert shown == [line for line in [*lines, "- The key is under the heron."] if line in shown]
    assert shown[-2] == lines[-1]  # of equal ones the last


@pytest.mark.parametrize("letter", ["记", "👩‍👩‍👧", "é", "я"])
def test_budgets_count_code_points_of_every_script(letter: str) -> None:
    text = "".join(f"- {letter * 20} {number}\n" for number in range(200))

    choice = choose(text, 2_000)

    assert 1_800 <= len(choice.text) <= 2_000
    assert choice.left_out == left_out_in(choice.text) == 200 - len(choice.shown)


def test_an_entry_over_the_budget_is_left_out_and_counted() -> None:
    text = f"- Small.\n- {'x' * 13_000} <!-- importance: 10 -->\n- Also small.\n"

    choice = choose(text, 12_000)

    assert choice.text == (
        "- Small.\n- Also small.\n\n[MEMORY.md is over its budget of 12000 characters: 1 entry left out]"
    )


def test_one_entry_of_prose_alone_over_the_budget() -> None:
    assert choose("word " * 3_000, 12_000).text == (
        "[MEMORY.md is over its budget of 12000 characters: 1 entry left out]"
    )


def test_paragraphs_are_entries() -> None:
    text = "\n\n".join(f"Paragraph {number} {'y' * 100}" for number in range(10))

    choice = choose(text, 500)

    assert choice.shown == (6, 7, 8, 9)[-len(choice.shown) :]
    assert choice.text.startswith(f"Paragraph {choice.shown[0]} ")


def test_importance_then_date_then_place() -> None:
    written = [
        ("old", "observed: 2026-01-01"),
        ("new", "observed: 2026-01-09"),
        ("undated", "key: u"),
        ("unimportant", "importance: 4 | observed: 2026-01-10"),
        ("important", "importance: 6"),
    ]
    dated = len(" (noted 2026-01-01)")
    text = "".join(
        f"- {name} {'x' * (60 - len(name) - ('observed' in comment) * dated)} <!-- {comment} -->\n"
        for name, comment in written
    )
    text += f"- {'y' * 400} <!-- importance: 1 -->\n"
    shown = [
        tuple(name for name, _ in written if f"- {name} " in choose(text, budget).text)
        for budget in range(70, 460)
    ]
    assert list(dict.fromkeys(shown)) == [
        (),
        ("important",),
        ("new", "important"),
        ("old", "new", "important"),
        ("old", "new", "undated", "important"),
        ("old", "new", "undated", "unimportant", "important"),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        "<!-- importance: eleven -->",
        "<!-- importance: 11 -->",
        "<!-- importance",
        "<!-- importance: 9",
        "<!-- project -->",
        "-->",
        "`<!-- importance: 9 -->`",
    ],
)
def test_malformed_annotations_lose_nothing(odd: str) -> None:
    choice = choose(f"- Tea at four. {odd}\n- Key.\n", 1_000)

    assert choice.left_out == 0
    assert choice.text.startswith("- Tea at four.")
    assert choice.text.endswith("\n- Key.")


@given(notes, st.integers(0, 600))
@patient
def test_never_over_the_budget_and_always_exact(text: str, max_chars: int) -> None:
    given_ = candidates(text)
    choice = choose(text, max_chars)

    assert len(choice.text) <= max_chars
    assert choice.left_out == len(given_) - len(choice.shown)
    assert list(choice.shown) == sorted(set(choice.shown))
    if choice.left_out and max_chars >= 80:
        assert left_out_in(choice.text) == choice.left_out


@given(notes, st.integers(0, 600))
@patient
def test_entries_are_whole_and_in_the_order_of_the_file(text: str, max_chars: int) -> None:
    given_ = candidates(text)
    choice = choose(text, max_chars)
    position = 0
    for index in choice.shown:
        whole = choose_entries(text, [given_[index]], 100_000, name="MEMORY.md").text
        own = whole.split("\n")[-1]
        position = choice.text.index(own, position) + len(own)


@given(notes, st.integers(0, 400), st.integers(0, 400))
@patient
def test_a_larger_budget_never_does_worse(text: str, one: int, other: int) -> None:
    given_ = candidates(text)
    ranked = sorted(
        range(len(given_)),
        key=lambda index: (
            -(given_[index].entry.annotations.importance or 5),
            -(given_[index].observed_on or date.min).toordinal(),
            -index,
        ),
    )
    small, large = sorted((one, other))
    before, after = choose(text, small).shown, choose(text, large).shown
    assert [index in before for index in ranked] <= [index in after for index in ranked]


@given(st.lists(st.integers(1, 10), min_size=1, max_size=30), st.integers(0, 900), st.integers(0, 900))
@patient
def test_of_equally_long_entries_a_larger_budget_shows_no_fewer(
    importances: list[int], one: int, other: int
) -> None:
    text = "".join(f"- {'x' * 20} <!-- importance: {importance} -->\n" for importance in importances)
    small, large = sorted((one, other))
    assert set(choose(text, small).shown) <= set(choose(text, large).shown)


def test_unseen_entries_take_no_room() -> None:
    text = "# A\n- one\n\n# B\n- two\n"
    (_, second) = candidates(text)

    assert choose_entries(text, [second], 100, name="MEMORY.md").text == "# B\n- two"


def test_prose_within_its_budget_is_whole() -> None:
    prose = cut_prose("# Agents\n<b>Be kind.</b>\n\n", 100, name="AGENTS.md")

    assert (prose.text, prose.is_cut) == ("# Agents\n<b>Be kind.</b>", False)


def test_long_prose_keeps_head_and_tail() -> None:
    text = "HEAD" + "x" * 20_000 + "TAIL"
    prose = cut_prose(text, 12_000, name="AGENTS.md")
    head, tail = re.split(r"\n\[.*\]\n\[.*\]\n", prose.text)

    assert prose.is_cut
    assert len(prose.text) == 12_000
    assert head.startswith("HEAD")
    assert tail.endswith("TAIL")
    assert 2.9 < len(head) / len(tail) < 3.1
    assert "read AGENTS.md" in prose.text


@given(st.text(), st.integers(0, 300))
def test_prose_is_never_over_its_budget(text: str, max_chars: int) -> None:
    prose = cut_prose(text * 5, max_chars, name="AGENTS.md")

    assert len(prose.text) <= max_chars
    assert "\u202e" not in prose.text
