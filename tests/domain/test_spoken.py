import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.framing import BEGIN_RECALL, END_RECALL
from openclaw_memd.domain.spoken import SPOKEN_BYTES, spoken_text


@pytest.mark.parametrize(
    ("message", "spoken"),
    [
        ("When do we ship?", "When do we ship?"),
        ("Look:\n```\nship it\n```\nWhat is that?", "Look:\nWhat is that?"),
        ("Look:\n~~~\nship it", "Look:"),
        ("> ship it\nWhat did you mean?", "What did you mean?"),
        ("  > ship it\n>> release\nWell?", "Well?"),
        (f"Hello\n{BEGIN_RECALL}\n- ship it\n{END_RECALL}\nWell?", "Hello\nWell?"),
        (f"Hello\n{BEGIN_RECALL}\n- ship it", "Hello\n"),
        ("a > b", "a > b"),
        ("", ""),
    ],
)
def test_what_is_quoted_is_not_said(message: str, spoken: str) -> None:
    assert spoken_text(message) == spoken


def test_of_a_long_message_the_end_counts() -> None:
    message = "first " + "x " * 5_000 + "last"

    assert spoken_text(message).endswith("last")
    assert "first" not in spoken_text(message)
    assert len(spoken_text(message)) == SPOKEN_BYTES


def test_a_block_that_begins_before_the_end_is_taken_out_whole() -> None:
    message = f"Hi\n{BEGIN_RECALL}\n" + "- ship it\n" * 1_000 + f"{END_RECALL}\nWell?"

    assert spoken_text(message) == "Hi\nWell?"


@given(st.text(max_size=300), st.integers(1, 64))
def test_the_limit_holds_and_no_character_is_cut(message: str, limit: int) -> None:
    spoken = spoken_text(message, limit)

    assert len(spoken.encode("utf-8", "surrogatepass")) <= limit
    assert set(spoken) <= set(message)
