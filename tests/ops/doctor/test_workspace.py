"""What the names and files of somebody else's workspace tell."""

import hashlib
import unicodedata
from datetime import date
from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.survey import OtherNotes, find_other_notes
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.rows import FileRow
from openclaw_memd.ops.doctor.findings import Finding
from openclaw_memd.ops.doctor.survey import RECENT_NS, Survey, survey
from openclaw_memd.ops.doctor.workspace import judge_workspace

TODAY = date(2026, 2, 10)


def look(
    folder: Path, indexed: dict[str, FileRow] | None = None, *, read_bytes: int = 10**9, recent_ns: int = 0
) -> Survey:
    with Roots(folder) as roots:
        return survey(
            Corpus(roots, FileRules.parse()),
            indexed or {},
            lambda: None,
            read_bytes=read_bytes,
            recent_ns=recent_ns,
        )


def judge(folder: Path) -> dict[str, Finding]:
    with Roots(folder) as roots:
        other = find_other_notes(roots)
    return {finding.id: finding for finding in judge_workspace(look(folder), other, today=TODAY)}


def write(folder: Path, path: str, text: str = "- a\n") -> Path:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode())
    return target


def row(path: str, text: bytes = b"") -> FileRow:
    file = ListedFile(path, Source.MEMORY, Tier.EPISODIC, "workspace", path, evergreen=False)
    return FileRow(file, FileState(len(text), 0, 0, 0, hashlib.sha256(text).digest()), 1)


def test_a_workspace_of_another_persons_shape_is_told_in_all_its_oddities(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "# Core\r\n\r\n- a\r\n")
    write(tmp_path, "memory/2026-01-30.md", "- line of a long day\n" * 16_200)
    write(tmp_path, "memory/2026-01-31-1530-topic.md")
    write(tmp_path, "memory/2026-02-31.md")
    write(tmp_path, "memory/2027-01-01.md")
    write(tmp_path, "memory/日記.md")
    write(tmp_path, "memory/заметки.md")
    write(tmp_path, unicodedata.normalize("NFD", "memory/café.md"))
    (tmp_path / "memory" / "linked.md").symlink_to(tmp_path / "MEMORY.md")
    (tmp_path / "memory" / "broken.md").write_bytes(b"\xff\xfe\x00")

    found = judge(tmp_path)

    assert found["windows-line-ends"].detail == "1 file has Windows line ends: MEMORY.md."
    assert found["large-note:memory/2026-01-30.md"].detail == "memory/2026-01-30.md has 340 kB."
    assert "memory/2026-01-31-1530-topic.md" in found["notes-with-slugs"].detail
    assert found["impossible-date:memory/2026-02-31.md"].severity == "warning"
    assert found["future-note:memory/2027-01-01.md"].severity == "info"
    assert found["names-in-other-scripts"].detail.startswith("3 files have letters outside ASCII")
    assert found["names-decomposed"].detail.startswith("1 file has letters in a decomposed form")
    assert "symbolic link" in found["skipped:memory/linked.md"].detail
    assert "NUL" in found["skipped:memory/broken.md"].detail
    assert "no-memories" not in found


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines.md", "two\\nlines.md"),
        ("red\x1b[31m.md", "red\\x1b[31m.md"),
        ("gnp\u202edm.md", "gnp\\u202edm.md"),
        ("plan\u200b.md", "plan\\u200b.md"),
    ],
)
def test_names_that_hide_something_are_spelled_out(tmp_path: Path, name: str, shown: str) -> None:
    write(tmp_path, f"memory/{name}")
    assert judge(tmp_path)["hidden-characters-in-names"].detail == (
        f"1 file has characters in its name that nobody sees: memory/{shown}."
    )


@pytest.mark.parametrize("name", ["日記.md", "a b.md", "👨\u200d👩\u200d👧.md", "می\u200cخواهم.md"])
def test_names_of_people_hide_nothing(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"memory/{name}")
    assert "hidden-characters-in-names" not in judge(tmp_path)


def test_an_old_file_beside_a_link_is_for_a_person(tmp_path: Path) -> None:
    """The doctor writes through no link, so it must not say that it would."""
    write(tmp_path, "memory.md")
    write(tmp_path, "elsewhere.md")
    (tmp_path / "MEMORY.md").symlink_to("elsewhere.md")
    found = judge(tmp_path)["legacy-memory-file"]
    assert not found.is_fixable
    assert "plain file" in found.fix


def test_an_ordinary_workspace_has_nothing_to_be_said_of(tmp_path: Path) -> None:
    text = "- a\n"
    for path in ("MEMORY.md", "USER.md", "memory/2026-02-10.md", "memory/projects.md"):
        write(tmp_path, path, text)
    indexed = {
        path: row(path, text.encode())
        for path in ("MEMORY.md", "USER.md", "memory/2026-02-10.md", "memory/projects.md")
    }
    seen = look(tmp_path, indexed)
    assert list(judge_workspace(seen, OtherNotes(0, ()), today=TODAY)) == []


@pytest.mark.parametrize("has_memory", [True, False])
def test_an_old_memory_file_can_be_taken_in(tmp_path: Path, has_memory: bool) -> None:
    write(tmp_path, "memory.md")
    if has_memory:
        write(tmp_path, "MEMORY.md")
    found = judge(tmp_path)
    assert found["legacy-memory-file"].is_fixable
    assert ("beside MEMORY.md" in found["legacy-memory-file"].detail) == has_memory
    assert not any(name.startswith(("name-case", "skipped")) for name in found)


def test_an_old_file_that_is_no_text_is_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "memory.md").write_bytes("- Grüße\n".encode("latin-1"))
    found = judge(tmp_path)["legacy-memory-file"]
    assert not found.is_fixable
    assert "not UTF-8" in found.detail
    assert "yourself" in found.fix


def test_a_folder_with_the_name_of_a_note_is_told(tmp_path: Path) -> None:
    write(tmp_path, "memory/2026-02-10.md/inside.md")
    (found,) = (found for found in judge(tmp_path).values() if found.subject == "memory/2026-02-10.md")
    assert "a folder" in found.detail


def test_a_link_of_the_old_name_is_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "memory.md").symlink_to(write(tmp_path, "MEMORY.md"))
    assert not judge(tmp_path)["legacy-memory-file"].is_fixable


def test_another_spelling_of_the_name_is_reported_and_nothing_more(tmp_path: Path) -> None:
    write(tmp_path, "Memory.md")
    write(tmp_path, "USER.MD")
    found = judge(tmp_path)
    assert {"name-case:Memory.md", "name-case:USER.MD"} <= found.keys()
    assert not found["name-case:Memory.md"].is_fixable


def test_secrets_in_names_are_not_told(tmp_path: Path) -> None:
    name = "memory/sk-proj-" + "a1B2" * 10
    (tmp_path / "memory").mkdir()
    (tmp_path / f"{name}.md").symlink_to(tmp_path / "x")
    write(tmp_path, f"{name}-2.md", "- a\n" * 100_000)
    found = judge(tmp_path)
    assert any(one.startswith("skipped:") for one in found)
    assert any(one.startswith("large-note:") for one in found)
    assert not any("a1B2" in one.id + one.detail for one in found.values())


def test_twins_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    write(tmp_path, "memory/Plan.md")
    write(tmp_path, "memory/plan.md")
    write(tmp_path, "memory/Trip/a.md")
    write(tmp_path, "memory/trip/b.md")
    write(tmp_path, unicodedata.normalize("NFC", "memory/größe.md"))
    write(tmp_path, unicodedata.normalize("NFD", "memory/größe.md"))
    found = judge(tmp_path)
    assert {name for name in found if "twin" in name} == {
        "case-twin:memory/Plan.md",
        "case-twin:memory/Trip",
        unicodedata.normalize("NFD", "unicode-twin:memory/größe.md"),
    }
    (twin,) = (one for name, one in found.items() if name.startswith("unicode-twin"))
    assert "\\xf6" in twin.detail  # else the two would look the same
    assert "\\u0308" in twin.detail


def test_a_workspace_without_memories_is_told_what_would_take_its_notes(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md")
    found = judge(tmp_path)
    assert '[files] include = ["/notes/**/*.md"] would take 1 other note.' in found["no-memories"].detail


def test_a_missing_workspace_is_no_empty_one(tmp_path: Path) -> None:
    seen = look(tmp_path / "gone")
    found = {one.id for one in judge_workspace(seen, OtherNotes(0, ()), today=TODAY)}
    assert "workspace-missing" in found


def test_files_are_compared_with_the_index_by_their_content(tmp_path: Path) -> None:
    write(tmp_path, "memory/same.md", "- a\n")
    write(tmp_path, "memory/other.md", "- b\n")
    write(tmp_path, "memory/new.md", "- c\n")
    indexed = {
        "memory/same.md": row("memory/same.md", b"- a\n"),
        "memory/other.md": row("memory/other.md", b"- x\n"),
        "memory/gone.md": row("memory/gone.md"),
    }
    seen = look(tmp_path, indexed)
    assert (seen.missing, seen.differing, seen.gone) == (
        ("memory/new.md",),
        ("memory/other.md",),
        ("memory/gone.md",),
    )
    (found,) = (
        one for one in judge_workspace(seen, OtherNotes(0, ()), today=TODAY) if one.kind.id == "index-behind"
    )
    assert found.detail == (
        "The index is not like the disk: 1 file is not in it: memory/new.md; 1 file has another content:"
        " memory/other.md; 1 file is gone from the disk: memory/gone.md."
    )


def test_what_was_just_written_is_left_to_the_indexer(tmp_path: Path) -> None:
    write(tmp_path, "memory/new.md")
    seen = look(tmp_path, recent_ns=RECENT_NS)
    assert (seen.missing, seen.differing) == ((), ())


def test_what_is_too_much_to_read_is_compared_by_its_stamp_and_told(tmp_path: Path) -> None:
    write(tmp_path, "memory/long.md", "- a\n" * 100)
    seen = look(tmp_path, {"memory/long.md": row("memory/long.md")}, read_bytes=10)
    assert (seen.unread, seen.differing) == (1, ("memory/long.md",))
    ids = {one.id for one in judge_workspace(seen, OtherNotes(0, ()), today=TODAY)}
    assert "audit-partial" in ids
