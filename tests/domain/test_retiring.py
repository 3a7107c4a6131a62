"""Aspirations that are over."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.retiring import retire

TODAY = date(2026, 1, 20)
OVER = "- Learn to sail. <!-- review: 2025-06-01 | expires: 2026-01-01 -->"


def texts(text: str) -> list[str]:
    return [entry.text for entry in parse_entries(text)]


def test_it_is_marked_where_it_stands() -> None:
    text = f"# Core\n\n- One.\n{OVER}\n- Two.\n"

    found = retire(text, TODAY, texts(text))

    assert found is not None
    assert found.entries == (OVER,)
    entries = parse_entries(found.text)
    assert [entry.annotations.status for entry in entries] == [None, "superseded", None]
    assert found.text.replace("<!-- status: superseded -->\n", "") == text
    assert retire(found.text, TODAY, texts(found.text)) is None


def test_a_status_is_turned() -> None:
    text = "- Sail. <!-- review: 2025-06-01 | expires: 2026-01-01 | status: active -->\n"

    found = retire(text, TODAY, texts(text))

    assert found is not None
    assert found.text == text.replace("active", "superseded")


@pytest.mark.parametrize(
    "text",
    [
        "- Sail. <!-- expires: 2026-01-01 -->\n",  # a fact
        "- Sail. <!-- review: 2025-06-01 -->\n",
        "- Sail. <!-- review: 2025-06-01 | expires: 2026-01-20 -->\n",  # until tonight
        "- Sail. <!-- review: 2025-06-01 | expires: 2026-01-01 | status: superseded -->\n",
    ],
)
def test_others_stay(text: str) -> None:
    assert retire(text, TODAY, texts(text)) is None


def test_what_nobody_vouches_for_is_not_touched() -> None:
    assert retire(f"{OVER}\n", TODAY, []) is None


@given(
    st.lists(
        st.sampled_from([OVER, "- One.", "Prose.", "## Head", "", "  - Sub.", "```", "1. Two."]), max_size=8
    )
)
def test_no_other_entry_changes(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = retire(text, TODAY, texts(text))

    if found is not None:
        gone = list(found.entries)
        others = [entry for entry in texts(text) if entry not in gone]
        assert [entry for entry in texts(found.text) if "status: superseded" not in entry] == others
