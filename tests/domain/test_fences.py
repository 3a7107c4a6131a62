import pytest

from openclaw_memd.domain.fences import lines_outside_fences, opening_fence


@pytest.mark.parametrize(
    "line", ["```", "````python", "~~~", "~~~ ` js", "  ```sh", "- ```", "1. - ~~~x", "```\r"]
)
def test_a_fence_opens(line: str) -> None:
    assert opening_fence(line) is not None


@pytest.mark.parametrize("line", ["``", "``` a`b", "text ```", "~~", "> ```", "-```", ""])
def test_no_fence_opens(line: str) -> None:
    assert opening_fence(line) is None


@pytest.mark.parametrize(
    ("line", "closes"),
    [
        ("```", False),
        ("````", True),
        ("`````  ", True),
        ("  ````\r", True),
        ("```` javascript", False),
        ("~~~~", False),
        ("", False),
        ("````x", False),
    ],
)
def test_a_fence_is_closed_by_as_many_of_its_characters_and_no_words(line: str, closes: bool) -> None:
    fence = opening_fence("````python")
    assert fence is not None
    assert fence.is_closed_by(line) is closes


def test_the_lines_outside() -> None:
    lines = ["a", "```py", "```js", "b", "```", "c", "~~~", "d"]
    assert list(lines_outside_fences(lines)) == [(0, "a"), (5, "c")]
