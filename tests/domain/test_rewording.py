"""What is said again in other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.rewording import find_wording, is_reworded, says_almost
from openclaw_memd.domain.text import Analyzer

ANALYZER = Analyzer()
KEY = "The boathouse key hangs behind the fuse box."
WORDS = st.lists(
    st.sampled_from(["boat", "key", "box", "fuse", "gate", "lamp", "oil", "pump", "rack"]),
    min_size=4,
    max_size=9,
    unique=True,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (KEY, "The key of the boathouse hangs behind the fuse box."),
        (KEY, "The boathouse key hangs just behind the fuse box."),
        (KEY, "Boathouse key: hangs behind the fuse box"),
        (KEY, "The kеy of the bоathouse hangs behind the fuse box."),  # Cyrillic е and о
        (
            "Marta likes her espresso with two spoons of brown sugar every morning.",
            "Marta likes her espresso with two spoons of brown sugar each morning.",
        ),
        (
            "Invoice 4410 of Huber GmbH was paid by card.",
            "Huber GmbH invoice 4410 was already paid by card.",
        ),
        ("Der Schlüssel vom Bootshaus hängt im Keller.", "Der Bootshaus Schlüssel hängt auch im Keller."),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert says_almost(one, other, ANALYZER)
    assert says_almost(other, one, ANALYZER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (KEY, "The boathouse key hangs before the fuse box."),
        (KEY, "The boathouse key does not hang behind the fuse box."),
        (KEY, "The boathouse key hangs behind the second fuse box."),
        ("Lab server runs on port 7001 in Graz.", "Lab server runs on port 7002 in Graz."),
        ("The train runs from Graz to Linz at night.", "The train runs from Linz to Graz at night."),
        ("Graz to Linz takes the slow night train.", "Linz to Graz takes the slow night train."),
        ("Anna of sales reports to Bob on Friday.", "Bob of sales reports to Anna on Friday."),
        ("The alarm rings before the night shift ends.", "The alarm rings after the night shift ends."),
        ("Port 80 forwards requests to port 443.", "Port 443 forwards requests to port 80."),
        ("The red boat key.", "The key of the red lamp."),
        ("Ana -> Bob sends the weekly report.", "Ana <- Bob sends the weekly report."),
    ],
)
def test_something_else(one: str, other: str) -> None:
    assert not says_almost(one, other, ANALYZER)


@given(WORDS, WORDS)
def test_laws(one: list[str], other: list[str]) -> None:
    left, right = (find_wording(" ".join(words), ANALYZER) for words in (one, other))
    assert is_reworded(left, left)
    assert is_reworded(left, right) is is_reworded(right, left)
    assert is_reworded(left, find_wording(" ".join((*one[2:], *one[:2])), ANALYZER))
    if is_reworded(left, right):
        assert sorted(one) == sorted(other)
