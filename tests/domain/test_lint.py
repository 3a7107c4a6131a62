"""What is found in curated files."""

from datetime import date

import pytest
from hypothesis import given

from openclaw_memd.domain.curated_files import MEMORY, USER, budget_chars
from openclaw_memd.domain.lint import Finding, lint_text
from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.text import Analyzer
from tests.domain.strategies import notes, patient

TODAY = date(2026, 1, 11)
ANALYZER = Analyzer(("en", "de"))
STATED = "<!-- observed: 2026-01-11 | status: active -->"


def lint(text: str, file: str = MEMORY, budget: int = 10_000) -> list[Finding]:
    return lint_text(file, text, today=TODAY, budget_chars=budget, analyzer=ANALYZER)


def found(text: str, file: str = MEMORY) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule.value) for finding in lint(text, file)]


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("- a b <!-- importance: 11 -->", 1, "bad_importance"),
        ("- a b <!-- importance: high -->", 1, "bad_importance"),
        ("- a b <!-- importance: 3", 1, "unterminated_comment"),
        ("- a b <!-- note", 1, "unterminated_comment"),
        ("- a b <!-- project: ; -->", 1, "bad_project"),
        ("- a b <!-- project: a<b -->", 1, "bad_project"),
        ("- a <!-- trigger: the roof --> b", 1, "misplaced_annotation"),
        ("- a b <!-- trigger: , -->", 1, "bad_trigger"),
        ("- a b <!-- trigger: x -->", 1, "weak_trigger"),
        ("- a b <!-- trigger: what is the -->", 1, "weak_trigger"),
        ("- a b <!-- trigger: 的 -->", 1, "weak_trigger"),
        ("- a b <!-- observed: 2026-13-01 -->", 1, "bad_date"),
        ("- a b <!-- review: tomorrow -->", 1, "bad_date"),
        ("- a b <!-- status: done -->", 1, "bad_status"),
        ("- a b <!-- key: -->", 1, "bad_key"),
        ("- a b <!-- triggers: the roof -->", 1, "unknown_annotation"),
        ("- a b <!-- importance = 3 -->", 1, "unknown_annotation"),
        ("# A\n\n- a b <!-- review: 2026-01-11 -->", 3, "review_due"),
        ("# A\n\n- a b <!-- expires: 2026-01-10 -->", 3, "expired"),
        ("- the roof leaks\n- b\n- The roof leaks", 3, "near_duplicate"),
        ("- the roof leaks\n- b\n- the roof leaks <!-- importance: 3 -->", 3, "duplicate"),
        ("- one <!-- key: k -->\n- two <!-- key: k -->", 2, "duplicate_key"),
        (f"- {'x ' * 400}", 1, "long_entry"),
        ("- token: ghp_0123456789abcdefghij0123456789abcdef", 1, "secret"),
        ("- b\n\ndiff --git a/x b/x", 3, "diff"),
    ],
)
def test_a_fault_is_found_where_it_is(text: str, line: int, rule: str) -> None:
    assert found(text) == [(line, rule)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Core\n\n- The gateway port is 8123. <!-- trigger: gateway port --> <!-- importance: 7 -->\n",
        "- a <!-- project: github.com/o/a -->\n- b <!-- key: k | observed: 2026-01-11 -->\n",
        "- one <!-- key: k --> <!-- project: github.com/o/a -->\n- two <!-- key: k -->",
        "- one <!-- key: k | status: superseded -->\n- two <!-- key: k -->",
        "- `<!-- importance: 11 -->` is code\n\n```\n<!-- importance: 99 -->\n```\n",
        "<!-- a remark\nof two lines -->\n",
        "- a <!-- just a remark --> b\n",
        "- goal <!-- review: 2026-01-12 | expires: 2026-01-11 -->\n",
        "- over <!-- status: superseded | expires: 2020-01-01 | review: 2020-01-01 -->\n",
        "---\nstatus: odd\n---\n- a\n",
        "- Lab server runs on port 7001.\n- Test server runs on port 7002.\n",
        "- 网关设置 <!-- trigger: 网关设置 -->",
    ],
)
def test_what_is_right_is_not_found(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"{STATED}\n- Always answer in German.\n", []),
        (f"- Never call. {STATED}\n", []),
        ("- Always answer in German.\n", ["missing_observed", "missing_status"]),
        (f"{STATED}\n- Ana lives in Graz.\n", ["not_imperative"]),
        (f"{STATED}\n- Never call and never write.\n", ["several_instructions"]),
        (f"{STATED}\n- Never call. <!-- project: github.com/o/a -->\n", ["project_ignored"]),
        (f"{STATED}\n- Never call. <!-- project: ; -->\n", ["project_ignored"]),
        (f"{STATED.replace('active', 'superseded')}\n- old words\n", []),
        (
            f"{STATED}\n- Never call. <!-- key: k -->\n{STATED}\n- Always call. <!-- key: k -->\n",
            ["duplicate_key"],
        ),
    ],
)
def test_user_md_has_a_contract(text: str, rules: list[str]) -> None:
    assert [rule for _, rule in found(text, USER)] == rules


def test_the_budget_names_the_line_from_which_on_nothing_may_be_seen() -> None:
    text = "- 端口📦\n" * 2_000
    (finding,) = [finding for finding in lint(text, budget=100) if finding.rule is Rule.OVER_BUDGET]
    assert (finding.line, finding.detail) == (17, "the file has 12000 characters, 100 are of use")
    assert budget_chars(MEMORY, file_chars=12_000, user_chars=4_000) == 10_000
    assert budget_chars(MEMORY, file_chars=9_000, user_chars=4_000) == 9_000
    assert budget_chars(USER, file_chars=12_000, user_chars=4_000) == 4_000


@given(notes)
@patient
def test_no_finding_shows_the_text_and_each_is_in_the_file(text: str) -> None:
    secret = "zebrastripe"
    marked = (
        text.replace("release", secret)
        + f"\n- {secret} <!-- importance: {secret} --> <!-- tigger: {secret} -->"
    )
    findings = lint(marked) + lint(marked, USER)
    assert findings
    assert all(secret not in finding.detail for finding in findings)
    assert all(1 <= finding.line <= marked.count("\n") + 1 for finding in findings)


def test_every_rule_has_a_sentence() -> None:
    assert all(rule.description.endswith(".") for rule in Rule)


def test_a_thousand_entries_are_looked_at_quickly() -> None:
    text = "".join(
        f"- server {number} of rack {number % 7} runs on port {number}.\n" for number in range(1_000)
    )
    assert [finding.rule for finding in lint(text)] == [Rule.OVER_BUDGET]
