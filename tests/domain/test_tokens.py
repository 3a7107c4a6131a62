import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.tokens import estimate_tokens, fit_backward, fit_forward, weigh
from tests.domain.strategies import patient


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("ééééé", 2),
        ("仓", 1),
        ("周五上午在二楼仓库清点备用零件", 15),
        ("ひらがな", 4),
        ("창고열쇠", 4),
        ("，。", 2),
        ("\U00020000\U0002fa1d", 2),
        ("😀😀", 1),
        ("😀😀😀", 2),
        ("仓a", 2),
        ("กุญแจ", 2),
    ],
)
def test_four_latin_characters_or_one_wide_one_are_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


WEIGHED = st.text(alphabet=st.sampled_from("ab é仓창😀\U00020000\n"), max_size=60) | st.text(max_size=60)


@patient
@given(WEIGHED, WEIGHED)
def test_weights_add_up(left: str, right: str) -> None:
    assert weigh(left + right) == weigh(left) + weigh(right)


@patient
@given(WEIGHED, st.data())
def test_the_longest_piece_that_fits_is_found_in_both_directions(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    weight = data.draw(st.integers(0, 80))
    end = fit_forward(text, start, stop, weight)
    assert start <= end <= stop
    assert weigh(text[start:end]) <= weight
    assert end == stop or weigh(text[start : end + 1]) > weight
    begin = fit_backward(text, start, stop, weight)
    assert start <= begin <= stop
    assert weigh(text[begin:stop]) <= weight
    assert begin == start or weigh(text[begin - 1 : stop]) > weight
