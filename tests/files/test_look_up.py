"""Looking a path up says what the listing of everything says of it, at the cost of its own folders."""

import os
from collections.abc import Container
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.files.catalog import Listing
from openclaw_memd.files.folder import Entry, read_entries
from openclaw_memd.files.listing import list_files, look_up
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from tests.files.trees import paths, write

PARTS = [
    "memory",
    "Memory",
    "a",
    "b.md",
    "B.MD",
    ".hidden",
    "..x",
    "c.txt",
    "imports",
    "dreaming",
    "node_modules",
]
RULES = FileRules.parse(exclude=["memory/a/b.md", "!memory/imports/*"], file_bytes=64)
TOP = st.sampled_from(["MEMORY.md", "memory.md", "USER.md", "SOUL.md", "DREAMS.md", "b.md"])
PATHS = st.one_of(
    TOP, st.lists(st.sampled_from(PARTS), max_size=4).map(lambda parts: "/".join(["memory", *parts]))
)
KINDS = st.sampled_from(["file", "link", "hard link", "folder", "ignore", "large", "not UTF-8"])


def said_of(listing: Listing, path: str) -> object:
    """What a listing says of a path and of the folders above it."""
    files = [file for file in listing.files if file.path == path]
    return files, [
        skip for skip in listing.skipped if path == skip.path or path.startswith(f"{skip.path.rstrip('/')}/")
    ]


def make(root: Path, path: str, kind: str) -> None:
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        match kind:
            case "link":
                place.symlink_to(root / "memory")
            case "hard link":
                first = next(found for found in sorted(root.rglob("*.md")) if found.is_file())
                place.hardlink_to(first)
            case "folder":
                place.mkdir()
            case "ignore":
                (place.parent / ".memdignore").write_text(f"{place.name}\n!b.md\n")
            case "not UTF-8":
                (place.parent / os.fsdecode(b"bad\xff.md")).write_text("x")
            case _:
                place.write_text("x" * (100 if kind == "large" else 1))
    except (OSError, StopIteration):
        pass  # something else is there already


@given(st.lists(st.tuples(PATHS, KINDS), max_size=12), st.lists(PATHS, max_size=4))
def test_a_path_looked_up_is_as_in_the_listing_of_everything(
    tree: list[tuple[str, str]], absent: list[str]
) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        for path, kind in tree:
            make(root, path, kind)
        odd = ["memory", "memory//b.md", "memory/./b.md", "memory/b.md/", "memory/bad\\xff.md", "x" * 300]
        with Roots(root) as roots:
            whole = list_files(roots, RULES)
            for path in {*absent, *odd, *(path for path, _ in tree), *paths(whole)}:
                assert said_of(look_up(roots, RULES, path), path) == said_of(whole, path)


@pytest.fixture
def read_folders(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The folders that were read, as how many entries each gave."""
    counts: list[int] = []

    def counting(descriptor: int, only: Container[str] | None = None) -> list[Entry]:
        entries = read_entries(descriptor, only)
        counts.append(len(entries))
        return entries

    monkeypatch.setattr("openclaw_memd.files.listing.read_entries", counting)
    return counts


def test_only_the_folders_of_the_path_are_read(tmp_path: Path, read_folders: list[int]) -> None:
    write(tmp_path, {f"memory/{n}/x.md": "x" for n in range(50)})
    with Roots(tmp_path) as roots:
        assert paths(look_up(roots, RULES, "memory/7/x.md")) == ["memory/7/x.md"]
        assert read_folders == [1, 1, 1]
        assert paths(look_up(roots, RULES, "memory/gone/x.md")) == []
        assert read_folders == [1, 1, 1, 1, 0]
