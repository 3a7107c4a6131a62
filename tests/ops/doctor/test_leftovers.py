"""Temporary files of memd: only those are taken for leftovers, and only when nobody needs them."""

from pathlib import Path

import pytest

from openclaw_memd.ops.doctor.leftovers import Leftovers

TOKEN = "0123456789abcdef"
OURS = (
    f"ws/.memd-{TOKEN}.new",
    f"ws/.memd-{TOKEN}.old",
    f"ws/.memd-doctor-{TOKEN}/",
    f"ws/memory/.dreams/.memd-doctor-{TOKEN}/",
    "ws/memory/.dreams/.memd.json.0123abcd",
    "state/.workspace.json.0123abcd",
    "state/index-1.db.building-1",
    "state/index-1.db.building-1-wal",
)
THEIRS = (
    "ws/MEMORY.md",
    "ws/.memd-notes.md",
    f"ws/.memd-{TOKEN}.bak",
    f"ws/memory/.memd-{TOKEN}.new",
    "ws/.memd.json.0123abcd",
    "ws/memory/.dreams/memd.json",
    "ws/memory/.dreams/lock",
    "state/state.db",
    "state/index-1.db",
    "state/index-1.db-wal",
    "state/workspace.json",
)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in (*OURS, *THEIRS):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
            (path / "case").touch()
        else:
            path.touch()
    return tmp_path


def leftovers(base: Path, **more: object) -> Leftovers:
    return Leftovers(base / "ws", base / "state", **{"old_s": -1.0} | more)  # type: ignore[arg-type]


def places(found: Leftovers) -> set[str]:
    return {one.place for one in found.find() if one.kind.id == "leftover"}


def test_exactly_ours_are_found_and_go(base: Path) -> None:
    found = leftovers(base)
    assert places(found) == {str(base / name) for name in OURS}
    for place in places(found):
        assert found.remove(Path(place))
    assert places(found) == set()
    assert all((base / name).exists() for name in THEIRS)
    assert not any((base / name).exists() for name in OURS)


def test_what_is_fresh_stays(base: Path) -> None:
    found = leftovers(base, old_s=600.0)
    assert places(found) == set()
    assert not any(found.remove(base / name) for name in OURS)


def test_what_a_rewrite_or_a_build_needs_stays(base: Path) -> None:
    found = leftovers(base, tokens=frozenset({TOKEN}), is_building=True)
    kept = {str(base / name) for name in OURS if TOKEN + "." in name or "building" in name}
    assert places(found) == {str(base / name) for name in OURS} - kept


@pytest.mark.parametrize("name", THEIRS)
def test_nothing_else_is_removed_whatever_is_asked(base: Path, name: str) -> None:
    assert not leftovers(base).remove(base / name)
    assert not leftovers(base).remove(base / "ws" / ".." / name)


def test_a_link_with_such_a_name_is_left_alone(base: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    link = base / "ws" / f".memd-doctor-{TOKEN[::-1]}"
    link.symlink_to(target)
    assert str(link) not in places(leftovers(base))
    assert not leftovers(base).remove(link)


def test_a_damaged_database_is_named_and_kept(base: Path) -> None:
    (base / "state" / "index-1.db.damaged-20260111T120000000000Z").touch()
    found = [one for one in leftovers(base).find() if one.kind.id == "set-aside"]
    assert [one.is_fixable for one in found] == [False]
