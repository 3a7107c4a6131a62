"""Places that cannot be used, or where memd would meet its own files, are refused before anything starts."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.config.keys import ConfigError
from openclaw_memd.config.load import check
from openclaw_memd.config.paths import MAX_SOCKET_BYTES
from openclaw_memd.config.places import advise_on_places, check_places

Table = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a workspace ``ws`` and a path that is short enough for a socket in it."""
    for folder in ("ws/memory", "ws/docs", "other", "lib"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def judge(home: Path, table: Table) -> None:
    paths = {"socket": "/s", "state_dir": str(home / "state"), **table.get("paths", {})}
    agents = table.get("agents", {"main": {"workspace": f"{home}/ws"}})
    check_places(check({**table, "paths": paths, "agents": agents}), {"HOME": str(home)})


def refusal(home: Path, table: Table) -> str:
    with pytest.raises(ConfigError) as caught:
        judge(home, table)
    return str(caught.value)


SOCKET_RULE = f"allowed: an absolute path of at most {MAX_SOCKET_BYTES} bytes"


@pytest.mark.parametrize("path", ["m.sock", "./m.sock", "run/m.sock", "~other/m.sock"])
def test_a_relative_socket_path_is_refused(home: Path, path: str) -> None:
    assert refusal(home, {"paths": {"socket": path}}) == f"paths.socket: {path!r} is relative; {SOCKET_RULE}"


def test_a_socket_path_is_as_long_as_the_system_takes(home: Path) -> None:
    longest = "/" + "é" * ((MAX_SOCKET_BYTES - 1) // 2) + "x" * ((MAX_SOCKET_BYTES - 1) % 2)
    judge(home, {"paths": {"socket": longest}})
    told = refusal(home, {"paths": {"socket": longest + "x"}})
    assert told == f"paths.socket: has {MAX_SOCKET_BYTES + 1} bytes; {SOCKET_RULE}"


def test_the_default_socket_can_be_too_long_as_well(home: Path) -> None:
    told = refusal(home, {"paths": {"socket": "", "state_dir": f"{home}/{'x' * 100}"}})
    assert told.startswith("paths.socket: the default one has ")
    assert told.endswith(SOCKET_RULE)


@pytest.mark.parametrize(
    ("files", "key"),
    [
        ({"include": ["docs/*.md", "../other/*.md"]}, "files.include[1]"),
        ({"include": ["docs/../../other/*.md"]}, "files.include[0]"),
        ({"include": ["~/other/*.md"]}, "files.include[0]"),
        ({"include": ["HOME/ws/docs/*.md"]}, "files.include[0]"),
        ({"include": ["/etc/*.md"]}, "files.include[0]"),
        ({"include": ["/usr/share/**/*.md"]}, "files.include[0]"),
        ({"exclude": ["!/etc/"]}, "files.exclude[0]"),
        ({"exclude": ["!../other/*.md"]}, "files.exclude[0]"),
        ({"evergreen": ["../x.md"]}, "files.evergreen[0]"),
        ({"extra": [{"name": "lib", "path": "HOME/lib", "pattern": "../*.md"}]}, "files.extra[0].pattern"),
        ({"extra": [{"name": "lib", "path": "HOME/lib", "pattern": "/etc/x"}]}, "files.extra[0].pattern"),
    ],
)
def test_a_pattern_that_leads_elsewhere_is_refused(home: Path, files: Table, key: str) -> None:
    placed = {
        name: [one.replace("HOME", str(home)) if isinstance(one, str) else one for one in lines]
        for name, lines in files.items()
    }
    told = refusal(home, {"files": placed})
    assert told.startswith(f"{key}: ")
    assert told.endswith("leads out of the folder; allowed: a pattern relative to the folder")


def test_a_folder_that_the_workspace_has_is_not_taken_for_the_machines(home: Path) -> None:
    (home / "ws/etc").mkdir()
    judge(home, {"files": {"include": ["/etc/*.md", "/nothing-has-this-name/*.md"]}})


@pytest.mark.parametrize("open_to_others", ["pub", "pub/state"])
def test_a_state_folder_that_others_could_replace_is_refused(home: Path, open_to_others: str) -> None:
    (home / "pub/state").mkdir(parents=True)
    (home / open_to_others).chmod(0o777)
    for place in ("pub/state", "pub/state/deeper/still", "link/deeper"):
        (home / "link").unlink(missing_ok=True)
        (home / "link").symlink_to(home / "pub/state")
        told = refusal(home, {"paths": {"state_dir": f"{home}/{place}"}})
        assert told == (
            f"paths.state_dir: others can write to {home}/{open_to_others}; chmod go-w "
            f"{home}/{open_to_others}; allowed: a folder where only its user can write"
        )
    (home / open_to_others).chmod(0o1777)
    judge(home, {"paths": {"state_dir": f"{home}/pub/state"}})


def test_ordinary_patterns_are_taken(home: Path) -> None:
    files = {
        "include": ["/docs/**/*.md", "docs/a..b.md", "*.md", "# ../x"],
        "exclude": ["*~", "memory/...md", "!keep.md"],
        "extra": [{"name": "lib", "path": "../lib"}, {"name": "own", "path": "~/lib", "pattern": "/a/*.md"}],
    }
    judge(home, {"files": files})


@pytest.mark.parametrize("place", ["ws/memory", "ws/memory/.state", "ws/docs/../memory/x", "link"])
def test_a_state_folder_in_the_memory_is_refused(home: Path, place: str) -> None:
    (home / "link").symlink_to(home / "ws/memory")
    told = refusal(home, {"paths": {"state_dir": f"{home}/{place}"}})
    assert told == (
        "paths.state_dir: lies in the memory of agents.main.workspace; allowed: a folder outside it"
    )


@pytest.mark.parametrize("place", ["", "ws"])
def test_a_workspace_in_the_state_folder_is_refused(home: Path, place: str) -> None:
    (home / "ws").rename(home / "keep")
    (home / "ws").mkdir()
    told = refusal(home, {"paths": {"state_dir": str(home / place)}})
    assert told == "agents.main.workspace: lies in paths.state_dir; allowed: a folder outside it"


def test_workspaces_in_one_another_are_refused_and_a_shared_one_is_not(home: Path) -> None:
    (home / "link").symlink_to(home / "ws/memory")
    shared = {name: {"workspace": f"{home}/ws"} for name in ("main", "ops")}
    judge(home, {"agents": {**shared, "far": {"workspace": f"{home}/ws2"}}})
    for inner in ("ws/memory/ops", "ws/../ws/x", "link"):
        agents = {"a.b": {"workspace": f"{home}/{inner}"}, "main": {"workspace": f"{home}/ws"}}
        assert refusal(home, {"agents": agents}) == (
            'agents."a.b".workspace: lies in agents.main.workspace; '
            "allowed: the same folder, or one outside of the other"
        )


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"paths": {"socket": "/s\0"}}, "paths.socket"),
        ({"paths": {"state_dir": "/s\0"}}, "paths.state_dir"),
        ({"paths": {"data_dir": "/s\0"}}, "paths.data_dir"),
        ({"agents": {"main": {"workspace": "/w\0"}}}, "agents.main.workspace"),
        ({"files": {"extra": [{"name": "lib", "path": "x\0"}]}}, "files.extra[0].path"),
    ],
)
def test_a_nul_in_a_path_is_refused(home: Path, table: Table, key: str) -> None:
    assert refusal(home, table) == f"{key}: a path cannot hold a NUL character"


def test_what_is_probably_a_mistake_is_told(home: Path) -> None:
    table = {
        "paths": {"state_dir": f"{home}/ws/.state"},
        "agents": {"main": {"workspace": f"{home}/ws"}},
        "files": {
            "include": ["docs/*.md", "/dosc/**/*.md", "*.md", "**/x.md"],
            "extra": [{"name": "lib", "path": "../lib"}, {"name": "gone", "path": "~/gone"}],
        },
    }
    assert advise_on_places(check(table), {"HOME": str(home)}) == [
        "files.extra[1].path: there is nothing at this place; it is searched once there is",
        "files.include[1]: no workspace has anything at this place",
        "paths.state_dir: lies in agents.main.workspace; a folder outside is not copied or committed with it",
    ]
