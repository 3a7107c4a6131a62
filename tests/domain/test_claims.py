"""When two texts say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.claims import CLAIM_CHARS, claim_key, claim_text
from openclaw_memd.domain.provenance import Origin


@pytest.mark.parametrize(
    "text",
    [
        "- Ship with the blue script. <!-- trigger: release -->",
        "Ship with the  blue\nscript.",
        "  3. ship WITH the blue script.",
        "- [x] Ship with\n  the blue script.",
        "<!-- importance: 9 -->\n* Ship with the blue script.",
    ],
)
def test_form_says_nothing(text: str) -> None:
    assert claim_key(text, Origin.AGENT) == claim_key("Ship with the blue script.", Origin.OWNER)


def test_trust_is_part_of_a_claim() -> None:
    keys = {origin: claim_key("same words", origin) for origin in Origin}
    assert keys[Origin.OWNER] == keys[Origin.AGENT] != keys[Origin.UNTRUSTED] == keys[Origin.SYSTEM]


def test_what_differs_behind_the_cut_is_another_claim() -> None:
    one, other = "x" * CLAIM_CHARS + " one", "x" * CLAIM_CHARS + " other"
    assert claim_text(one) == claim_text(other)
    assert claim_key(one, Origin.AGENT) != claim_key(other, Origin.AGENT)


@pytest.mark.parametrize(
    ("one", "other"), [("10mg", "100mg"), ("[10mg]", "10mg"), ("deploy", "do not deploy")]
)
def test_what_is_said_otherwise_is_another_claim(one: str, other: str) -> None:
    assert claim_key(one, Origin.AGENT) != claim_key(other, Origin.AGENT)


@given(st.text())
def test_a_claim_is_one_short_line(text: str) -> None:
    found = claim_text(text)
    assert len(found) <= CLAIM_CHARS
    assert "\n" not in found
    assert found == found.strip()
