"""What becomes of a fact follows from rules."""

from dataclasses import replace
from datetime import date

import pytest

from openclaw_memd.domain.consolidation import Decision, Prior, decide
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.text import Analyzer
from tests.domain.facts import OWNER, TODAY, make_fact, make_priors

ANALYZER = Analyzer()
GRAZ = "- The office is in Graz. <!-- key: office | observed: 2025-03-01 -->\n"


def decided(priors: list[Prior], *facts: Fact) -> Decision:
    return decide(facts, priors, ANALYZER, today=TODAY)


def actions(decision: Decision) -> list[str]:
    return [step.action for step in decision.steps]


def why(decision: Decision) -> list[Setback]:
    return list(decision.rejected.values())


@pytest.mark.parametrize(
    "line",
    [
        "- The gateway listens on port 9400.",
        "* the gateway listens on port 9400 <!-- importance: 3 -->",
        "- Gateway listens on the port 9400!",
        "- The gateway listens on port 9400. (Source: memory/2026-01-02.md#L7) <!-- observed: 2026-01-02 -->",
    ],
)
def test_what_is_there_in_almost_the_same_words_is_merged(line: str) -> None:
    found = decided(make_priors(f"{line}\n"), make_fact("The gateway listens on port 9400."))
    assert actions(found) == ["merged"]
    assert [prior.entry.text for prior in found.steps[0].priors] == [line]


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("The gateway listens on port 9400.", "The gateway listens on port 9401."),
        ("The dose is [10mg].", "The dose is [100mg]."),
        ("The gateway is reachable from outside.", "The gateway is not reachable from outside."),
        ("Lab server runs on port 7001.", "Test server runs on port 7002."),
        ("Use `retry_count` in the client.", "Use `retry_limit` in the client."),
    ],
)
def test_other_numbers_names_and_negations_make_another_fact(there: str, new: str) -> None:
    assert actions(decided(make_priors(f"- {there}\n"), make_fact(new))) == ["added"]


def test_an_explicit_key_supersedes_and_nothing_else_does() -> None:
    fact = make_fact("The office is in Linz (since April).", key="office")
    found = decided(make_priors(GRAZ + "- The lab is in Graz.\n"), fact)
    assert actions(found) == ["superseded"]
    assert [prior.entry.text for prior in found.steps[0].priors] == [GRAZ.strip()]
    without_key = decided(make_priors(GRAZ), make_fact("The office is in Linz (since April)."))
    assert actions(without_key) == ["added"]
    assert [one.other_text for one in without_key.contradictions] == ["The office is in Graz."]


def test_only_a_newer_observation_takes_the_place() -> None:
    old = make_fact("The office is in Linz.", key="office", noted=date(2025, 1, 5))
    assert why(decided(make_priors(GRAZ), old)) == [Setback.OLDER]
    undated = make_fact("The office is in Linz.", key="office", noted=None)
    assert why(decided(make_priors(GRAZ), undated)) == [Setback.OLDER]
    assert actions(decided(make_priors("- The office is in Graz. <!-- key: office -->\n"), undated)) == [
        "superseded"
    ]


def test_nobody_supersedes_who_is_trusted_more() -> None:
    fact = make_fact("The office is in Linz.", key="office")
    assert why(decided(make_priors(GRAZ, origin=Origin.OWNER), fact)) == [Setback.ORIGIN]
    assert why(decided(make_priors(GRAZ, origin=None), fact)) == [Setback.ORIGIN], (
        "somebody wrote it just now"
    )
    assert actions(decided(make_priors(GRAZ, origin=Origin.OWNER), replace(fact, provenance=OWNER))) == [
        "superseded"
    ]


@pytest.mark.parametrize("origin", [Origin.UNTRUSTED, Origin.SYSTEM])
def test_text_from_outside_neither_blocks_nor_gives_way(origin: Origin) -> None:
    poison = make_priors("- The office is in Linz. <!-- key: office -->\n", origin=origin)
    found = decided(poison, make_fact("The office is in Linz.", key="office"))
    assert actions(found) == ["added"]
    assert not found.contradictions


def test_other_projects_are_other_facts() -> None:
    here = make_fact("The build uses node 20.", key="node", projects=("github.com/o/a",))
    there = "- The build uses node 18. <!-- project: github.com/o/b --> <!-- key: node -->\n"
    assert actions(decided(make_priors(there), here)) == ["added"]
    same = "- The build uses node 20. <!-- project: github.com/o/b -->\n"
    assert actions(decided(make_priors(same), here)) == ["added"]
    everywhere = "- The build uses node 20.\n"
    assert actions(decided(make_priors(everywhere), here)) == ["merged"]
    assert actions(decided(make_priors(same), make_fact("The build uses node 20."))) == ["added"]


def test_an_entry_of_several_lines_is_left_to_people() -> None:
    several = "- The office is in Graz. <!-- key: office -->\n  Second floor.\n"
    assert why(decided(make_priors(several), make_fact("The office is in Linz.", key="office"))) == [
        Setback.CONTINUATION
    ]
    marked = "<!-- memd:promoted t1 -->\n- The office is in Graz. <!-- key: office -->\n"
    assert actions(decided(make_priors(marked), make_fact("The office is in Linz.", key="office"))) == [
        "superseded"
    ]


def test_what_was_superseded_does_not_come_back() -> None:
    gone = "<!-- observed: 2026-01-11 | status: superseded -->\n- Always answer in German.\n"
    order = make_fact("Always answer in German.", provenance=OWNER)
    older = make_fact("Always answer in German.", provenance=OWNER, noted=date(2026, 1, 1))
    assert why(decided(make_priors(gone, "USER.md"), older)) == [Setback.SUPERSEDED]
    assert actions(decided(make_priors(gone, "USER.md"), order)) == ["added"], "he said it again"


def test_what_expired_is_not_promoted() -> None:
    fact = make_fact("The office is closed.", expires=date(2026, 1, 11))
    assert why(decided([], fact)) == [Setback.EXPIRED]
    assert actions(decided([], make_fact("The office is closed.", expires=TODAY))) == ["added"]


def test_the_same_twice_in_a_night_is_one_entry_for_both() -> None:
    found = decided(
        [], make_fact("The gateway listens on port 9400."), make_fact("Gateway listens on port 9400")
    )
    assert [step.fact.keys for step in found.steps] == [
        ("t:The gateway listens on port 9400.", "t:Gateway listens on port 9400")
    ]


def test_of_two_with_one_key_the_newer_counts_and_the_owner_before_all() -> None:
    graz = make_fact("The office is in Graz.", key="office", noted=date(2026, 1, 9))
    linz = make_fact("The office is in Linz.", key="office", noted=date(2026, 1, 10))
    found = decided([], graz, linz)
    assert [step.fact.text for step in found.steps] == ["The office is in Linz."]
    assert found.rejected == {graz.key: Setback.OLDER}
    found = decided([], replace(graz, provenance=OWNER), linz)
    assert [step.fact.text for step in found.steps] == ["The office is in Graz."]
    assert found.rejected == {linz.key: Setback.ORIGIN}


def test_two_servers_and_two_offices_of_one_night_all_stay() -> None:
    facts = [
        make_fact("Lab server runs on port 7001."),
        make_fact("Test server runs on port 7002."),
        make_fact("The office is in Graz."),
        make_fact("The office is in Linz."),
    ]
    found = decided([], *facts)
    assert actions(found) == ["added"] * 4
    assert [(one.text, one.other_text) for one in found.contradictions] == [
        ("The office is in Graz.", "The office is in Linz.")
    ]


def test_every_setback_tells_people_what_it_is() -> None:
    assert all(setback.description.endswith(".") for setback in Setback)


@pytest.mark.parametrize(
    "line",
    [
        "- The gateway listens on port 9400 in the cellar. <!-- mine, do not touch -->",
        "- The gateway just listens on port 9400 in the cellar.",
        "- The gateway in the cellar listens on port 9400.",
    ],
)
def test_comments_fillers_and_order_make_no_other_fact(line: str) -> None:
    found = decided(make_priors(f"{line}\n"), make_fact("The gateway listens on port 9400 in the cellar."))
    assert actions(found) == ["merged"]


def test_one_night_adds_what_is_said_in_two_ways_once() -> None:
    one = make_fact("The boathouse key hangs behind the fuse box.", name="t1")
    other = make_fact("The key of the boathouse hangs behind the fuse box.", name="t2")
    steps = decided([], one, other).steps
    assert [step.fact.keys for step in steps] == [("t1", "t2")]


def test_the_same_words_under_another_key_are_no_place_for_a_key() -> None:
    there = "- The office is in Linz. <!-- key: branch -->\n"
    fact = make_fact("The office is in Linz.", key="office")
    assert actions(decided(make_priors(there), fact)) == ["added"]
    assert actions(decided(make_priors("- The office is in Linz.\n"), fact)) == ["merged"]


def test_a_date_that_has_not_come_is_no_observation() -> None:
    """A wrong year in a note would replace what is newer, and never be replaced itself."""
    ahead = make_fact("The office is in Linz.", key="office", noted=date(2062, 1, 1))
    assert why(decided(make_priors(GRAZ), ahead)) == [Setback.OLDER]
    wrong = make_priors(GRAZ.replace("2026", "2062").replace("2025", "2062"))
    assert actions(decided(wrong, make_fact("The office is in Linz.", key="office"))) == ["superseded"]
    later, _ = (make_fact("It is in Linz.", key="o", name="t1"), ahead)
    rival = make_fact("It is in Rome.", key="o", name="t2", noted=date(2062, 1, 1))
    assert [step.fact.key for step in decided([], rival, later).steps] == ["t1"]
