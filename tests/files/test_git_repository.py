"""Against repositories that Git itself made."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memd.files.git_repository import MOST_ROOTS, GitRepositories

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ORIGIN = "git@Example.org:ana/tea.git"
KEY = "example.org/ana/tea"


def git(folder: Path, *arguments: str) -> None:
    """Run Git in ``folder`` with no settings but ours."""
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )


def make(folder: Path, origin: str | None = ORIGIN) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if origin is not None:
        git(folder, "remote", "add", "origin", origin)
    return folder


def key(folder: Path | str, repositories: GitRepositories | None = None) -> str | None:
    return (repositories or GitRepositories()).project_key(str(folder))


def test_a_repository_and_every_folder_in_it_have_the_key_of_its_origin(tmp_path: Path) -> None:
    root = make(tmp_path / "tea")
    (root / "src" / "deep").mkdir(parents=True)

    assert key(root) == key(root / "src" / "deep") == key(root / ".git") == KEY
    assert key(f"{root}/src/../") == KEY
    (tmp_path / "link").symlink_to(root / "src")
    assert key(tmp_path / "link") == KEY


def test_a_repository_without_a_remote_is_known_by_its_folder(tmp_path: Path) -> None:
    root = make(tmp_path / "tea", None)
    (root / "src").mkdir()

    assert key(root / "src") == key(root) == f"path:{root}"
    git(root, "remote", "add", "upstream", ORIGIN)
    assert key(root) == f"path:{root}"
    git(root, "remote", "add", "origin", "not an address")
    assert key(root) == f"path:{root}"


def test_a_folder_without_a_repository_is_known_by_itself(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    assert key(tmp_path / "plain") == f"path:{tmp_path / 'plain'}"


def test_linked_worktrees_share_the_project(tmp_path: Path) -> None:
    root, bare = make(tmp_path / "tea"), make(tmp_path / "no-remote", None)
    git(root, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    git(bare, "worktree", "add", "-q", str(tmp_path / "third"), "-b", "third")

    assert key(tmp_path / "other") == KEY
    assert key(tmp_path / "third") == key(bare) == f"path:{bare}"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner, outer = make(tmp_path / "inner"), make(tmp_path / "outer", "https://example.org/ana/outer")
    git(outer, "submodule", "add", "-q", str(inner), "sub")

    assert key(outer / "sub") == f"path:{inner}"
    git(outer / "sub", "remote", "set-url", "origin", ORIGIN)
    assert key(outer / "sub") == KEY
    assert key(outer) == "example.org/ana/outer"


def test_a_fork_differs_and_another_form_of_the_address_does_not(tmp_path: Path) -> None:
    one = make(tmp_path / "one", "https://user:secret@example.org:443/ana/tea.git/")
    fork = make(tmp_path / "fork", "https://example.org/ben/tea.git")

    assert key(one) == KEY
    assert key(fork) == "example.org/ben/tea"


def test_bare_repositories_and_separate_git_folders(tmp_path: Path) -> None:
    (tmp_path / "bare.git").mkdir()
    git(tmp_path / "bare.git", "init", "-q", "--bare")
    git(tmp_path / "bare.git", "remote", "add", "origin", ORIGIN)
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))
    git(work, "remote", "add", "origin", ORIGIN)

    assert key(tmp_path / "bare.git") == key(work) == KEY


def test_what_changes_is_seen_at_once_and_what_did_not_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "tea", None)
    repositories = GitRepositories()
    assert key(root, repositories) == f"path:{root}"
    git(root, "remote", "add", "origin", ORIGIN)
    assert key(root, repositories) == KEY
    git(root, "remote", "set-url", "origin", "https://example.org/ana/coffee")
    assert key(root, repositories) == "example.org/ana/coffee"

    monkeypatch.setattr("openclaw_memd.files.git_repository.read_value", None)
    assert key(root, repositories) == "example.org/ana/coffee"
    shutil.rmtree(root / ".git")
    assert key(root, repositories) == f"path:{root}"


def test_many_folders_do_not_fill_memory(tmp_path: Path) -> None:
    root = make(tmp_path / "tea")
    repositories = GitRepositories()
    for number in range(MOST_ROOTS + 5):
        (root / str(number)).mkdir()
        assert key(root / str(number), repositories) == KEY

    assert len(repositories._known) == MOST_ROOTS


@pytest.mark.parametrize("folder", ["", ".", "tea", "/no/such/folder", "/etc/passwd", "a\0b", "/a\0b"])
def test_what_is_no_folder_has_no_project(folder: str) -> None:
    assert key(folder) is None


def no_config(root: Path) -> None:
    (root / ".git/config").unlink()


def binary_config(root: Path) -> None:
    (root / ".git/config").write_bytes(b"\xff\0[remote")


def long_config(root: Path) -> None:
    (root / ".git/config").write_text("x" * 300_000)


def piped_config(root: Path) -> None:
    no_config(root)
    os.mkfifo(root / ".git/config")


def no_head(root: Path) -> None:
    (root / ".git/HEAD").unlink()


def no_target(root: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text("gitdir: nowhere")


def long_pointer(root: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text("gitdir: " + "x" * 5_000)


def piped_pointer(root: Path) -> None:
    shutil.rmtree(root / ".git")
    os.mkfifo(root / ".git")


@pytest.mark.parametrize(
    "damage",
    [no_config, binary_config, long_config, piped_config, no_head, no_target, long_pointer, piped_pointer],
)
def test_a_broken_repository_is_known_by_its_folder(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    root = make(tmp_path / "tea")
    damage(root)

    assert key(root) == f"path:{root}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_repository_that_somebody_else_put_there_says_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "tea")
    (root / "mine").mkdir()
    os.chown(root / ".git", 65534, 65534)

    assert key(root / "mine") == f"path:{root / 'mine'}"
