"""Which files memd knows as its own."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.ops.service.seal import ServiceFile, seal


def sealed(path: Path, text: str) -> ServiceFile:
    return ServiceFile(path, seal(text, before="# "))


def test_what_was_written_is_known_again(tmp_path: Path) -> None:
    path = tmp_path / "made/memd.service"
    file = sealed(path, "[Unit]\nA=1\n")
    assert file.find_state() == "absent"
    file.write()
    assert file.find_state() == "current"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert sealed(path, "[Unit]\nA=2\n").find_state() == "outdated"


@pytest.mark.parametrize("content", ["", "[Unit]\nA=1\n", "\0\xff"])
def test_what_somebody_else_wrote_is_not_ours(tmp_path: Path, content: str) -> None:
    path = tmp_path / "memd.service"
    path.write_bytes(content.encode("latin-1"))
    assert sealed(path, "[Unit]\n").find_state() == "foreign"


def test_a_masked_unit_and_one_that_cannot_be_read_are_not_ours(tmp_path: Path) -> None:
    masked = tmp_path / "memd.service"
    masked.symlink_to("/dev/null")
    assert sealed(masked, "[Unit]\n").find_state() == "foreign"
    dangling = tmp_path / "memd.socket"
    dangling.symlink_to(tmp_path / "nowhere")
    assert sealed(dangling, "[Unit]\n").find_state() == "foreign"
    folder = tmp_path / "folder"
    folder.mkdir()
    assert sealed(folder, "[Unit]\n").find_state() == "foreign"


@given(st.text("ab=[]\n# é", min_size=1), st.integers(0, 200), st.sampled_from("xé\n#"))
def test_any_edit_makes_it_the_editors(
    tmp_path_factory: pytest.TempPathFactory, text: str, place: int, typed: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "edited.service"
    file = sealed(path, text)
    content = file.text
    place = min(place, len(content))
    path.write_text(content[:place] + typed + content[place:], encoding="utf-8", newline="")
    assert sealed(path, text + "new\n").find_state() in ("edited", "foreign")


def test_drop_ins_are_found(tmp_path: Path) -> None:
    file = sealed(tmp_path / "memd.service", "[Unit]\n")
    folder = tmp_path / "memd.service.d"
    folder.mkdir()
    (folder / "override.conf").touch()
    (folder / "notes.txt").touch()
    assert [drop_in.name for drop_in in file.drop_ins] == ["override.conf"]
