"""A file after a night: nothing that a step does not name is touched, and the limits hold."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.consolidated_text import (
    Consolidated,
    Limits,
    Week,
    consolidate,
    count_losses_left,
)
from openclaw_memd.domain.consolidation import decide
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.lineage import find_anchors
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.text import Analyzer
from tests.domain.facts import OWNER, TODAY, make_fact, make_priors
from tests.domain.strategies import notes, patient

ANALYZER = Analyzer()
ROOMY = Limits(10_000, 100)


def night(
    text: str,
    *facts: Fact,
    limits: Limits = ROOMY,
    today: date = TODAY,
    generated: frozenset[str] = frozenset(),
) -> Consolidated:
    file = facts[0].file
    steps = decide(facts, make_priors(text, file), ANALYZER, today=today).steps
    return consolidate(file, text, steps, limits, today=today, generated=generated)


def test_an_empty_file_gets_a_title_and_a_section() -> None:
    found = night("", make_fact("The office is in Graz.", name="t1"))
    assert found.text == (
        "# Long-Term Memory\n\n## Promoted (2026-01-12)\n\n"
        "<!-- memd:promoted t1 -->\n- The office is in Graz. (Source: memory/2026-01-11.md#L1)"
        " <!-- importance: 8 --> <!-- observed: 2026-01-11 -->\n"
    )
    assert set(found.text.split("\n")) - {""} == {line for line, _ in found.added}


def test_a_second_run_of_the_day_uses_the_section_that_is_there() -> None:
    first = night("# Core\n\n- It rains.\n", make_fact("The office is in Graz.")).text
    second = night(first, make_fact("The lab is in Linz."))
    assert second.text.startswith(first)
    assert second.text.count("## Promoted") == 1
    assert night(second.text, make_fact("The lab is in Linz.")).text == second.text


def test_a_successor_has_the_place_of_what_it_replaces() -> None:
    text = "# Places\n\n- a\n- The office is in Graz. <!-- key: office -->\n- b\n\n# More\n\ntext\n"
    found = night(text, make_fact("The office is in Linz.", key="office", name="t1"))
    lines = found.text.split("\n")
    assert lines[2] == "- a"
    assert lines[3] == "<!-- memd:promoted t1 -->"
    assert lines[4].startswith("- The office is in Linz. (Source:")
    assert lines[5:] == text.split("\n")[4:]


def test_the_anchors_of_what_is_replaced_go_with_it() -> None:
    text = (
        "<!-- openclaw-memory-lineage:office -->\n<!-- memd:promoted t0 -->\n"
        "- The office is in Graz. <!-- key: office -->\n- It rains.\n"
    )
    found = night(text, make_fact("The office is in Linz.", key="office", name="t1"))
    assert "t0" not in found.text
    assert "lineage" not in found.text
    assert list(find_anchors(found.text)) == ["t1"]
    assert found.text.endswith("- It rains.\n")


@pytest.mark.parametrize("text", ["a\x00b", "```sh", "~~~", "- ```"])
def test_what_cannot_be_one_entry_is_not_written(text: str) -> None:
    found = night("# Core\n", make_fact(text), make_fact("The lab is in Linz."))
    assert "The lab is in Linz." in found.text
    assert "\x00" not in found.text
    assert [entry.kind for entry in parse_entries(found.text)] == ["item"] * len(found.steps)


def test_an_order_supersedes_in_place_and_the_old_one_stays_as_history() -> None:
    text = (
        "# User\n\n<!-- observed: 2025-12-01 | status: active -->\n"
        "- Always answer in English. <!-- key: language -->\n"
    )
    found = night(text, make_fact("Always answer in German.", key="language", provenance=OWNER))
    entries = parse_entries(found.text)
    assert [entry.annotations.status for entry in entries] == ["active", "superseded"]
    assert "Always answer in English." in entries[1].text


def test_code_that_is_never_closed_takes_nothing_in() -> None:
    text = "# Core\n\n```\nopen\n"
    found = night(text, make_fact("The office is in Graz."))
    assert found.text.startswith(text + "```\n")
    assert [entry.kind for entry in parse_entries(found.text)] == ["code", "item"]


def test_over_the_budget_the_worst_waits_and_a_full_file_stays_as_it_is() -> None:
    facts = [make_fact(f"Server {number} stands in room {number}.") for number in range(5)]
    limit = len(night("", *facts[:3]).text)
    found = night("", *facts, limits=Limits(limit, 100))
    assert len(found.text) == limit
    assert [step.fact for step in found.steps] == facts[:3]
    assert found.rejected == {facts[3].key: Setback.BUDGET, facts[4].key: Setback.BUDGET}
    full = "# Mine\n\n" + "- It rains.\n" * 100
    assert night(full, *facts, limits=Limits(len(full), 100)).text == full
    assert night(full, *facts, limits=Limits(10, 100)).text == full


def test_more_than_may_go_waits() -> None:
    text = "".join(f"- Office {n} is in Graz. <!-- key: k{n} -->\n" for n in range(4))
    facts = [make_fact(f"Office {n} is in Linz.", key=f"k{n}") for n in range(4)]
    found = night(text, *facts, limits=Limits(10_000, 1))
    assert [step.fact for step in found.steps] == facts[:1]
    assert set(found.rejected.values()) == {Setback.LOSS}
    assert "Office 1 is in Graz" in found.text


@pytest.mark.parametrize(
    ("entries", "past", "left"),
    [
        (0, Week(), 1),
        (1, Week(), 1),
        (4, Week(), 1),
        (8, Week(), 2),
        (40, Week(), 10),
        (40, Week(40, 10), 6),
        (40, Week(40, 16), 0),
        (30, Week(40, 10), 6),
        (40, Week(0, 10), 6),
        (3, Week(3, 1), 0),
    ],
)
def test_how_many_may_go(entries: int, past: Week, left: int) -> None:
    assert count_losses_left(entries, past, night=0.25, week=0.4) == left
    assert count_losses_left(entries, past, night=0.0, week=0.4) == 0


def nights(count: int) -> tuple[str, frozenset[str]]:
    """A file that so many nights wrote a line into, and hashes of what they wrote."""
    text, written = "# Mine\n\n- My own line.\n", frozenset[str]()
    for day in range(1, count + 1):
        done = night(
            text,
            make_fact(f"Server {day} stands in room {day}.", noted=date(2025, 12, day)),
            today=date(2025, 12, day),
        )
        text, written = done.text, written | {hash_text(entry) for entry in done.entries.values()}
    return text, written


def test_the_oldest_generated_sections_make_room_and_no_others() -> None:
    text, written = nights(6)
    new = make_fact("The office is in Graz.")
    found = night(text, new, limits=Limits(len(text), 3), generated=written)
    assert found.compacted == ("Promoted (2025-12-01)",)
    assert len(found.text) <= len(text)
    assert "My own line." in found.text
    assert "Server 1 stands" not in found.text
    assert "Server 6 stands" in found.text
    assert "office" in found.text
    assert next(line for line in text.split("\n") if "Server 6" in line) in found.text


def test_a_section_that_somebody_edited_survives() -> None:
    text, written = nights(3)
    edited = text.replace("Server 1 stands in room 1.", "Server 1 stands in the cellar.")
    foreign = text.replace("## Promoted (2025-12-01)\n", "## Promoted (2025-12-01)\n\nMy comment.\n")
    for changed, kept in ((edited, "in the cellar"), (foreign, "My comment.")):
        found = night(
            changed, make_fact("The office is in Graz."), limits=Limits(len(changed), 5), generated=written
        )
        assert kept in found.text
        assert "Server 2 stands" not in found.text
    unknown = night(text, make_fact("The office is in Graz."), limits=Limits(len(text), 5))
    assert unknown.text == text, "what nobody knows to be generated stays"
    bounded = night(text, make_fact("The office is in Graz."), limits=Limits(len(text), 0), generated=written)
    assert bounded.text == text, "within the bounds of a night"


def test_what_is_replaced_and_what_makes_room_count_together() -> None:
    """One may go in all: the one that is replaced."""
    text, written = nights(3)
    text = text.replace("- My own line.\n", "- The office is in Graz. <!-- key: office -->\n")
    successor = make_fact("The office is in Linz, behind the market.", key="office")
    for losses, fits in ((1, False), (2, True)):
        found = night(text, successor, limits=Limits(len(text), losses), generated=written)
        assert ("Linz" in found.text, bool(found.compacted)) == (fits, fits)
        assert fits or found.text == text


def test_sections_of_openclaw_are_known_by_their_anchors() -> None:
    text = (
        "# Long-Term Memory\n\n## Promoted From Short-Term Memory (2025-11-01)\n\n### Global\n\n"
        "<!-- openclaw-memory-promotion:memory:claim:1 -->\n"
        "- It rained. [score=0.8 source=memory/2025-10-30.md:1-1]\n\n"
        "## Mine\n\n- Stays.\n"
    )
    found = night(text, make_fact("The office is in Graz."), limits=Limits(len(text) + 60, 5))
    assert "It rained." not in found.text
    assert "## Mine\n\n- Stays.\n" in found.text


FACTS = st.lists(
    st.sampled_from(
        [
            make_fact("The office is in Linz.", key="office"),
            make_fact("The gateway listens on port 9400."),
            make_fact("```"),
            make_fact("# no heading"),
            make_fact("<!-- memd:promoted x -->"),
            make_fact("---"),
            make_fact("a\x00b"),
            make_fact("网关在楼下。"),
        ]
    ),
    unique_by=lambda fact: fact.key,
)
OFFICE = st.sampled_from(
    ["", "- The office is in Graz. <!-- key: office -->\n", "- Gateway listens on port 9400\n"]
)


@patient
@given(notes, OFFICE, FACTS, st.integers(0, 2_000))
def test_lines_stay_in_order_the_budget_holds_and_twice_is_once(
    text: str, line: str, facts: list[Fact], room: int
) -> None:
    text = text.replace("\r", "") + line
    limits = Limits(room, 5)
    steps = decide(facts, make_priors(text), ANALYZER, today=TODAY).steps
    found = consolidate("MEMORY.md", text, steps, limits, today=TODAY, generated=())
    if found.text == text:
        return
    assert len(found.text) <= room
    gone = Counter(
        line for step in found.steps for prior in step.gone for line in prior.entry.text.split("\n")
    )
    rest = iter(found.text.split("\n"))
    for kept in text.split("\n"):
        if gone[kept] > 0:
            gone[kept] -= 1
        elif kept.strip():
            assert kept in rest, "a line that no step names is gone or out of order"
    new = Counter(found.text.split("\n")) - Counter(text.split("\n"))
    assert {line for line in new if line} <= {line for line, _ in found.added}
    again = decide(facts, make_priors(found.text), ANALYZER, today=TODAY).steps
    written = {step.fact.key for step in found.steps}
    repeated = [step for step in again if step.fact.key in written]
    twice = consolidate("MEMORY.md", found.text, repeated, limits, today=TODAY, generated=())
    assert twice.text == found.text
