from pathlib import Path

import pytest

from openclaw_memd.sessions.filters import FilterReason
from openclaw_memd.sessions.formats.names import TranscriptSkip

PAGE = Path(__file__).parents[2] / "docs" / "sessions.md"


@pytest.mark.parametrize("reason", [*TranscriptSkip, *FilterReason])
def test_every_reason_is_in_the_documentation_as_it_is_in_the_code(
    reason: TranscriptSkip | FilterReason,
) -> None:
    assert f"| `{reason}` | {reason.description} |" in PAGE.read_text()
