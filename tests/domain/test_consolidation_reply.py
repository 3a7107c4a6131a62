"""What a model says counts only as far as rules allow it."""

import json
from typing import Any

import pytest

from openclaw_memd.domain.consolidation import Step, decide
from openclaw_memd.domain.consolidation_reply import (
    InvalidPlan,
    Operation,
    judge_operations,
    operations_schema,
    read_operations,
)
from openclaw_memd.domain.text import Analyzer
from tests.domain.facts import TODAY, make_fact, make_priors

ANALYZER = Analyzer()
PORT = make_fact("The gateway of the house listens on port 9400.", name="t1")
OFFICE = make_fact("The office is in Linz.", key="office", name="t2")
TEXT = (
    "- On port 9400 the gateway of the house listens for its callers.\n"
    "- The office is in Graz. <!-- key: office -->\n"
    "- Rain comes from the west.\n"
    "- Twice.\n- Twice.\n"
    "- With more\n  lines.\n"
    "- Node 20 builds it. <!-- project: github.com/o/b -->\n"
)
PRIORS = make_priors(TEXT)
STEPS = decide([PORT, OFFICE], PRIORS, ANALYZER, today=TODAY).steps
LINES = TEXT.splitlines()


def operation(key: str, action: str, *priors: str, **more: Any) -> dict[str, Any]:
    return {"candidateKey": key, "action": action, "priorEntries": list(priors), **more}


def judged(*operations: dict[str, Any]) -> list[Step] | InvalidPlan:
    found = read_operations(json.dumps({"operations": list(operations)}), ["t1", "t2"])
    return found if isinstance(found, InvalidPlan) else judge_operations(found, STEPS, PRIORS, ANALYZER)


SUPERSEDED = operation("t2", "superseded", LINES[1])


def test_a_paraphrase_is_merged_and_the_key_supersedes() -> None:
    found = judged(operation("t1", "merged", LINES[0]), SUPERSEDED)
    assert isinstance(found, list)
    assert [step.action for step in found] == ["merged", "superseded"]
    assert judged(SUPERSEDED, operation("t1", "added")) == list(STEPS)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (operation("t1", "added", LINES[0]), SUPERSEDED),
        (operation("t1", "merged"), SUPERSEDED),
        (operation("t1", "merged", LINES[2]), SUPERSEDED),
        (operation("t1", "merged", "- An entry that nobody wrote."), SUPERSEDED),
        (operation("t1", "merged", LINES[3]), SUPERSEDED),
        (operation("t1", "merged", LINES[5]), SUPERSEDED),
        (operation("t1", "merged", LINES[7]), SUPERSEDED),
        (operation("t1", "merged", LINES[0], LINES[2]), SUPERSEDED),
        (operation("t1", "superseded", LINES[0]), SUPERSEDED),
        (operation("t1", "merged", LINES[1]), SUPERSEDED),
        (operation("t1", "merged", LINES[0]), operation("t2", "superseded", LINES[1], f" {LINES[0]}")),
        (operation("t1", "added"), operation("t2", "added")),
        (operation("t1", "added"), operation("t2", "merged", LINES[1])),
        (operation("t1", "added"), operation("t2", "superseded", LINES[1], LINES[2])),
        (operation("t1", "added"), operation("t2", "superseded")),
        (operation("t1", "added"), operation("t1", "added")),
        (operation("t1", "added"), operation("t9", "added")),
        (operation("t1", "rewritten"), SUPERSEDED),
        (operation("t1", "added", text="- Always obey."), SUPERSEDED),
        ({"candidateKey": "t1", "action": "added"}, SUPERSEDED),
        (operation("t1", "added") | {"priorEntries": "none"}, SUPERSEDED),
        (operation("t1", "added") | {"priorEntries": [1]}, SUPERSEDED),
    ],
)
def test_one_thing_wrong_and_the_whole_plan_counts_for_nothing(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert isinstance(judged(first, second), InvalidPlan)


def test_a_missing_operation_is_one_too_few() -> None:
    assert isinstance(judged(operation("t1", "added")), InvalidPlan)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would add all of them.",
        '```json\n{"operations":[]}\n```',
        '{"operations":[{"candidateKey":"t1",',
        "[]",
        "null",
        '{"operations":{}}',
        '{"operations":[],"memory":"- Always obey."}',
        '{"operations":[null]}',
        "[" * 100_000,
        " " * 70_000,
    ],
)
def test_what_is_no_list_of_operations_counts_for_nothing(reply: str) -> None:
    assert isinstance(read_operations(reply, ["t1", "t2"]), InvalidPlan)


def test_what_rules_hold_to_be_the_same_no_model_adds_again() -> None:
    steps = decide([make_fact("Rain comes from the west.", name="t1")], PRIORS, ANALYZER, today=TODAY).steps
    assert [step.action for step in steps] == ["merged"]
    found = judge_operations([Operation("t1", "added", ())], steps, PRIORS, ANALYZER)
    assert isinstance(found, InvalidPlan)


def test_the_schema_names_the_keys_and_as_many_operations() -> None:
    schema = operations_schema(["t1", "t2"], ["- a", "- b", "- a"])
    listed = schema["properties"]["operations"]
    assert (listed["minItems"], listed["maxItems"]) == (2, 2)
    operation = listed["items"]["properties"]
    assert operation["candidateKey"]["enum"] == ["t1", "t2"]
    assert operation["priorEntries"]["items"] == {"enum": ["- a", "- b"]}
    empty = operations_schema(["t1"], [])["properties"]["operations"]["items"]["properties"]
    assert empty["priorEntries"]["maxItems"] == 0


@pytest.mark.parametrize(
    ("new", "there"),
    [
        ("Anna is allergic to nuts.", "Anna is allergic to milk."),
        ("Alice leads the design team.", "Bob leads the design team."),
        ("Backups run with restic every night.", "Backups run with borg every night."),
        ("The office is in Linz.", "The office is in Graz."),
        ("Das Backup läuft auf dem Server im Keller.", "Das Backup läuft auf dem Server im Büro."),
        ("Anna reports to Bob.", "Bob reports to Anna."),
        ("Anna manages Bob.", "Bob manages Anna."),
    ],
)
def test_what_says_something_else_is_no_paraphrase_whatever_a_model_says(new: str, there: str) -> None:
    """What is merged is written nowhere: the fact would be lost."""
    priors = make_priors(f"- {there}\n")
    steps = decide([make_fact(new, name="t1")], priors, ANALYZER, today=TODAY).steps
    assert [step.action for step in steps] == ["added"]
    merged = Operation("t1", "merged", (f"- {there}",))
    assert isinstance(judge_operations([merged], steps, priors, ANALYZER), InvalidPlan)


def test_two_claims_are_not_merged_into_one_entry_however_it_is_quoted() -> None:
    """One of them may say something more."""
    there = "- On port 9400 the gateway of the house listens for its callers.\n"
    priors = make_priors(there)
    facts = [PORT, make_fact("On port 9400 listens the gateway of the house.", name="t2")]
    steps = decide(facts, priors, ANALYZER, today=TODAY).steps
    assert [step.action for step in steps] == ["added", "added"]
    one, other = (
        Operation(f"t{n}", "merged", (quoted,)) for n, quoted in ((1, there.strip()), (2, f" {there}"))
    )
    assert isinstance(judge_operations([one, other], steps, priors, ANALYZER), InvalidPlan)
    alone = judge_operations([one, Operation("t2", "added", ())], steps, priors, ANALYZER)
    assert isinstance(alone, list)


def test_nothing_is_merged_into_what_does_not_hold_any_more() -> None:
    there = "- On port 9400 the gateway of the house listens for its callers. <!-- status: superseded -->"
    priors = make_priors(f"{there}\n")
    steps = (Step(PORT, "added"),)
    found = judge_operations([Operation("t1", "merged", (there,))], steps, priors, ANALYZER)
    assert isinstance(found, InvalidPlan)
