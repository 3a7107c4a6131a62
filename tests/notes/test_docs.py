from pathlib import Path

from openclaw_memd.domain.flush_plan import FLUSH_REASONS

PAGE = (Path(__file__).parents[2] / "docs/notes.md").read_text(encoding="utf-8")


def test_every_reason_of_a_flush_plan_is_documented() -> None:
    for reason, meaning in FLUSH_REASONS.items():
        assert f"| `{reason}` | {meaning} |" in PAGE
