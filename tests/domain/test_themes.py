"""What memories have in common, in whatever form they say it."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.themes import Common, find_common

ANALYZER = Analyzer(("en", "de"))


def test_forms_of_a_word_are_one_and_the_commonest_names_it() -> None:
    tags = [("теплицы", "насос"), ("теплицу",), ("теплицы",), ("gewächshauses",), ("gewächshaus",)]
    assert find_common(tags, ANALYZER) == [
        Common("gewächshaus", (3, 4)),
        Common("насос", (0,)),
        Common("теплицы", (0, 1, 2)),
    ]


def test_runs_without_borders_meet_in_their_longest_common_piece() -> None:
    found = find_common([("温室屋顶漏水",), ("温室屋顶",), ("地下室门",)], ANALYZER)
    assert Common("温室屋顶", (0, 1)) in found
    assert [one.name for one in found if one.having == (0, 1)] == ["温室屋顶"]
    assert Common("地下室门", (2,)) in found


def test_names_with_signs_and_other_scripts_meet_as_they_are() -> None:
    tags = [("gateway.port", "バックアップ"), ("gateway.port", "バックアップ"), ("gateway.ports",)]
    assert Common("gateway.port", (0, 1)) in find_common(tags, ANALYZER)
    assert Common("バックアップ", (0, 1)) in find_common(tags, ANALYZER)


TAGS = st.lists(
    st.lists(
        st.sampled_from(["温室", "温室屋顶", "屋顶漏", "house", "houses", "теплица", "s3", "a.b"]), max_size=4
    ),
    max_size=5,
)


@given(TAGS)
def test_whoever_has_a_tag_has_what_it_is_in_common(tags: list[list[str]]) -> None:
    found = find_common(tags, ANALYZER)
    assert len({one.name for one in found}) == len(found)
    for number, own in enumerate(tags):
        assert bool(own) == any(number in one.having for one in found)
    for one in found:
        assert list(one.having) == sorted(set(one.having))
