import re
from pathlib import Path

import pytest

from openclaw_memd.cli.main import COMMANDS
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.version import VERSION

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])


def test_every_reason_for_leaving_a_file_out_is_documented() -> None:
    page = (ROOT / "docs/files.md").read_text(encoding="utf-8")
    for reason in SkipReason:
        assert f"| `{reason}` | {reason.description} |" in page


def test_every_command_is_in_the_readme() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"`memd {command}" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_version_has_an_entry_in_the_changes() -> None:
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
