from dataclasses import dataclass
from datetime import date

import pytest

from openclaw_memd.domain.eligibility import Ineligible, has_visible_text, why_not
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind

TODAY = date(2026, 3, 10)


@dataclass(frozen=True)
class One:
    file: str
    entry: Entry
    provenance: Provenance


def reason(
    text: str, *, origin: Origin = Origin.AGENT, file: str = "MEMORY.md", active: tuple[str, ...] = ()
) -> Ineligible | None:
    (entry,) = parse_entries(text)
    one = One(file, entry, Provenance(origin, SessionKind.INTERACTIVE))
    return why_not(one, active_projects=active, today=TODAY)


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (Origin.OWNER, None),
        (Origin.AGENT, None),
        (Origin.SYSTEM, Ineligible.ORIGIN),
        (Origin.UNTRUSTED, Ineligible.ORIGIN),
    ],
)
@pytest.mark.parametrize("file", ["MEMORY.md", "USER.md"])
def test_only_the_owner_and_the_agent_are_injected(
    origin: Origin, expected: Ineligible | None, file: str
) -> None:
    assert reason("- Tea at four.", origin=origin, file=file) is expected


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("status: active", None),
        ("status: superseded", Ineligible.SUPERSEDED),
        ("expires: 2026-03-11", None),
        ("expires: 2026-03-10", None),
        ("expires: 2026-03-09", Ineligible.EXPIRED),
        ("expires: soon", None),
        ("review: 2026-01-01", None),
    ],
)
@pytest.mark.parametrize("file", ["MEMORY.md", "USER.md"])
def test_what_is_over_is_not_injected(annotation: str, expected: Ineligible | None, file: str) -> None:
    assert reason(f"- Tea at four. <!-- {annotation} -->", file=file) is expected


@pytest.mark.parametrize(
    ("keys", "active", "expected"),
    [
        ("h/a", (), Ineligible.OTHER_PROJECT),
        ("h/a", ("h/a",), None),
        ("h/a", ("h/b", "h/a"), None),
        ("h/a", ("h/A",), Ineligible.OTHER_PROJECT),
        ("H/a", ("h/a",), None),
        ("h/a; h/b", ("h/a",), Ineligible.OTHER_PROJECT),
        ("h/a; h/b", ("h/b", "h/a"), None),
        ("path:/srv/x", ("path:/srv/x",), None),
        ("h/a;;h/b", ("h/a", "h/b"), Ineligible.INVALID_PROJECT),
        ("<h/a>", ("<h/a>",), Ineligible.INVALID_PROJECT),
        ("", (), Ineligible.INVALID_PROJECT),
    ],
)
def test_every_project_of_an_entry_must_be_active(
    keys: str, active: tuple[str, ...], expected: Ineligible | None
) -> None:
    text = f"- Tea at four. <!-- project: {keys} -->"

    assert reason(text, active=active) is expected
    assert reason(text, active=active, file="USER.md") is None, "a person is the same in every project"


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("- Tea at four.", True),
        ("- \U0001f375", True),
        ("- 茶", True),
        ("- €", True),
        ("- <!-- key: tea -->", False),
        ("- ...", False),
        ("-", False),
        ("- \u200b", False),
        ("- <!-- one --> <!-- trigger: tea -->", False),
        ("- `<!-- shown -->`", True),
        ("<!-- a remark for people -->", False),
        ("Tea\n\n***", True),
        ("```\ntea\n```", True),
        ("---\ntitle: x\n---", False),
    ],
)
def test_an_entry_that_shows_nothing_is_not_injected(text: str, visible: bool) -> None:
    entry = parse_entries(text)[0]

    assert has_visible_text(entry) is visible
    expected = None if visible else Ineligible.BLANK
    one = One("MEMORY.md", entry, Provenance(Origin.OWNER, SessionKind.INTERACTIVE))
    assert why_not(one, active_projects=(), today=TODAY) is expected


def test_every_reason_has_a_description() -> None:
    assert all(one.description.endswith(".") for one in Ineligible)
    assert len({one.description for one in Ineligible}) == len(Ineligible)
