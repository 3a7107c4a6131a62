from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.diversity import select_diverse, share_out, similarity

texts = st.frozensets(st.sampled_from("abcdefgh"))


@given(texts, texts)
def test_similarity_is_that_of_jaccard(left: frozenset[str], right: frozenset[str]) -> None:
    expected = len(left & right) / len(left | right) if left | right else 1.0
    assert similarity(left, right) == similarity(right, left) == expected


@given(st.lists(st.floats(0, 1), max_size=12), st.integers(0, 12))
def test_without_likeness_the_most_relevant_are_chosen(relevance: list[float], limit: int) -> None:
    chosen = select_diverse(relevance, lambda _one, _other: 0.0, limit)

    assert chosen == sorted(range(len(relevance)), key=lambda one: (-relevance[one], one))[:limit]


def test_a_repetition_gives_way_to_something_new() -> None:
    alike = {frozenset({0, 1})}

    def likeness(one: int, other: int) -> float:
        return 1.0 if frozenset({one, other}) in alike else 0.0

    assert select_diverse([0.9, 0.89, 0.6], likeness, 2) == [0, 2]


def test_something_far_less_relevant_does_not_win_by_being_new() -> None:
    assert select_diverse([0.9, 0.8, 0.1], lambda one, other: 0.5 * ({one, other} == {0, 1}), 2) == [0, 1]


@given(st.lists(st.sampled_from("xyz"), max_size=20), st.integers(0, 12))
def test_shares_fill_all_places_in_order(groups: list[str], limit: int) -> None:
    taken = share_out(groups, limit)

    assert taken == sorted(set(taken))
    assert len(taken) == min(limit, len(groups))


def test_no_group_takes_more_than_its_share_while_another_has_some() -> None:
    groups = ["memory"] * 8 + ["imports"] * 2

    assert [groups[one] for one in share_out(groups, 4)] == ["memory"] * 2 + ["imports"] * 2


def test_places_that_a_group_leaves_go_to_the_others() -> None:
    groups = ["memory"] * 8 + ["imports"]

    assert [groups[one] for one in share_out(groups, 4)] == ["memory"] * 3 + ["imports"]
