from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.config.load import (
    ConfigError,
    check,
    load_config,
    read_file,
    unread_sections,
    workspace_of,
)
from openclaw_memd.config.schema import Config


def write(folder: Path, text: str) -> dict[str, str]:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return {"MEMD_CONFIG": str(file), "HOME": str(folder)}


def test_nothing_is_needed(tmp_path: Path) -> None:
    config = load_config({"HOME": str(tmp_path)})
    assert config == Config()
    assert list(config.agents) == ["main"]


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml"):
        load_config({"MEMD_CONFIG": str(tmp_path / "nowhere.toml")})


@pytest.mark.parametrize(
    ("text", "named", "allowed"),
    [
        ("[search]\nmax_result = 6", "search.max_result", "search.max_results"),
        ('[search]\nmin_score = "0.35"', "search.min_score", "number from 0 to 1"),
        ("[search]\nmin_score = 7", "search.min_score", "number from 0 to 1"),
        ("[dreaming.phases.light]\ncron = '0 3 * * *'", "dreaming.phases", "unknown"),
        ("[serch]\nmax_results = 6", "serch", "search"),
        ("[agents.main.search]\nmin_score = 2", "agents", "number from 0 to 1"),
        ("[agents.main]\nworkspac = 'x'", "agents.main.workspac", "agents.main.workspace"),
        ("[agents]\nmain = 3", "agents.main", "table"),
        ("[agents.'a b']", "agents", "pattern|match"),
        ('[embedding]\nprovider = "ollama"', "embedding.provider", '"openai"'),
        ("[[files.extra]]\nname = 'v'\npath = 'p'\npatern = 'x'", "files.extra[0].patern", "pattern"),
        ("[[files.extra]]\nname = '../v'\npath = 'p'", "files.extra[0].name", "matches"),
        ("[chunking]\ntokens = 100\noverlap = 100", "chunking.overlap", "less than"),
        ('[time]\nzone = "Mars/Olympus"', "time.zone", "IANA"),
        ('[embedding]\nprovider = "openai"', "embedding.model", "needed"),
        ('[embedding]\nbase_url = "localhost:11434/v1"', "embedding.base_url", "http"),
        ('[embedding]\nbase_url = "http://[::1/v1"', "embedding.base_url", "http"),
        ('[embedding]\nbase_url = "https://host:99999/v1"', "embedding.base_url", "http"),
        ("limits = 3", "limits", "table"),
        ("search = 3", "search", "table"),
        ("dreaming = []", "dreaming", "table"),
        ("[search]\nmin_score = nan", "search.min_score", "number from 0 to 1"),
        ("[embedding.headers]\nx-user = 'Jürgen'", "embedding.headers", "matches"),
    ],
)
def test_a_bad_key_is_named_with_what_it_may_be(tmp_path: Path, text: str, named: str, allowed: str) -> None:
    import re

    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    assert named.partition("[")[0] in str(caught.value)
    assert re.search(allowed, str(caught.value))


@pytest.mark.parametrize(
    "text", ["[search]\nmin_score = 0.1\nmin_score = 0.2", "[search]\n[search]", "search = ", "\x00"]
)
def test_broken_and_duplicate_toml_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_config(write(tmp_path, text))


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"[time]\nzone = '\xff'")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_config({"MEMD_CONFIG": str(tmp_path / "config.toml")})


def test_the_environment_stands_above_the_file(tmp_path: Path) -> None:
    env = write(tmp_path, "[search]\nmax_results = 3\nmin_score = 0.5")
    env |= {
        "MEMD_SEARCH__MAX_RESULTS": "9",
        "MEMD_EMBEDDING__PROVIDER": "none",
        "MEMD_FILES__INCLUDE": '["docs/**/*.md"]',
        "MEMD_WORKSPACE": "/notes",
        "MEMD_SOCKET": "/run/s.sock",
    }
    config = load_config(env)
    assert (config.search.max_results, config.search.min_score) == (9, 0.5)
    assert config.embedding.provider == "none"
    assert config.files.include == ("docs/**/*.md",)
    assert config.paths.socket == "/run/s.sock"
    assert workspace_of(config.agents["main"], env) == (Path("/notes"), True)
    assert load_config(env, workspace="/other").agents["main"].workspace == "/other"


def test_an_unknown_variable_is_named_as_its_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"search\.max_results"):
        load_config({"HOME": str(tmp_path), "MEMD_SEARCH__MAX_RESULT": "9"})


def test_a_variable_cannot_go_below_a_value(tmp_path: Path) -> None:
    env = write(tmp_path, 'files = "x"')
    with pytest.raises(ConfigError, match="MEMD_FILES__INCLUDE"):
        load_config(env | {"MEMD_FILES__INCLUDE": "[]"})


def test_an_agent_overrides_key_by_key() -> None:
    table: dict[str, Any] = {
        "search": {"max_results": 4, "min_score": 0.2},
        "agents": {"main": {}, "ops": {"workspace": "/ops", "search": {"min_score": 0.6}}},
    }
    config = check(table)
    assert (config.agents["main"].search.max_results, config.agents["main"].search.min_score) == (4, 0.2)
    assert (config.agents["ops"].search.max_results, config.agents["ops"].search.min_score) == (4, 0.6)


def test_the_default_workspace_is_not_a_named_one(tmp_path: Path) -> None:
    workspace, named = workspace_of(Config().agents["main"], {"HOME": str(tmp_path)})
    assert (workspace, named) == (tmp_path / ".openclaw/workspace", False)


def test_sections_that_nothing_reads_yet_are_told(tmp_path: Path) -> None:
    env = write(tmp_path, "[dreaming]\nmode = 'off'\n[search]\n[agents.main.inject]\nfile_chars = 300")
    assert unread_sections(read_file(env)) == ["dreaming", "inject"]
