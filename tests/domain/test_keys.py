from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.keys import join_parts, split_parts

parts = st.lists(st.text(alphabet="1:ab", max_size=4), max_size=4)


@given(parts, parts)
def test_only_the_same_parts_make_the_same_key(some: list[str], others: list[str]) -> None:
    assert (join_parts(*some) == join_parts(*others)) == (some == others)


@given(parts)
def test_a_key_gives_its_parts_back(some: list[str]) -> None:
    assert split_parts(join_parts(*some)) == some
