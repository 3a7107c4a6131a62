import ast
import re
from pathlib import Path
from typing import Any

import pytest

import openclaw_memd
from openclaw_memd.config.environment import unknown_variables
from openclaw_memd.config.keys import ConfigError
from openclaw_memd.config.load import check, load_config, workspace_of
from openclaw_memd.config.schema import Config


def write(folder: Path, text: str) -> dict[str, str]:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return {"MEMD_CONFIG": str(file), "HOME": str(folder)}


def test_nothing_is_needed(tmp_path: Path) -> None:
    config = load_config({"HOME": str(tmp_path)})
    assert config == Config()
    assert list(config.agents) == ["main"]


def test_a_byte_order_mark_at_the_start_is_no_part_of_the_file(tmp_path: Path) -> None:
    env = write(tmp_path, "\ufeff[search]\nmax_results = 7\n")
    assert load_config(env).search.max_results == 7


def test_schedules_that_nothing_acts_on_yet_may_be_set(tmp_path: Path) -> None:
    env = write(
        tmp_path, '[backup]\nschedule = "0 4 * * sun"\n[dreaming]\nlight_schedule = "*/20 1-5 * * *"\n'
    )
    config = load_config(env)
    assert (config.backup.schedule, config.agents["main"].dreaming.light_schedule) == (
        "0 4 * * sun",
        "*/20 1-5 * * *",
    )


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
        ("[agents.main.search]\nmin_score = 2", "agents.main.search.min_score", "number from 0 to 1"),
        ("[agents.a.search]\n[agents.b.search]\nmin_score = 2", "agents.b.search.min_score", "from 0 to 1"),
        ("[agents.'a.b'.search]\nmin_score = 2", 'agents."a.b".search.min_score', "number from 0 to 1"),
        ("[agents.'a.b'.serch]", 'agents."a.b".serch', 'agents."a.b".search'),
        ("[agents.main.search]\nlanguages = ['en', 'EN']", "agents.main.search.languages[1]", "matches"),
        ("[agents.main]\nworkspace = ''\n[search]\nmin_score = 7", "search.min_score", "from 0 to 1"),
        ("[agents.main]\nworkspac = 'x'", "agents.main.workspac", "agents.main.workspace"),
        ("[agents]\nmain = 3", "agents.main", "table"),
        ("[agents.'a b']", 'agents."a b"', "pattern|match"),
        ("[embedding.headers]\n'x y' = 'u'", 'embedding.headers."x y"', "match"),
        ('[embedding]\nprovider = "ollama"', "embedding.provider", '"openai"'),
        ("[[files.extra]]\nname = 'v'\npath = 'p'\npatern = 'x'", "files.extra[0].patern", "pattern"),
        ("[[files.extra]]\nname = '../v'\npath = 'p'", "files.extra[0].name", "matches"),
        ("[chunking]\ntokens = 100\noverlap = 100", "chunking.overlap", "less than"),
        ('[time]\nzone = "Mars/Olympus"', "time.zone", "IANA"),
        ('[embedding]\nprovider = "openai"', "embedding.model", "needed"),
        ('[embedding]\nbase_url = "localhost:11434/v1"', "embedding.base_url", "http"),
        ('[model]\nprovider = "openai"', "model.model", "needed"),
        ('[agents.a.model]\nprovider = "local"', "agents.a.model.model", "needed"),
        ('[model]\nbase_url = "ftp://host/v1"', "model.base_url", "http"),
        ('[embedding]\nbase_url = "http://[::1/v1"', "embedding.base_url", "http"),
        ('[embedding]\nbase_url = "https://host:99999/v1"', "embedding.base_url", "http"),
        ("limits = 3", "limits", "table"),
        ('[dreaming]\nschedule = "99 * * * *"', "dreaming.schedule", "minute"),
        ('[dreaming]\nschedule = ""', "dreaming.schedule", "5"),
        ('[dreaming]\nrem_schedule = "0 3 * *"', "dreaming.rem_schedule", "5"),
        ('[agents."a.b".dreaming]\ndeep_schedule = "@daily"', 'agents."a.b".dreaming.deep_schedule', "5"),
        ('[backup]\nschedule = "x"', "backup.schedule", "5"),
        ("[[sessions.folders]]\npath = 'p'\nagent = 'other'", "sessions.folders[0].agent", "main"),
        ("[[sessions.folders]]\npath = 'p'\nagent = '../x'", "sessions.folders[0].agent", "matches"),
        ('[agents."main\\n"]', 'agents."main\\n"', "match"),
        ('[search]\nlanguages = ["en\\n"]', "search.languages[0]", "matches"),
        ('[embedding.headers]\nx = "v\\n"', "embedding.headers.x", "match"),
        ("[[files.extra]]\nname = \"v\\n\"\npath = 'p'", "files.extra[0].name", "matches"),
        ("search = 3", "search", "table"),
        ("dreaming = []", "dreaming", "table"),
        ("[search]\nmin_score = nan", "search.min_score", "number from 0 to 1"),
        ("[embedding.headers]\nx-user = 'Jürgen'", "embedding.headers.x-user", "matches"),
    ],
)
def test_a_bad_key_is_named_with_what_it_may_be(tmp_path: Path, text: str, named: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    assert str(caught.value).startswith(f"{named}: ")
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


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("MEMD_SEARCH__MAX_RESULT", "no key search.max_result; the nearest known one is search.max_results"),
        ("MEMD_SERCH__MAX_RESULTS", "the nearest known one is search.max_results"),
        ("MEMD_AGENTS__MAIN__WORKSPAC", "the nearest known one is agents.main.workspace"),
        ("MEMD_FOO__BAR", "there is no key foo.bar; the nearest known one is "),
        ("MEMD_SEARCH__", "there is no key search."),
        ("MEMD___", "there is no key"),
        ("MEMD_AGENTS__MAIN", "agents.main: must be a table"),
    ],
)
def test_a_variable_that_names_no_key_is_refused(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({"HOME": str(tmp_path), name: "9"})
    assert str(caught.value).startswith(f"{name}: ")
    assert told in str(caught.value)


def test_a_variable_that_only_looks_like_one_of_ours_is_told_and_no_more(tmp_path: Path) -> None:
    env = {
        "HOME": str(tmp_path),
        "MEMD_CONFIG": "",
        "MEMD_SOCKET": "/s",
        "MEMD_WORKSPACE": "/w",
        "MEMD_STATE_DIR": "/d",
        "MEMD_SEARCH__MAX_RESULTS": "9",
        "MEMD_SEARCH_MAX_RESULTS": "9",
        "MEMD_WORKSPACES": "/w",
        "OTHER": "x",
    }
    load_config(env)
    unknown = "memd knows no such variable; the nearest known one is"
    assert unknown_variables(env) == [
        f"MEMD_SEARCH_MAX_RESULTS: {unknown} MEMD_SEARCH__MAX_RESULTS",
        f"MEMD_WORKSPACES: {unknown} MEMD_WORKSPACE",
    ]


@pytest.mark.parametrize("name", ["MEMD_WORKSPACE", "MEMD_SEARCH__LANGUAGES"])
def test_a_variable_that_is_not_utf8_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: not UTF-8"):
        load_config({"HOME": str(tmp_path), name: "/w\udcff"})


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


def test_every_section_is_read_somewhere() -> None:
    package = Path(openclaw_memd.__path__[0])
    modules = [path for path in package.rglob("*.py") if path.parent.name != "config"]
    read = {
        node.attr
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }

    assert set(Config.__struct_fields__) <= read
