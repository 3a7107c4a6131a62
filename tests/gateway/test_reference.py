import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from openclaw_memd.deep.types import DeepReason
from openclaw_memd.domain import promotion_gates
from openclaw_memd.domain.admission import Exclusion
from openclaw_memd.domain.authority import missing_authority
from openclaw_memd.domain.eligibility import Ineligible
from openclaw_memd.domain.escalation import EscalationReason
from openclaw_memd.domain.flush_plan import FlushReason
from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.notes import Obstacle
from openclaw_memd.gateway.contexts import caller_of
from openclaw_memd.gateway.jsonguard import JsonFault
from openclaw_memd.gateway.methods import METHODS, describe_all
from openclaw_memd.gateway.reasons import (
    ANSWER_REASONS,
    DEEP_REASONS,
    ERROR_REASONS,
    EXCLUDED_REASONS,
    IMPORT_REASONS,
    MESSAGE_REASONS,
    PLAN_REASONS,
    SETBACK_REASONS,
    SKIP_REASONS,
    TRANSCRIPT_REASONS,
    TURN_REASONS,
    WITHHELD_REASONS,
)
from openclaw_memd.gateway.reference import render_reference
from openclaw_memd.gateway.schemas import Context, Sender
from openclaw_memd.gateway.table import AnyMethod
from openclaw_memd.index import faults
from openclaw_memd.injection.bootstrap import Lacking
from openclaw_memd.recall.types import Degraded, EmptyReason
from openclaw_memd.sessions.filters import FilterReason
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.skips import MessageSkip
from openclaw_memd.turn.drafts import Part

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "openclaw_memd"


def test_the_committed_page_is_the_generated_one() -> None:
    assert (ROOT / "docs/api.md").read_text(encoding="utf-8") == render_reference(), (
        "run: python -m openclaw_memd.gateway.reference"
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_an_example_is_a_right_call(method: AnyMethod) -> None:
    msgspec.convert(method.example, method.params)


def test_every_error_has_its_code() -> None:
    page = render_reference()
    for kind, error in describe_all()["components"]["errors"].items():
        assert f"| {error['code']} | `{kind}` |" in page


def codes_in_source() -> Iterator[str]:
    """The reasons that are written where errors are made: ``Error(..., reason=...)`` and faults."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
            if name == "too_large":
                given = node.args[1:]
            if name.endswith("Error") or name in {"too_large", "make_fault"}:
                yield from (
                    value.value
                    for value in given
                    if isinstance(value, ast.Constant) and isinstance(value.value, str)
                )


def test_every_reason_in_the_source_is_described_and_no_other() -> None:
    lacking = [
        Context(),
        Context(sender=Sender(is_owner=True)),
        Context(sender=Sender(is_owner=True), session_kind="interactive"),
        Context(sender=Sender(is_owner=True), session_kind="interactive", chat_type="direct", tainted=True),
    ]
    used = {
        *codes_in_source(),
        *get_args(JsonFault),
        *map(missing_authority, map(caller_of, [None, *lacking])),
        *(set(Obstacle) - set(SKIP_REASONS)),
    }
    assert used | set(faults._DISK_ERRORS.values()) == set(ERROR_REASONS)


def test_the_other_reasons_are_those_of_their_types() -> None:
    assert set(ANSWER_REASONS) == {*get_args(EmptyReason), *get_args(Degraded)}
    assert set(SKIP_REASONS) == set(SkipReason)
    assert set(EXCLUDED_REASONS) == set(promotion_gates.Exclusion)
    assert set(SETBACK_REASONS) == set(Setback)
    assert set(DEEP_REASONS) == {*EscalationReason, *get_args(DeepReason)}
    assert set(MESSAGE_REASONS) == {*FilterReason, *MessageSkip, *Exclusion}
    assert set(IMPORT_REASONS) == set(ImportReason)
    assert set(PLAN_REASONS) == set(FlushReason)
    assert set(TURN_REASONS) == {*get_args(Part), *get_args(Lacking), "deadline"}
    assert set(TRANSCRIPT_REASONS) == set(TranscriptSkip)
    assert set(WITHHELD_REASONS) == set(Ineligible)


def test_every_link_leads_to_a_heading() -> None:
    page = render_reference()
    headings = {title.lower().replace(".", "") for title in re.findall(r"^#+ (\S+)$", page, re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]*)\)", page))
    assert links
    assert links <= headings
