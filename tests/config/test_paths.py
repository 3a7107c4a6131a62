import os
from pathlib import Path

from openclaw_memd.config import paths


def test_the_socket_follows_one_rule(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    state = tmp_path / ".local/state/openclaw-memd"
    assert paths.socket_path(env) == state / "run/memd.sock"
    assert paths.socket_path(env | {"XDG_RUNTIME_DIR": str(tmp_path)}) == tmp_path / "openclaw-memd/memd.sock"
    assert paths.socket_path(env | {"XDG_RUNTIME_DIR": "/nowhere"}) == state / "run/memd.sock"
    assert paths.socket_path(env, "~/m.sock") == tmp_path / "m.sock"
    assert paths.socket_path(env, None, str(tmp_path / "s")) == tmp_path / "s/run/memd.sock"


def test_another_users_runtime_folder_is_not_ours(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        return
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, 12345, 12345)
    assert "theirs" not in str(paths.socket_path({"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(theirs)}))


def test_relative_xdg_values_are_ignored(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": "rel", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "rel"}
    assert paths.state_dir(env) == tmp_path / ".local/state/openclaw-memd"
    assert paths.data_dir(env) == tmp_path / ".local/share/openclaw-memd"
    assert paths.config_file(env) == (tmp_path / ".config/openclaw-memd/config.toml", False)


def test_configured_folders_win(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert paths.state_dir(env, "~/s") == tmp_path / "s"
    assert paths.data_dir(env, "~/d") == tmp_path / "d"
    assert paths.config_file(env | {"MEMD_CONFIG": "/c.toml"}) == (Path("/c.toml"), True)
    assert paths.config_file(env | {"MEMD_CONFIG": "/c.toml"}, "/d.toml") == (Path("/d.toml"), True)
