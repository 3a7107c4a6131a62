import os
from pathlib import Path

import pytest

from openclaw_memd.files.listing import list_files
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import ExtraRoot, Roots
from openclaw_memd.files.rules import FileRules
from tests.files.trees import open_descriptors, paths, skips, write


def test_a_root_that_is_made_anew_is_opened_anew(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    write(workspace, {"memory/a.md": "x"})
    with Roots(workspace) as roots:
        assert roots.refresh() == frozenset()
        workspace.rename(tmp_path / "moved")
        assert roots.refresh() == {WORKSPACE}
        with pytest.raises(FileNotFoundError), roots.anchored(WORKSPACE):
            pass
        write(workspace, {"memory/b.md": "y"})
        assert paths(list_files(roots, FileRules.parse())) == ["memory/b.md"]


def test_an_open_root_stays_the_same_folder_while_it_is_used(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    write(workspace, {"here.md": "x"})
    with Roots(workspace) as roots, roots.anchored(WORKSPACE) as descriptor:
        workspace.rename(tmp_path / "moved")
        roots.refresh()
        assert os.stat("here.md", dir_fd=descriptor).st_size == 1


def test_an_extra_root_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"v/a.md": "x", "secret/s.md": "y"})
    with Roots(tmp_path, [ExtraRoot("v", tmp_path / "v")]) as roots:
        (tmp_path / "v").rename(tmp_path / "old")
        (tmp_path / "v").symlink_to("secret")
        listing = list_files(roots, FileRules.parse())
    assert paths(listing) == []
    assert skips(listing) == {"extra/v": "not_a_folder"}


def test_an_extra_root_that_appears_later_is_found(tmp_path: Path) -> None:
    with Roots(tmp_path, [ExtraRoot("v", Path("v"))]) as roots:
        write(tmp_path, {"real/a.md": "x"})
        (tmp_path / "v").symlink_to("real")
        assert paths(list_files(roots, FileRules.parse())) == ["extra/v/a.md"]


def test_closing_lets_go_of_every_folder(tmp_path: Path) -> None:
    before = open_descriptors()
    with Roots(tmp_path, [ExtraRoot("v", tmp_path)]):
        pass
    assert open_descriptors() == before
