import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.cli.citations import Place, format_citation, parse_citation


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("MEMORY.md", Place("MEMORY.md")),
        ("memory/a.md#L3", Place("memory/a.md", 3, 3)),
        ("memory/a.md#L3-L5", Place("memory/a.md", 3, 5)),
        ("memory/a.md#L3-5", Place("memory/a.md", 3, 5)),
        ("memory/a#L1.md", Place("memory/a#L1.md")),
        ("memory/a#L1.md#L2", Place("memory/a#L1.md", 2, 2)),
        ("memory/a.md#L0", Place("memory/a.md#L0")),
        ("memory/a.md#L3\n", Place("memory/a.md#L3\n")),
    ],
)
def test_a_citation_names_a_place(text: str, place: Place) -> None:
    assert parse_citation(text) == place


@given(st.text(), st.integers(1, 10**6), st.integers(0, 10**6))
def test_what_is_printed_is_understood(path: str, start: int, more: int) -> None:
    place = Place(path, start, start + more)

    assert parse_citation(format_citation(place)) == place
