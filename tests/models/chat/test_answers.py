import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.chat.answers import MOST_BYTES, check_answer, unfence
from openclaw_memd.ports import ChatModelError


@given(st.text())
def test_what_is_not_fenced_stays_as_it_is(text: str) -> None:
    if "```" not in text:
        assert unfence(text) == text


@pytest.mark.parametrize(
    "text", ['```json\n{"a": 1}\n```', '```\n{"a": 1}```\n', '  ```JSON \n{"a": 1}\n ```']
)
def test_a_fence_is_taken_off(text: str) -> None:
    assert unfence(text) == '{"a": 1}'


def test_the_bound_is_in_bytes() -> None:
    check_answer("é" * (MOST_BYTES // 2))
    with pytest.raises(ChatModelError, match="too long"):
        check_answer("é" * (MOST_BYTES // 2) + "x")


@pytest.mark.parametrize("text", ["", "\u2003\n", "\ud800"])
def test_what_is_no_text_is_no_answer(text: str) -> None:
    with pytest.raises(ChatModelError) as caught:
        check_answer(text)
    assert caught.value.failure == "invalid"
