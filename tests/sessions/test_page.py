from pathlib import Path

import pytest

from openclaw_memd.domain.admission import Exclusion
from openclaw_memd.sessions.skips import MessageSkip

PAGE = Path(__file__).parents[2] / "docs" / "sessions.md"


@pytest.mark.parametrize("reason", [*MessageSkip, *Exclusion])
def test_every_reason_for_not_keeping_a_message_is_documented(reason: MessageSkip | Exclusion) -> None:
    assert f"| `{reason}` | {reason.description} |" in PAGE.read_text(encoding="utf-8")


def test_reasons_of_both_kinds_have_names_of_their_own() -> None:
    assert not {reason.value for reason in MessageSkip} & {reason.value for reason in Exclusion}
