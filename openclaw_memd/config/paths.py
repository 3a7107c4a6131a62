"""Where things are, by one rule for daemon and clients. Standard library only: the CLI starts fast."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

APP = "openclaw-memd"
DEFAULT_WORKSPACE = "~/.openclaw/workspace"
MAX_SOCKET_BYTES = 103 if sys.platform == "darwin" else 107
"""What ``sun_path`` holds of a socket's path, less its final NUL."""


def _xdg(env: Mapping[str, str], name: str, fallback: str) -> Path:
    """An XDG base folder; a relative value is ignored, as the XDG specification says."""
    value = env.get(name, "")
    return Path(value) if value.startswith("/") else home(env) / fallback


def home(env: Mapping[str, str]) -> Path:
    """The user's home folder."""
    return Path(env["HOME"]) if env.get("HOME", "").startswith("/") else Path.home()


def expand(value: str, env: Mapping[str, str]) -> Path:
    """``value`` with a leading ``~`` expanded, absolute, with symlinks kept."""
    if value == "~" or value.startswith("~/"):
        return home(env) / value[2:]
    return Path(value).absolute()


def config_home(env: Mapping[str, str]) -> Path:
    """Where the user's programs keep their settings, by the XDG specification."""
    return _xdg(env, "XDG_CONFIG_HOME", ".config")


def config_file(env: Mapping[str, str], named: str | None = None) -> tuple[Path, bool]:
    """The configuration file, and whether somebody named it (a named one that is missing is an error)."""
    explicit = named or env.get("MEMD_CONFIG")
    if explicit:
        return expand(explicit, env), True
    return config_home(env) / APP / "config.toml", False


def state_dir(env: Mapping[str, str], configured: str | None = None) -> Path:
    """The parent of the folders that hold one workspace's state each."""
    if configured:
        return expand(configured, env)
    return _xdg(env, "XDG_STATE_HOME", ".local/state") / APP


def data_dir(env: Mapping[str, str], configured: str | None = None) -> Path:
    """Where models and backups lie."""
    if configured:
        return expand(configured, env)
    return _xdg(env, "XDG_DATA_HOME", ".local/share") / APP


def backups_dir(env: Mapping[str, str], configured: str | None = None) -> Path:
    """Where archives lie; ``configured`` is the data folder."""
    return data_dir(env, configured) / "backups"


def socket_path(env: Mapping[str, str], configured: str | None = None, state: str | None = None) -> Path:
    """The daemon's socket: the configured one, else in the user's runtime folder, else beside the state."""
    if configured:
        return expand(configured, env)
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and _is_own_dir(runtime):
        return Path(runtime) / APP / "memd.sock"
    return state_dir(env, state) / "run" / "memd.sock"


def _is_own_dir(path: str) -> bool:
    """Whether ``path`` is a folder of this user: after ``su`` the variable may still name another's."""
    try:
        return os.path.isdir(path) and os.stat(path).st_uid == os.geteuid()  # noqa: PTH112, PTH116
    except OSError:
        return False
