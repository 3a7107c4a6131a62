import os
from datetime import date
from pathlib import Path

from openclaw_memd.domain.startup_context import NoteName
from openclaw_memd.files.day_notes import list_day_notes
from openclaw_memd.files.roots import Roots

DAYS = [date(2026, 1, 11), date(2026, 1, 10)]


def test_files_of_the_days_alone(tmp_path: Path) -> None:
    notes = tmp_path / "memory"
    (notes / "2026-01-11-folder.md").mkdir(parents=True)
    for name in ("2026-01-11.md", "2026-01-10-standup.md", "2026-01-09.md", "topic.md", "2026-01-11.txt"):
        (notes / name).write_text(name)
        os.utime(notes / name, ns=(7, 7))
    (notes / "2026-01-10.md").symlink_to("topic.md")

    with Roots(tmp_path) as roots:
        assert list_day_notes(roots, DAYS) == [
            NoteName("2026-01-10-standup.md", 7),
            NoteName("2026-01-11.md", 7),
        ]


def test_no_folder_no_notes(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "2026-01-11.md").write_text("x")
    with Roots(tmp_path) as roots:
        assert list_day_notes(roots, DAYS) == []
        (tmp_path / "memory").symlink_to("elsewhere")
        assert list_day_notes(roots, DAYS) == []
