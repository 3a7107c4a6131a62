import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from openclaw_memd.cli.arguments import Parser, put_command_first, read_words
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_into_a_page_lead_to_a_heading(page: Path) -> None:
    for name, anchor in re.findall(r"\]\(([^):#]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        target = page.parent / name if name else page
        headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def shown_commands(page: Path) -> list[str]:
    """What stands behind ``memd`` in the lines of code of a page, without what is said of it there."""
    lines = re.findall(
        r"^ {4}\s*(?:\$ )?(?:\w+=\S+ )*(?:sudo )?(?:\S*/)?memd ([a-z].*)$",
        page.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return [re.split(r"\s{2,}|\s[|&;<>#]", line)[0] for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_can_be_given(page: Path) -> None:
    for line in shown_commands(page):
        name, *words = put_command_first(read_words(shlex.split(line)))
        command = import_module(COMMANDS[name])
        parser = Parser(name, command.SUMMARY)
        command.configure(parser)
        parser.parse_words(words)  # raises what a person would be told


def test_commands_are_found_in_the_pages() -> None:
    found = [line for page in PAGES for line in shown_commands(page)]
    assert {line.split()[0] for line in found} > {"search", "note", "backup", "restore", "import", "doctor"}


def test_the_version_has_an_entry_in_the_changes() -> None:
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
