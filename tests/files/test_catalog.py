import pytest

from openclaw_memd.files.catalog import SkipReason


@pytest.mark.parametrize("reason", SkipReason)
def test_each_reason_has_one_plain_sentence(reason: SkipReason) -> None:
    assert reason.description.endswith(".")
    assert reason.description[0].isupper()


def test_only_what_may_be_as_it_was_is_transient() -> None:
    assert {reason for reason in SkipReason if reason.is_transient} == {
        SkipReason.UNREADABLE,
        SkipReason.CHANGING,
        SkipReason.IGNORE_UNREADABLE,
    }
