from pathlib import Path

from openclaw_memd.files.hints import EVERYTHING, hints_between, hints_of_events
from tests.files.trees import look, write


def test_notes_ignore_files_and_folders_give_hints_and_the_rest_none(tmp_path: Path) -> None:
    (tmp_path / "memory/new").mkdir(parents=True)
    watched = {str(tmp_path): "", str(tmp_path / "memory"): "memory/"}
    events = {
        "MEMORY.md": ("MEMORY.md", False),
        "memory/a.md": ("memory/a.md", False),
        "memory/.memdignore": ("memory/.memdignore", False),
        "memory/new": ("memory/new/", True),
        "memory": ("memory/", True),
        "memory/caf\ufffd.md": (EVERYTHING, True),
        "unknown/a.md": (EVERYTHING, True),
    }
    for name, (hint, has_folders) in events.items():
        assert hints_of_events([str(tmp_path / name)], watched) == (frozenset({hint}), has_folders)
    for name in ("memory/a.png", "memory/.a.md.swp", "memory/gone"):
        assert hints_of_events([str(tmp_path / name)], watched) == (frozenset(), False)


def test_every_path_begins_with_the_hint_for_everything() -> None:
    assert "extra/v/a.md".startswith(EVERYTHING)


def test_what_differs_between_two_looks(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "x", "memory/b.md": "x", "memory/c.md": "x"})
    before = look(tmp_path)
    assert hints_between(None, before) == {EVERYTHING}
    assert hints_between(before, look(tmp_path)) == frozenset()
    (tmp_path / "memory/a.md").write_text("longer")
    (tmp_path / "memory/b.md").unlink()
    (tmp_path / "memory/d.md").symlink_to("c.md")
    assert hints_between(before, look(tmp_path)) == {"memory/a.md", "memory/b.md", "memory/d.md"}
