import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.beneath import read_file
from openclaw_memd.files.catalog import FileState, FileText, ListedFile, Listing, Skipped, SkipReason, Stamp
from openclaw_memd.files.listing import list_files
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.snapshot import Diff, diff
from tests.files.trees import write

RULES = FileRules.parse()


class Disk:
    """A workspace, what is known of it, and a count of the reads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, FileState] = {}
        self.reads: list[str] = []

    def learn(self, *, fresh: bool = False) -> None:
        with Roots(self.root) as roots:
            for file in list_files(roots, RULES).files:
                read = read_file(roots, file, 1000)
                if isinstance(read, FileText):
                    self.known[file.path] = replace(read.state, fresh=fresh)

    def diff(self, *, verify: bool = False, between: Callable[[], object] = lambda: None) -> Diff:
        with Roots(self.root) as roots:
            listing = list_files(roots, RULES)
            between()

            def read(file: ListedFile) -> FileText | Skipped:
                self.reads.append(file.path)
                return read_file(roots, file, 1000)

            return diff(self.known, listing, read, verify=verify)


def test_files_that_were_there_before_the_first_look_are_added(tmp_path: Path) -> None:
    write(tmp_path, {f"memory/{n}.md": "x" for n in range(5)})
    disk = Disk(tmp_path)
    found = disk.diff()
    assert [file.path for file in found.added] == [f"memory/{n}.md" for n in range(5)]
    assert disk.reads == []


def test_equal_stamps_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "x", "memory/b.md": "y"})
    disk = Disk(tmp_path)
    disk.learn()
    found = disk.diff()
    assert found == Diff((), (), (), (), 2, (), ())
    assert disk.reads == []


def test_a_change_a_removal_and_a_rename(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "x", "memory/b.md": "y", "memory/c.md": "z"})
    disk = Disk(tmp_path)
    disk.learn()
    (tmp_path / "memory/a.md").write_text("longer")
    (tmp_path / "memory/b.md").unlink()
    (tmp_path / "memory/c.md").rename(tmp_path / "memory/d.md")
    found = disk.diff()
    assert [file.path for file in found.changed] == ["memory/a.md"]
    assert found.removed == ("memory/b.md", "memory/c.md")
    assert [file.path for file in found.added] == ["memory/d.md"]
    assert disk.reads == []  # another size needs no reading


def test_a_change_of_the_same_size_with_its_time_set_back_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn()
    status = (tmp_path / "memory/a.md").stat()
    (tmp_path / "memory/a.md").write_text("two")
    os.utime(tmp_path / "memory/a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [file.path for file in disk.diff().changed] == ["memory/a.md"]


def test_a_touched_file_is_unchanged_and_its_new_state_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn()
    os.utime(tmp_path / "memory/a.md", ns=(1, 1))
    found = disk.diff()
    assert (found.changed, found.unchanged) == ((), 1)
    ((path, state),) = found.refreshed
    assert (path, state.mtime_ns) == ("memory/a.md", 1)
    assert state.hash == disk.known[path].hash


def test_a_fresh_state_is_compared_by_content(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn(fresh=True)
    known = disk.known["memory/a.md"]
    disk.known["memory/a.md"] = replace(known, hash=b"of what was there a moment before")
    assert [file.path for file in disk.diff().changed] == ["memory/a.md"]


def test_verify_reads_what_looks_the_same(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn()
    disk.known["memory/a.md"] = replace(disk.known["memory/a.md"], hash=b"another")
    assert disk.diff().unchanged == 1
    assert len(disk.diff(verify=True).changed) == 1


def test_a_file_that_vanishes_between_look_and_read_is_removed(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn(fresh=True)
    found = disk.diff(between=(tmp_path / "memory/a.md").unlink)
    assert found.removed == ("memory/a.md",)
    assert found.skipped == (Skipped("memory/a.md", SkipReason.VANISHED),)


def test_a_file_that_turned_into_no_text_is_removed(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one"})
    disk = Disk(tmp_path)
    disk.learn()
    (tmp_path / "memory/a.md").write_bytes(b"\xff\xff\xff")
    assert disk.diff().removed == ("memory/a.md",)


def test_a_file_that_became_a_link_is_removed(tmp_path: Path) -> None:
    write(tmp_path, {"memory/a.md": "one", "b.md": "two"})
    disk = Disk(tmp_path)
    disk.learn()
    (tmp_path / "memory/a.md").unlink()
    (tmp_path / "memory/a.md").symlink_to("../b.md")
    assert disk.diff().removed == ("memory/a.md",)


def test_a_lost_workspace_removes_nothing(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    write(workspace, {"memory/a.md": "one"})
    disk = Disk(workspace)
    disk.learn()
    workspace.rename(tmp_path / "elsewhere")
    found = disk.diff()
    assert (found.removed, found.kept) == ((), ("memory/a.md",))


STATES = st.builds(
    FileState,
    st.integers(0, 3),
    st.integers(0, 3),
    st.just(0),
    st.just(0),
    st.sampled_from([b"a", b"b"]),
    st.booleans(),
)
NAMES = [f"memory/{folder}{name}.md" for folder in ("", "closed/") for name in "abc"]


@given(
    st.dictionaries(st.sampled_from(NAMES), STATES),
    st.dictionaries(
        st.sampled_from(NAMES), STATES | st.sampled_from([SkipReason.UNREADABLE, SkipReason.NOT_UTF8])
    ),
    st.booleans(),
)
def test_each_known_path_has_one_fate(
    known: dict[str, FileState], disk: dict[str, FileState | SkipReason], closed: bool
) -> None:
    files = []
    for path in sorted(disk):
        state = disk[path]
        stamp = state.stamp if isinstance(state, FileState) else Stamp(9, 9, 9, 9)
        files.append(
            ListedFile(path, Source.MEMORY, Tier.EPISODIC, "workspace", path, evergreen=False, stamp=stamp)
        )
    if closed:
        files = [file for file in files if not file.path.startswith("memory/closed/")]

    def read(file: ListedFile) -> FileText | Skipped:
        state = disk[file.path]
        return FileText("", state) if isinstance(state, FileState) else Skipped(file.path, state)

    unreadable = ("memory/closed/",) if closed else ()
    found = diff(known, Listing(tuple(files), complete=not closed, unreadable=unreadable), read)
    changed = [file.path for file in found.changed]
    fates = [*changed, *found.removed, *found.kept]
    assert len(fates) == len(set(fates))
    assert set(fates) <= known.keys()
    assert len(fates) + found.unchanged == len(known)
    assert {file.path for file in found.added} == {file.path for file in files} - known.keys()
    if closed:
        assert not any(path.startswith("memory/closed/") for path in found.removed)
