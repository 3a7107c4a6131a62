"""Where archives may lie."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memd.errors import ConflictError, DeniedError, InvalidParamsError, MemdError
from openclaw_memd.ops.backup.manifest import stays_inside
from openclaw_memd.ops.backup.places import choose_place, free_place, parse_scheduled, scheduled_name

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)


def test_a_file_or_a_folder_is_named(tmp_path: Path) -> None:
    assert choose_place(f"{tmp_path}/a.tgz", NOW, []) == tmp_path / "a.tgz"
    assert choose_place(str(tmp_path), NOW, []) == tmp_path / "memd-20260111T120000Z.tar.gz"
    (tmp_path / "memd-20260111T120000Z.tar.gz").touch()
    assert free_place(tmp_path, NOW) == tmp_path / "memd-20260111T120000Z-2.tar.gz"


def test_a_place_that_cannot_be_is_refused(tmp_path: Path) -> None:
    private = [tmp_path / "ws", tmp_path / "state"]
    for folder in private:
        (folder / "memory").mkdir(parents=True)
    (tmp_path / "link").symlink_to("ws")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "there").touch()

    def refuse(named: str, kind: type[MemdError]) -> str | None:
        with pytest.raises(kind) as refused:
            choose_place(named, NOW, private)
        assert refused.value.field == "path"
        return refused.value.reason

    assert refuse("a.tgz", InvalidParamsError) == "value"
    assert refuse("/a\0b", InvalidParamsError) == "value"
    assert refuse(f"{tmp_path}/no/a.tgz", InvalidParamsError) == "missing"
    assert refuse(f"{tmp_path}/{'é' * 128}", InvalidParamsError) == "value"
    assert refuse(f"{tmp_path}/{'x' * 300}/a.tgz", InvalidParamsError) == "missing"
    for inside in ("ws", "ws/a", "ws/memory/a", "state/a", "link", "link/memory/a", "state/../ws/a"):
        assert refuse(f"{tmp_path}/{inside}", DeniedError) == "in_workspace"
    assert refuse(f"{tmp_path}/there", ConflictError) == "exists"


def test_only_names_of_the_group_are_scheduled_ones() -> None:
    name = scheduled_name("0123abcd", NOW)
    assert parse_scheduled(name, "0123abcd") == NOW
    for other in (
        "x" + name,
        name + "x",
        "memd-20260111T120000Z.tar.gz",
        "memd-0123abcd-20269911T120000Z.tar.gz",
    ):
        assert parse_scheduled(other, "0123abcd") is None
    assert parse_scheduled(name, "ffffffff") is None


@pytest.mark.parametrize(
    ("path", "target", "inside"),
    [
        ("a", "b", True),
        ("a", "./b/c", True),
        ("x/y/a", "../../b", True),
        ("x/y/a", "../../../b", False),
        ("a", "..", False),
        ("a", "b/../../c", False),
        ("a", "b/..", False),
        ("a", "/etc", False),
        ("a", "", False),
        ("a", "b\0", False),
    ],
)
def test_links_that_stay_inside(path: str, target: str, inside: bool) -> None:
    assert stays_inside(path, target) is inside
