import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.instructions import MAX_BYTES, Instructions, InstructionText
from openclaw_memd.files.roots import Roots

LONG_AGO_NS = 1_700_000_000_000_000_000


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Roots]:
    with Roots(tmp_path) as roots:
        yield roots


def write(path: Path, data: bytes, mtime_ns: int = LONG_AGO_NS) -> None:
    path.write_bytes(data)
    os.utime(path, ns=(mtime_ns, mtime_ns))


def test_files_that_are_there_come_in_the_order_that_was_asked_for(tmp_path: Path, roots: Roots) -> None:
    write(tmp_path / "SOUL.md", b"soul")
    write(tmp_path / "AGENTS.md", b"\xef\xbb\xbfone\r\ntwo\rthree\n")

    found = Instructions(roots).read(["SOUL.md", "TOOLS.md", "AGENTS.md"])

    assert list(found) == ["SOUL.md", "AGENTS.md"]
    agents = found["AGENTS.md"]
    assert agents == InstructionText(
        "AGENTS.md", "one\ntwo\nthree\n", sha256(b"\xef\xbb\xbfone\r\ntwo\rthree\n").hexdigest()
    )


def test_changes_are_seen_and_removals(tmp_path: Path, roots: Roots) -> None:
    instructions = Instructions(roots)
    texts = []
    for data in (b"one", b"two", b"six"):  # of equal size, all within the same tick of a coarse clock
        write(tmp_path / "AGENTS.md", data)
        texts.append(instructions.read(["AGENTS.md"])["AGENTS.md"])
    (tmp_path / "AGENTS.md").unlink()

    assert [text.text for text in texts if isinstance(text, InstructionText)] == ["one", "two", "six"]
    assert instructions.read(["AGENTS.md"]) == {}


def test_what_did_not_change_is_not_read_again(
    tmp_path: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "AGENTS.md", b"one")
    instructions = Instructions(roots)
    reads: list[str] = []

    def count(root: int, relative: str, max_bytes: int) -> object:
        reads.append(relative)
        return read_bytes(root, relative, max_bytes)

    changed_at_ns = (tmp_path / "AGENTS.md").stat().st_ctime_ns
    monkeypatch.setattr("openclaw_memd.files.instructions.read_bytes", count)
    monkeypatch.setattr("openclaw_memd.files.instructions.time_ns", lambda: changed_at_ns + 10**10)
    first = instructions.read(["AGENTS.md"])
    assert instructions.read(["AGENTS.md"]) == first
    assert reads == ["AGENTS.md"]


@pytest.mark.parametrize("name", ["agents.md", "Agents.md", "AGENTS.MD"])
def test_names_are_exact(tmp_path: Path, roots: Roots, name: str) -> None:
    write(tmp_path / name, b"x")

    assert Instructions(roots).read(["AGENTS.md"]) == {}


def test_what_is_no_plain_file_says_why(tmp_path: Path, roots: Roots) -> None:
    write(tmp_path / "real.md", b"secret")
    (tmp_path / "AGENTS.md").symlink_to("real.md")
    (tmp_path / "SOUL.md").mkdir()
    os.mkfifo(tmp_path / "TOOLS.md")
    write(tmp_path / "IDENTITY.md", b"\xff\xfe")
    write(tmp_path / "HEARTBEAT.md", b"x" * (MAX_BYTES + 1))

    found = Instructions(roots).read(["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md"])

    assert found == {
        "AGENTS.md": SkipReason.SYMLINK,
        "SOUL.md": SkipReason.NOT_REGULAR,
        "TOOLS.md": SkipReason.NOT_REGULAR,
        "IDENTITY.md": SkipReason.NOT_UTF8,
        "HEARTBEAT.md": SkipReason.TOO_LARGE,
    }


@pytest.mark.parametrize("name", ["MEMORY.md", "../AGENTS.md", "sub/AGENTS.md", ""])
def test_no_other_file_is_ever_read(roots: Roots, name: str) -> None:
    with pytest.raises(ValueError, match="not an instruction file"):
        Instructions(roots).read([name])


def test_a_workspace_that_is_gone_has_none(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    write(folder / "AGENTS.md", b"x")
    with Roots(folder) as roots:
        (folder / "AGENTS.md").unlink()
        folder.rmdir()
        roots.refresh()
        assert Instructions(roots).read(["AGENTS.md"]) == {}
