import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.files import openat
from openclaw_memd.files.openat import open_beneath
from tests.files.trees import open_descriptors


@pytest.fixture(params=["kernel", "walk"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    if request.param == "walk":
        monkeypatch.setattr(openat, "_has_openat2", lambda: False)
    elif not openat._has_openat2():
        pytest.skip("this kernel or sandbox has no openat2")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_a_file_below_is_opened(root: int, tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/ü.md").write_text("hello")
    descriptor = open_beneath(root, "a/b/ü.md", os.O_RDONLY)
    assert os.read(descriptor, 10) == b"hello"
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize("name", ["\n", ".\n", "..\n", "a/\n", "\n/b", os.fsdecode(b"odd\xff/b")])
def test_a_name_may_be_odd(root: int, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("hello")
    descriptor = open_beneath(root, name, os.O_RDONLY)
    assert os.read(descriptor, 10) == b"hello"
    os.close(descriptor)


@pytest.mark.parametrize("path", ["..", "a/../b", "/etc/passwd", "a//b", "a/", ".", "a/./b", "a\0b"])
def test_what_is_no_plain_relative_path_is_refused(root: int, path: str) -> None:
    with pytest.raises(ValueError, match="plain"):
        open_beneath(root, path, os.O_RDONLY)


def test_links_are_refused_at_the_end_and_on_the_way(root: int, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x.md").write_text("x")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "file.md").symlink_to("real/x.md")
    (tmp_path / "out").symlink_to("/etc")
    for path in ("folder/x.md", "file.md", "out/hostname"):
        with pytest.raises(OSError) as caught:
            open_beneath(root, path, os.O_RDONLY)
        assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_no_descriptor_is_left_behind(root: int, tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    before = open_descriptors()
    for path in ("a/b/none.md", "a/none/x.md", "none"):
        with pytest.raises(FileNotFoundError):
            open_beneath(root, path, os.O_RDONLY)
    os.close(open_beneath(root, "a/b", os.O_RDONLY | os.O_DIRECTORY))
    os.close(open_beneath(root, "", os.O_RDONLY | os.O_DIRECTORY))
    assert open_descriptors() == before


def test_a_name_that_is_too_long_is_an_os_error(root: int) -> None:
    with pytest.raises(OSError) as caught:
        open_beneath(root, "x" * 5000, os.O_RDONLY)
    assert caught.value.errno == errno.ENAMETOOLONG
