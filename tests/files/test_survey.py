from pathlib import Path

from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.survey import OtherNotes, find_other_notes
from tests.files.trees import look, paths, write


def test_notes_elsewhere_are_counted_and_the_patterns_take_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "one.md": "x",
            "AGENTS.md": "x",
            "docs/two.md": "x",
            "docs/three.md": "x",
            "src/code.py": "x",
            "node_modules/p.md": "x",
            ".hidden/h.md": "x",
        },
    )
    with Roots(tmp_path) as roots:
        found = find_other_notes(roots)
    assert found == OtherNotes(3, ("/*.md", "/docs/**/*.md"))
    listing = look(tmp_path, rules=FileRules.parse(include=found.include))
    assert paths(listing) == ["docs/three.md", "docs/two.md", "one.md"]


def test_an_empty_or_missing_workspace_has_none(tmp_path: Path) -> None:
    for workspace in (tmp_path, tmp_path / "gone"):
        with Roots(workspace) as roots:
            assert find_other_notes(roots) == OtherNotes(0, ())
