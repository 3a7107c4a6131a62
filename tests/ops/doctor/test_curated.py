"""What is said of the curated files: where something falls out, and never what it says."""

from datetime import date
from pathlib import Path

from openclaw_memd.curated.looking import NOTHING_SEEN, CuratedLook
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.origins import BY_PLACE
from openclaw_memd.injection.given_files import Budgets, GivenFiles
from openclaw_memd.ops.doctor.checking import check_instructions
from openclaw_memd.ops.doctor.curated import judge_curated
from openclaw_memd.ops.doctor.findings import Finding


def judge(folder: Path, *, file_chars: int = 12_000) -> dict[str, Finding]:
    with Roots(folder) as roots:
        look = CuratedLook(roots, FileRules.parse(), BY_PLACE, lambda _file, _hashes: {})
        state = look.see(NOTHING_SEEN, 1, 0).state
    figures = GivenFiles(Budgets(file_chars=file_chars)).figures(state, date(2026, 1, 11))
    return {finding.id: finding for finding in judge_curated(state, figures)}


def test_the_lines_that_fall_out_are_named_and_not_what_they_say(tmp_path: Path) -> None:
    wide = "x" * 300
    (tmp_path / "MEMORY.md").write_text(
        f"# Core\n\n- first {wide}\n- second {wide} <!-- importance: 9 -->\n- third {wide}\n",
        encoding="utf-8",
    )
    found = judge(tmp_path, file_chars=800)["curated-over-budget:MEMORY.md"]
    assert found.severity == "warning"
    assert found.detail.endswith("sessions are given 800 of it, and 1 entry falls out: L3.")
    assert "first" not in found.detail


def test_what_fits_without_its_annotations_is_only_mentioned(tmp_path: Path) -> None:
    note = "- short <!-- trigger: one, two, three, four, five -->\n"
    (tmp_path / "MEMORY.md").write_text(note * 10, encoding="utf-8")
    found = judge(tmp_path, file_chars=300)["curated-over-budget:MEMORY.md"]
    assert found.severity == "info"


def test_links_and_other_bytes_are_errors(tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("- a\n", encoding="utf-8")
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "shared.md")
    (tmp_path / "USER.md").write_bytes(b"\xff\xfe")
    found = judge(tmp_path)
    assert found["curated-unusable:MEMORY.md"].severity == "error"
    assert "symbolic link" in found["curated-unusable:MEMORY.md"].detail
    assert "UTF-8" in found["curated-unusable:USER.md"].detail


def test_a_second_name_is_a_warning_since_the_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- a\n", encoding="utf-8")
    (tmp_path / "copy.md").hardlink_to(tmp_path / "MEMORY.md")
    assert judge(tmp_path)["curated-unusable:MEMORY.md"].severity == "warning"


def test_lines_that_look_like_secrets_are_named_by_their_numbers(tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2" * 10
    (tmp_path / "MEMORY.md").write_text(f"- fine\n- OPENAI_API_KEY={key}\n", encoding="utf-8")
    found = judge(tmp_path)["secrets-in-curated:MEMORY.md"]
    assert found.detail == "MEMORY.md: L2 may hold a secret."


def test_instruction_files_that_do_not_reach_a_session_whole(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\n" * 200, encoding="utf-8")
    (tmp_path / "SOUL.md").write_text("Be brief.\n", encoding="utf-8")
    (tmp_path / "TOOLS.md").write_bytes(b"\xff\xfe")
    with Roots(tmp_path) as roots:
        found = {one.id: one.detail for one in check_instructions(roots, 1_000)}
    assert found == {
        "instructions-cut:AGENTS.md": "AGENTS.md has 1,800 characters; sessions are given 1,000 of it.",
        "instructions-unusable:TOOLS.md": "TOOLS.md: Its text is not valid UTF-8.",
    }


def test_short_files_have_nothing_to_be_said_of(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- a\n", encoding="utf-8")
    assert judge(tmp_path) == {}
