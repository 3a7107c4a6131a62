import os
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.catalog import Listing, SkipReason
from openclaw_memd.files.roots import ExtraRoot
from openclaw_memd.files.rules import FileRules
from tests.files.trees import look, paths, skips, write
from tests.files.unprivileged import as_nobody, open_path

__all__ = ["open_path"]


def test_memory_places_are_listed_with_source_and_tier(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "MEMORY.md": "a",
            "USER.md": "b",
            "AGENTS.md": "rules",
            "DREAMS.md": "review",
            "README.md": "not a memory",
            "memory/2026-01-11.md": "c",
            "memory/archive/2025/old.md": "d",
            "memory/picture.png": b"\x89PNG",
            "memory/imports/codex/MEMORY.md": "e",
        },
    )
    found = {file.path: (file.source, file.tier) for file in look(tmp_path).files}
    assert found == {
        "MEMORY.md": (Source.MEMORY, Tier.CURATED),
        "USER.md": (Source.MEMORY, Tier.CURATED),
        "memory/2026-01-11.md": (Source.MEMORY, Tier.EPISODIC),
        "memory/archive/2025/old.md": (Source.MEMORY, Tier.EPISODIC),
        "memory/imports/codex/MEMORY.md": (Source.IMPORTS, Tier.IMPORT),
    }
    assert look(tmp_path).skipped == ()


def test_a_folder_with_an_odd_name_is_listed(tmp_path: Path) -> None:
    write(tmp_path, {"memory/\n/a.md": "x"})
    assert paths(look(tmp_path)) == ["memory/\n/a.md"]


def test_the_same_tree_gives_the_same_listing_in_path_order(tmp_path: Path) -> None:
    write(tmp_path, {f"memory/{name}.md": "x" for name in ("b", "a/z", "c", "a", "Ä", "a b")})
    first = look(tmp_path)
    assert paths(first) == sorted(paths(first))
    assert len(first.files) == 6
    assert look(tmp_path) == first


def test_folders_that_were_read_are_told_for_watching(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a/b/c.md": "x", "docs/d.md": "y"})
    assert [folder.path for folder in look(tmp_path).folders] == ["", "memory/", "memory/a/", "memory/a/b/"]


def test_a_tool_folder_with_many_files_is_not_entered_and_a_deep_note_is_found(tmp_path: Path) -> None:
    write(tmp_path, {f"memory/tool/.venv/lib/m{n}/x.md": "x" for n in range(200)})
    write(tmp_path, {"memory/2026/09/05/deep.md": "deep", "memory/tool/node_modules/p/README.md": "p"})
    listing = look(tmp_path)
    assert paths(listing) == ["memory/2026/09/05/deep.md"]
    assert skips(listing) == {
        "memory/tool/.venv/": "tool_folder",
        "memory/tool/node_modules/": "tool_folder",
    }
    assert not [folder.path for folder in listing.folders if ".venv" in folder.path]


@pytest.mark.parametrize(
    "name",
    [".git", ".openclaw-repair", ".pnpm-store", ".tox", ".venv", "venv", "__pycache__", "node_modules"],
)
def test_working_folders_of_tools_are_pruned_everywhere(tmp_path: Path, name: str) -> None:
    write(tmp_path / "ws", {f"memory/x/{name}/n.md": "x", f"docs/{name}/n.md": "x"})
    write(tmp_path / "more", {f"{name}/n.md": "x"})
    listing = look(
        tmp_path / "ws", ExtraRoot("more", tmp_path / "more"), rules=FileRules.parse(include=["docs/**"])
    )
    assert paths(listing) == []
    assert skips(listing) == dict.fromkeys(
        [f"memory/x/{name}/", f"docs/{name}/", f"extra/more/{name}/"], "tool_folder"
    )


def test_the_systems_own_working_files_are_never_listed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "memory/.dreams/session-corpus/a.md": "x",
            "memory/dreaming/light/2026-01-01.md": "x",
            ".openclaw-repair/root-memory/2026/memory.md": "x",
            "DREAMS.md": "x",
            "memory/a.md": "note",
        },
    )
    everything = FileRules.parse(include=["**"])
    listing = look(
        tmp_path, ExtraRoot("again", tmp_path), ExtraRoot("inner", tmp_path / "memory"), rules=everything
    )
    assert paths(listing) == ["memory/a.md"]
    assert not {"memory/dreaming/", "memory/.dreams/"} & skips(listing).keys()
    assert skips(listing)["extra/inner/dreaming/"] == SkipReason.MACHINE_FOLDER
    assert skips(listing)["DREAMS.md"] == SkipReason.REVIEW
    assert skips(listing)["extra/again/DREAMS.md"] == SkipReason.REVIEW


def test_hidden_folders_and_files_are_named_and_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "memory/.obsidian/a.md": "x",
            "memory/.secret.md": "x",
            "memory/.DS_Store": "x",
            "memory/..x/a.md": "x",
        },
    )
    listing = look(tmp_path)
    assert paths(listing) == []
    assert skips(listing) == {
        "memory/.obsidian/": "hidden",
        "memory/.secret.md": "hidden",
        "memory/..x/": "hidden",
    }
    assert all(skip.is_choice for skip in listing.skipped)  # no memory, so status has no line for each


class TestNames:
    def test_the_canonical_name_wins_and_the_other_is_reported(self, tmp_path: Path) -> None:
        write(tmp_path, {"MEMORY.md": "new", "memory.md": "old", "Memory.md": "older"})
        listing = look(tmp_path)
        assert paths(listing) == ["MEMORY.md"]
        assert skips(listing) == {"memory.md": "name_case", "Memory.md": "name_case"}

    def test_a_wrong_name_alone_is_reported_and_not_used(self, tmp_path: Path) -> None:
        write(tmp_path, {"Memory.md": "x", "user.md": "y"})
        (tmp_path / "Memory").mkdir()
        listing = look(tmp_path)
        assert paths(listing) == []
        assert skips(listing) == {"Memory.md": "name_case", "user.md": "name_case", "Memory": "name_case"}

    def test_a_name_that_is_not_utf8_is_shown_escaped(self, tmp_path: Path) -> None:
        (tmp_path / "memory").mkdir()
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/memory/caf\xe9.md")).write_text("x")
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/memory/d\xff")).mkdir()
        listing = look(tmp_path)
        assert paths(listing) == []
        assert skips(listing) == {"memory/caf\\xe9.md": "name_not_utf8", "memory/d\\xff/": "name_not_utf8"}

    def test_odd_but_valid_names_are_kept_to_the_byte(self, tmp_path: Path) -> None:
        names = [
            "memory/e\u0301.md",
            "memory/a b#1.md",
            "memory/周五.md",
            "memory/back\\slash.md",
            "memory/UP.MD",
        ]
        write(tmp_path, dict.fromkeys(names, "x"))
        assert sorted(paths(look(tmp_path))) == sorted(names)

    def test_names_that_collide_elsewhere_are_reported_and_both_listed(self, tmp_path: Path) -> None:
        names = [
            "memory/Note.md",
            "memory/note.md",
            "memory/\u00e9.md",
            "memory/e\u0301.md",
            "memory/other.md",
        ]
        write(tmp_path, dict.fromkeys(names, "x"))
        listing = look(tmp_path)
        assert len(listing.files) == 5
        assert set(listing.twins) == set(names[:4])


class TestOddFiles:
    def test_links_pipes_and_sockets_are_left_out_with_their_reason(self, tmp_path: Path) -> None:
        write(tmp_path, {"memory/good.md": "x", "elsewhere/note.md": "y", "profile.md": "z"})
        (tmp_path / "USER.md").symlink_to("profile.md")
        (tmp_path / "memory/link.md").symlink_to("../elsewhere/note.md")
        (tmp_path / "memory/folder").symlink_to("../elsewhere")
        (tmp_path / "memory/dangling.md").symlink_to("nowhere.md")
        os.mkfifo(tmp_path / "memory/y.md")
        with socket.socket(socket.AF_UNIX) as server:
            before = Path.cwd()
            os.chdir(tmp_path / "memory")  # the whole path may be too long for a socket
            try:
                server.bind("s.md")
            finally:
                os.chdir(before)
            listing = look(tmp_path)
        assert paths(listing) == ["memory/good.md"]
        assert skips(listing) == {
            "USER.md": "symlink",
            "memory/link.md": "symlink",
            "memory/folder": "symlink",
            "memory/dangling.md": "symlink",
            "memory/y.md": "not_regular",
            "memory/s.md": "not_regular",
        }

    def test_a_memory_folder_that_is_a_link_or_a_file_is_reported(self, tmp_path: Path) -> None:
        write(tmp_path, {"a/other/n.md": "x", "b/memory": "a file"})
        (tmp_path / "a/memory").symlink_to("other")
        assert skips(look(tmp_path / "a")) == {"memory": "symlink"}
        assert skips(look(tmp_path / "b")) == {"memory": "not_a_folder"}

    def test_notes_with_another_ending_are_reported_by_their_folder(self, tmp_path: Path) -> None:
        write(tmp_path, {"memory/good.md": "x", "memory/a/b.markdown": "x", "memory/a/c.MDX": "x"})
        write(tmp_path, {"memory/picture.png": "x", "memory/plain.txt": "x"})
        listing = look(tmp_path)
        assert paths(listing) == ["memory/good.md"]
        assert skips(listing) == {"memory/a/": "not_markdown"}

    def test_a_folder_in_the_place_of_a_curated_file_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "MEMORY.md").mkdir()
        assert skips(look(tmp_path)) == {"MEMORY.md": "not_regular"}

    def test_a_hard_link_is_listed_once(self, tmp_path: Path) -> None:
        write(tmp_path, {"memory/a.md": "x"})
        os.link(tmp_path / "memory/a.md", tmp_path / "memory/b.md")
        listing = look(tmp_path)
        assert paths(listing) == ["memory/a.md"]
        assert skips(listing) == {"memory/b.md": "duplicate"}

    def test_limits_of_size_and_number(self, tmp_path: Path) -> None:
        write(tmp_path, {f"memory/{n}.md": "x" * n for n in (3, 4, 5, 6, 7)})
        sized = look(tmp_path, rules=FileRules.parse(file_bytes=5))
        assert paths(sized) == ["memory/3.md", "memory/4.md", "memory/5.md"]
        assert skips(sized) == {"memory/6.md": "too_large", "memory/7.md": "too_large"}
        few = look(tmp_path, rules=FileRules.parse(files=2))
        assert paths(few) == ["memory/3.md", "memory/4.md"]
        assert skips(few) == {"memory/5.md": "too_many"}
        assert few.complete

    def test_a_very_deep_tree_is_walked_to_its_end(self, quick_path: Path) -> None:
        depth = 2100  # past the recursion limit and past the longest path that one call takes
        (quick_path / "memory").mkdir()
        folder = os.open(quick_path / "memory", os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=folder)
            folder = _step(folder, "d")
        os.close(os.open("deep.md", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
        try:
            assert paths(look(quick_path)) == ["memory/" + "d/" * depth + "deep.md"]
        finally:  # other removers give up on such a tree
            os.unlink("deep.md", dir_fd=folder)
            for _ in range(depth):
                folder = _step(folder, "..")
                os.rmdir("d", dir_fd=folder)
            os.close(folder)


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A folder in memory where the system has one: removing thousands of folders from a disk takes long."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as path:
        yield Path(path)


def _step(folder: int, name: str) -> int:
    deeper = os.open(name, os.O_RDONLY, dir_fd=folder)
    os.close(folder)
    return deeper


class TestChoice:
    def test_include_widens_to_extra_notes_and_never_to_instructions(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {"README.md": "x", "AGENTS.md": "x", "docs/a/b.md": "x", "docs/a/c.png": "x", "src/d.md": "x"},
        )
        listing = look(tmp_path, rules=FileRules.parse(include=["/*.md", "docs/**"]))
        assert paths(listing) == ["README.md", "docs/a/b.md"]
        assert {(file.source, file.tier) for file in listing.files} == {(Source.EXTRA, Tier.EXTRA)}
        assert skips(listing) == {"AGENTS.md": "instructions", "docs/a/": "not_markdown"}
        assert "src/" not in [folder.path for folder in listing.folders]

    def test_exclude_and_ignore_files_narrow_and_are_listed(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {
                ".memdignore": "# drafts\n*.draft.md\n!kept.draft.md\n/memory/old/\n",
                "memory/a.draft.md": "x",
                "memory/kept.draft.md": "x",
                "memory/old/b.md": "x",
                "memory/logs/.memdignore": "*\n!this.md\n",
                "memory/logs/this.md": "x",
                "memory/logs/that.md": "x",
                "memory/private/c.md": "x",
                "memory/d.md": "x",
            },
        )
        listing = look(tmp_path, rules=FileRules.parse(exclude=["memory/private/"]))
        assert paths(listing) == ["memory/d.md", "memory/kept.draft.md", "memory/logs/this.md"]
        assert skips(listing) == {
            "memory/a.draft.md": "ignored",
            "memory/old/": "ignored",
            "memory/logs/that.md": "ignored",
            "memory/private/": "excluded",
        }
        assert "memory/old/" not in [folder.path for folder in listing.folders]

    def test_a_bad_line_of_an_ignore_file_is_reported_and_the_others_count(self, tmp_path: Path) -> None:
        write(tmp_path, {"memory/.memdignore": "\ufeffa.md\n!\n", "memory/a.md": "x", "memory/b.md": "x"})
        listing = look(tmp_path)
        assert paths(listing) == ["memory/b.md"]
        assert skips(listing) == {"memory/.memdignore": "ignore_pattern", "memory/a.md": "ignored"}

    @pytest.mark.parametrize("kind", ["link", "binary", "large"])
    def test_an_ignore_file_that_cannot_be_read_opens_nothing(self, tmp_path: Path, kind: str) -> None:
        write(tmp_path, {"memory/p/secret.md": "x", "memory/a.md": "x", "rules": "secret.md"})
        match kind:
            case "link":
                (tmp_path / "memory/p/.memdignore").symlink_to(tmp_path / "rules")
            case "binary":
                (tmp_path / "memory/p/.memdignore").write_bytes(b"\xff\xfe")
            case _:
                (tmp_path / "memory/p/.memdignore").write_text("#" * 70_000)
        listing = look(tmp_path)
        assert paths(listing) == ["memory/a.md"]
        assert skips(listing) == {"memory/p/": "ignore_unreadable"}
        assert (listing.complete, listing.unreadable) == (False, ("memory/p/",))

    def test_evergreen_patterns_mark_files(self, tmp_path: Path) -> None:
        write(tmp_path, {"memory/2020-01-01-recipes.md": "x", "memory/2020-01-01.md": "x"})
        listing = look(tmp_path, rules=FileRules.parse(evergreen=["*-recipes.md"]))
        assert {file.path: file.evergreen for file in listing.files} == {
            "memory/2020-01-01-recipes.md": True,
            "memory/2020-01-01.md": False,
        }

    def test_a_malformed_pattern_is_refused_with_its_text(self) -> None:
        with pytest.raises(ValueError, match=r"'!'"):
            FileRules.parse(exclude=["*.tmp", "!"])


class TestExtraRoots:
    def test_a_folder_is_listed_under_its_virtual_name(self, tmp_path: Path) -> None:
        write(
            tmp_path, {"ws/memory/a.md": "x", "vault/n.md": "x", "vault/deep/m.md": "x", "vault/t.txt": "x"}
        )
        listing = look(tmp_path / "ws", ExtraRoot("vault", tmp_path / "vault"))
        assert paths(listing) == ["extra/vault/deep/m.md", "extra/vault/n.md", "memory/a.md"]
        assert [(file.root, file.relative) for file in listing.files][:1] == [("extra/vault", "deep/m.md")]
        assert listing.files[0].tier is Tier.EXTRA

    def test_a_pattern_narrows_it_and_other_kinds_are_one_line(self, tmp_path: Path) -> None:
        write(tmp_path, {"v/a/n.md": "x", "v/b/n.md": "x", "v/a/1.txt": "x", "v/a/2.txt": "x"})
        listing = look(tmp_path, ExtraRoot("v", Path("v"), "a/*"))
        assert paths(listing) == ["extra/v/a/n.md"]
        assert skips(listing) == {"extra/v/a/": "not_markdown"}
        assert "extra/v/b/" not in [folder.path for folder in listing.folders]

    def test_a_link_is_resolved_once_and_confined(self, tmp_path: Path) -> None:
        write(tmp_path, {"real/n.md": "x", "outside/o.md": "x"})
        (tmp_path / "link").symlink_to("real")
        (tmp_path / "real/way-out").symlink_to("../outside")
        listing = look(tmp_path / "real", ExtraRoot("v", tmp_path / "link"))
        assert paths(listing) == ["extra/v/n.md"]
        assert skips(listing) == {"extra/v/way-out": "symlink"}

    def test_a_single_file_may_be_named(self, tmp_path: Path) -> None:
        write(tmp_path, {"ws/memory/a.md": "x", "todo.md": "x", "other.md": "x", "sub/more.md": "x"})
        assert paths(look(tmp_path / "ws", ExtraRoot("t", Path("../todo.md")))) == [
            "extra/t/todo.md",
            "memory/a.md",
        ]

    def test_a_missing_one_is_an_empty_one_and_is_reported(self, tmp_path: Path) -> None:
        listing = look(tmp_path, ExtraRoot("gone", tmp_path / "gone"))
        assert skips(listing) == {"extra/gone": "missing"}
        assert listing.complete

    def test_overlapping_roots_list_each_file_once(self, tmp_path: Path) -> None:
        write(tmp_path, {"MEMORY.md": "x", "memory/a.md": "x", "notes/n.md": "x"})
        listing = look(tmp_path, ExtraRoot("all", tmp_path), ExtraRoot("notes", Path("notes")))
        assert paths(listing) == ["MEMORY.md", "extra/all/notes/n.md", "memory/a.md"]
        assert skips(listing) == {
            "extra/all/MEMORY.md": "duplicate",
            "extra/all/memory/a.md": "duplicate",
            "extra/notes/n.md": "duplicate",
        }

    @pytest.mark.parametrize("name", ["", "a/b", "..", "a\nb"])
    def test_a_name_that_is_no_folder_name_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="name of an extra path"):
            ExtraRoot(name, Path())

    def test_two_of_one_name_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="two extra paths"):
            look(tmp_path, ExtraRoot("a", tmp_path), ExtraRoot("a", tmp_path))


class TestUnreadable:
    def test_nothing_below_a_closed_folder_counts_as_removed(self, open_path: Path) -> None:
        write(open_path, {"memory/open.md": "x", "memory/closed/a.md": "x"})
        (open_path / "memory/closed").chmod(0)
        listing = as_nobody(lambda: look(open_path))
        assert paths(listing) == ["memory/open.md"]
        assert skips(listing) == {"memory/closed/": "unreadable"}
        assert (listing.complete, listing.unreadable) == (False, ("memory/closed/",))

    def test_a_folder_whose_entries_cannot_be_looked_at_hides_them(self, open_path: Path) -> None:
        write(open_path, {"memory/names-only/a.md": "x"})
        (open_path / "memory/names-only").chmod(0o444)
        listing = as_nobody(lambda: look(open_path))
        assert paths(listing) == []
        assert skips(listing) == {"memory/names-only/a.md": "unreadable"}
        assert not listing.complete

    def test_a_workspace_that_is_gone_removes_nothing(self, tmp_path: Path) -> None:
        listing = look(tmp_path / "gone")
        assert listing == Listing((), listing.skipped, complete=False, unreadable=("",))
        assert skips(listing) == {"workspace": "missing"}

    def test_an_extra_root_that_is_closed_keeps_its_files(self, open_path: Path) -> None:
        write(open_path, {"ws/memory/a.md": "x", "vault/n.md": "x"})
        (open_path / "vault").chmod(0)
        listing = as_nobody(lambda: look(open_path / "ws", ExtraRoot("v", open_path / "vault")))
        assert paths(listing) == ["memory/a.md"]
        assert listing.unreadable == ("extra/v/",)
