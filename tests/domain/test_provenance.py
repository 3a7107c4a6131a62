import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import (
    HANDWRITTEN,
    Origin,
    Provenance,
    SessionKind,
    Tier,
    TrustTier,
    is_trusted,
    join,
    least_trusted,
    trust_rank,
    trust_tier,
)

origins = st.lists(st.sampled_from(Origin), min_size=1, max_size=5)


@given(origins, origins)
def test_a_join_is_the_least_trusted_whatever_the_order_and_the_grouping(
    left: list[Origin], right: list[Origin]
) -> None:
    joined = join(*left, *right)
    assert joined == join(*right, *left) == join(join(*left), join(*right))
    assert joined in left + right
    assert all(trust_rank(joined) <= trust_rank(origin) for origin in left + right)
    assert is_trusted(joined) == all(map(is_trusted, left + right))


@given(origins)
def test_the_least_trusted_provenance_is_the_first_of_its_origin(found: list[Origin]) -> None:
    provenances = [
        Provenance(origin, SessionKind.UNKNOWN, str(number)) for number, origin in enumerate(found)
    ]
    assert least_trusted(provenances) == provenances[found.index(join(*found))]


def test_nothing_joins_to_nothing() -> None:
    with pytest.raises(ValueError):
        join()
    with pytest.raises(ValueError):
        least_trusted([])


def test_only_what_the_owner_and_the_agent_said_is_trusted() -> None:
    assert [origin for origin in Origin if is_trusted(origin)] == [Origin.OWNER, Origin.AGENT]
    assert is_trusted(HANDWRITTEN.origin)


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("origin", Origin)
def test_outside_text_never_shares_a_table_with_trusted_text(tier: Tier, origin: Origin) -> None:
    assert (trust_tier(tier, origin) is TrustTier.UNTRUSTED) != is_trusted(origin)
