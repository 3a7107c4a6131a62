"""Settings: which of several counts, and what is said of a bad one."""

import json
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, NO_DAEMON
from tests.cli.conftest import RunHere
from tests.daemons import RunningDaemon, daemon_env, run_memd

BAD = [
    ("[search]\nmax_results = 0", "search.max_results", "integer from 1 to 100"),
    ("[search]\nmax_result = 6", "search.max_result", "the nearest known one is search.max_results"),
    ('[search]\nmin_score = "0.35"', "search.min_score", "number from 0 to 1"),
    ("[search]\nmin_score = 7", "search.min_score", "number from 0 to 1"),
    ('[search]\nlanguages = ["xx"]', "search.languages", "no stemmer for language 'xx' (known: ar,"),
    ('[agents.main.search]\nlanguages = ["en", "yy"]', "agents.main.search.languages", "'yy'"),
    ('[files]\nexclude = ["!"]', "files.exclude", "not a pattern in gitignore syntax"),
    ('[[files.extra]]\nname = "n"\npath = "x"\npattern = "!"', "files.extra[0].pattern", "not a pattern"),
    ('[[files.extra]]\nname = "n"\npath = "~nosuchuser/x"', "files.extra[0].path", "home"),
    ("[chunking]\noverlap = 400", "chunking.overlap", "less than chunking.tokens"),
    ("[dreaming.phases.light]\ncron = '1'", "dreaming.phases", "unknown key"),
    ("[search]\nmin_score = 0.1\nmin_score = 0.2", "config.toml", "Cannot overwrite a value"),
    ('[files]\ninclude = ["../x/*.md"]', "files.include[0]", "relative to the folder"),
    ('[agents.ops]\nworkspace = "~/ws/ops"', "agents.ops.workspace", "the same folder, or one outside"),
    ("[agents.main.search]\nmin_score = 7", "agents.main.search.min_score", "number from 0 to 1"),
]

BAD_ENVIRONMENT = [
    ("MEMD_SOCKET", "m.sock", "paths.socket", "an absolute path of at most 107 bytes"),
    ("MEMD_SOCKET", "/" + "x" * 107, "paths.socket", "an absolute path of at most 107 bytes"),
    ("MEMD_STATE_DIR", "{folder}/ws/memory/s", "paths.state_dir", "a folder outside it"),
    ("MEMD_STATE_DIR", "{folder}", "agents.main.workspace", "a folder outside it"),
    ("MEMD_SEARCH__MAX_RESULT", "3", "MEMD_SEARCH__MAX_RESULT", "search.max_results"),
]


@pytest.fixture
def config(folder: Path) -> Path:
    return folder / "config.toml"


@pytest.mark.parametrize(
    ("text", "key", "allowed"), BAD, ids=[f"{key}-{n}" for n, (_, key, _) in enumerate(BAD)]
)
def test_a_bad_value_is_refused_with_its_key_and_what_is_allowed(
    config: Path, run_here: RunHere, text: str, key: str, allowed: str
) -> None:
    config.write_text(text, encoding="utf-8")

    env = daemon_env(config.parent, MEMD_WORKSPACE=str(config.with_name("ws")))
    done = run_here("config", "check", "--config", str(config), env=env)

    assert (done.returncode, done.stdout) == (BAD_CONFIG, "")
    assert done.stderr.startswith(f"memd: {key}: ")
    assert allowed in done.stderr


@pytest.mark.parametrize(("name", "value", "key", "allowed"), BAD_ENVIRONMENT)
def test_a_bad_variable_is_refused_by_the_check_and_by_the_daemon(
    folder: Path, name: str, value: str, key: str, allowed: str
) -> None:
    workspace = folder / "ws"
    workspace.mkdir()
    env = daemon_env(folder) | {"MEMD_WORKSPACE": str(workspace), name: value.format(folder=folder)}

    for command in (("config", "check"), ("run",)):
        done = run_memd(*command, env=env)
        assert (done.returncode, done.stdout) == (BAD_CONFIG, "")
        assert done.stderr.startswith(f"memd: {key}: ")
        assert allowed in done.stderr
    assert list(workspace.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("bad", [0, 4, 7, -3, -2], ids=lambda number: BAD[number][1])
def test_the_daemon_refuses_what_the_check_refuses(folder: Path, config: Path, bad: int) -> None:
    text, key, allowed = BAD[bad]
    config.write_text(text, encoding="utf-8")
    (folder / "ws").mkdir()

    done = run_memd("run", "--config", str(config), "--workspace", str(folder / "ws"), env=daemon_env(folder))

    assert done.returncode == BAD_CONFIG
    assert done.stderr.startswith(f"memd: {key}: ")
    assert allowed in done.stderr
    assert not (folder / "state").exists()


def test_a_named_file_that_is_missing_is_an_error(folder: Path) -> None:
    done = run_memd("config", "check", "--config", str(folder / "none.toml"), env=daemon_env(folder))

    assert (done.returncode, done.stderr) == (
        BAD_CONFIG,
        "memd: none.toml: there is no such configuration file\n",
    )


def test_the_example_is_good(folder: Path, config: Path) -> None:
    example = run_memd("config", "example", env=daemon_env(folder))
    config.write_text(example.stdout, encoding="utf-8")

    done = run_memd("config", "check", "--config", str(config), env=daemon_env(folder))

    assert example.returncode == DONE
    assert done.returncode == DONE, done.stderr
    assert f"{config}: good\n" in done.stdout


def test_the_check_of_a_good_one_has_nothing_to_tell(folder: Path, config: Path) -> None:
    config.write_text('[backup]\nschedule = "0 3 * * *"\n', encoding="utf-8")

    done = run_memd("config", "check", "--config", str(config), "--json", env=daemon_env(folder))

    assert json.loads(done.stdout) == {"file": str(config), "warnings": []}


def test_the_check_tells_what_is_probably_a_mistake(folder: Path, config: Path) -> None:
    config.write_text('[[files.extra]]\nname = "lib"\npath = "~/lib"\n', encoding="utf-8")
    env = daemon_env(folder, MEMD_WORKSPACES="/x")

    done = run_memd("config", "check", "--config", str(config), env=env)
    with RunningDaemon(folder, arguments=("--config", str(config)), env={"MEMD_WORKSPACES": "/x"}) as daemon:
        warnings = daemon.call("status")["warnings"]

    assert done.returncode == DONE
    assert done.stdout.splitlines()[1:] == [f"warning: {warning}" for warning in warnings]
    assert [warning.partition(":")[0] for warning in warnings] == ["MEMD_WORKSPACES", "files.extra[0].path"]


def test_without_a_file_the_defaults_hold(folder: Path) -> None:
    done = run_memd("config", "check", env=daemon_env(folder))

    assert (done.returncode, done.stdout) == (DONE, "no configuration file: the defaults hold\n")


def test_the_socket_is_the_option_s_the_environment_s_the_file_s_or_the_default(
    folder: Path, config: Path
) -> None:
    config.write_text(f'[paths]\nsocket = "{folder}/file.sock"\n', encoding="utf-8")
    env = daemon_env(folder) | {"MEMD_CONFIG": str(config), "MEMD_SOCKET": f"{folder}/env.sock"}
    calm = {name: value for name, value in env.items() if name != "MEMD_SOCKET"}
    bare = {name: value for name, value in calm.items() if name not in ("MEMD_CONFIG", "MEMD_STATE_DIR")}

    def asked(*arguments: str, env: dict[str, str]) -> str:
        done = run_memd("status", *arguments, env=env)
        assert done.returncode == NO_DAEMON
        return done.stderr.removeprefix("memd: no daemon at ").partition(";")[0]

    assert asked("--socket", f"{folder}/option.sock", env=env) == f"{folder}/option.sock"
    assert asked(env=env) == f"{folder}/env.sock"
    assert asked(env=calm) == f"{folder}/file.sock"
    assert asked(env=bare | {"MEMD_STATE_DIR": f"{folder}/st"}) == f"{folder}/st/run/memd.sock"
    assert asked(env=bare | {"XDG_RUNTIME_DIR": str(folder)}) == f"{folder}/openclaw-memd/memd.sock"
    assert asked(env=bare) == f"{folder}/.local/state/openclaw-memd/run/memd.sock"


def test_a_client_says_when_its_file_cannot_be_read(folder: Path, config: Path) -> None:
    config.write_text("[paths", encoding="utf-8")
    env = daemon_env(folder)
    del env["MEMD_SOCKET"]

    done = run_memd("status", "--config", str(config), env=env)

    assert done.returncode == BAD_CONFIG
    assert done.stderr.startswith("memd: config.toml: ")


def test_daemon_and_clients_find_each_other_by_the_file_alone(folder: Path, config: Path) -> None:
    place = folder / "by-file.sock"
    config.write_text(
        f'[paths]\nsocket = "{place}"\n[agents.main]\nworkspace = "{folder}/ws"\n[backup]\nkeep_daily = 3\n',
        encoding="utf-8",
    )
    daemon = RunningDaemon(folder, arguments=("--config", str(config)))
    daemon.socket = place
    del daemon.env["MEMD_SOCKET"]
    with daemon:
        done = daemon.memd("status", "--config", str(config), "--json")

    report = json.loads(done.stdout)
    assert (report["socket"], report["agents"][0]["workspace"]) == (str(place), f"{folder}/ws")
    assert report["warnings"] == []
