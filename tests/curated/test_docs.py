"""The page about the curated files says what is so."""

from pathlib import Path

from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.placing import SECTION
from openclaw_memd.domain.unfit import Unfit

PAGE = (Path(__file__).parents[2] / "docs/curated.md").read_text(encoding="utf-8")


def test_every_rule_is_in_the_table() -> None:
    for rule in Rule:
        assert f"| `{rule}` | {rule.description} |\n" in PAGE


def test_every_reason_why_a_text_is_no_memory_is_a_rule() -> None:
    assert {reason.value for reason in Unfit} <= {rule.value for rule in Rule}


def test_the_section_has_its_name() -> None:
    assert f"`## {SECTION}`" in PAGE
