import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.message_language import is_english, names_doer


@pytest.mark.parametrize(
    ("message", "others", "expected"),
    [
        ("the customer called us", ("de",), True),
        ("die Kunden sind da", ("de",), False),
        ("customer", ("de",), False),
        ("the form of the thing", ("de", "fr"), True),
        ("the form", (), False),
        ("the form of it", ("nl",), False),
        ("am was in", ("de",), False),
    ],
)
def test_the_language_of_a_message_is_that_of_its_common_words(
    message: str, others: tuple[str, ...], expected: bool
) -> None:
    assert is_english(message.lower().split(), others) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("custom", "customer", True),
        ("customers", "custom", True),
        ("note", "noter", True),
        ("termin", "termine", False),
        ("user", "users", False),
        ("form", "form", False),
        ("form", "platformer", False),
    ],
)
def test_who_does_something(one: str, other: str, expected: bool) -> None:
    assert names_doer(one, other) is expected


@given(st.text("abr", max_size=5), st.text("abr", max_size=5))
def test_the_order_makes_no_difference(one: str, other: str) -> None:
    assert names_doer(one, other) == names_doer(other, one)
