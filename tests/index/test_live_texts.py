from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.index.live_texts import LiveTexts
from tests.index.vectors import key

A, B, C = key("a"), key("b"), key("c")

hashes = st.lists(st.sampled_from([key(n) for n in range(6)]), max_size=6)


def test_the_most_recently_changed_comes_first() -> None:
    live = LiveTexts()
    live.replace([B, A])
    live.add([C])
    live.add([A])

    assert list(live) == [A, C, B]


def test_a_text_in_two_files_lives_until_both_are_gone() -> None:
    live = LiveTexts()
    live.add([A])
    live.add([A])

    assert live.remove([A]) == []
    assert A in live
    assert live.remove([A]) == [A]
    assert A not in live


def test_removing_what_is_unknown_does_nothing() -> None:
    live = LiveTexts()

    assert live.remove([A]) == []
    assert live.add([A]) == [A]


def test_replacing_tells_what_came_and_what_went() -> None:
    live = LiveTexts()
    live.add([A, B])

    assert sorted(live.replace([B, C])) == sorted([A, C])
    assert len(live) == 2


def test_tells_what_was_added_since_a_mark_newest_first() -> None:
    live = LiveTexts()
    live.add([A])
    mark = live.additions
    live.add([B, C, A])
    live.remove([B])

    assert live.added_since(mark) == [A, C]
    assert live.added_since(live.additions) == []


@given(st.lists(st.tuples(st.booleans(), hashes), max_size=20))
def test_counts_like_a_multiset(steps: list[tuple[bool, list[bytes]]]) -> None:
    live, expected = LiveTexts(), Counter[bytes]()
    for is_addition, batch in steps:
        if is_addition:
            live.add(batch)
            expected.update(batch)
        else:
            live.remove(batch)
            for text_hash in batch:
                expected[text_hash] = max(0, expected[text_hash] - 1)
        assert set(live) == set(+expected)
        assert len(live) == len(+expected)
