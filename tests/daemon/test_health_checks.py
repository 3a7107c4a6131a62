"""The health checks that docs/service.md and docs/metrics.md show, as they are shown."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, daemon_env, short_folder

DOCS = Path(__file__).parents[2] / "docs"
SERVICE = (DOCS / "service.md").read_text(encoding="utf-8")


def shown(pattern: str, text: str = SERVICE) -> str:
    """The part of a page that ``pattern`` describes."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, pattern
    return found[1]


CHECKS = {
    "docker": shown(r"HEALTHCHECK .* CMD (.*)$"),
    "cron": shown(r"\* (memd status .*) && curl"),
    "uptime": shown(r"^    (curl -fs .*/health)$"),
}


def check(command: str, env: Mapping[str, str]) -> int:
    done = subprocess.run(("sh", "-c", command), env=env, capture_output=True, timeout=60, check=False)
    return done.returncode


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_check_tells_a_daemon_from_none(name: str) -> None:
    if name == "uptime" and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with short_folder() as folder:
        tool = folder / "bin/memd"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m openclaw_memd.cli.main "$@"\n')
        tool.chmod(0o755)
        place = folder / "openclaw-memd/memd.sock"
        place.parent.mkdir(mode=0o700)
        env = daemon_env(folder, MEMD_SOCKET=str(place), XDG_RUNTIME_DIR=str(folder), **PATIENT)
        env["PATH"] = f"{tool.parent}:{env['PATH']}"
        assert check(CHECKS[name], env) != 0
        daemon = RunningDaemon(folder, env=env)
        daemon.socket = place
        with daemon:
            assert check(CHECKS[name], env) == 0


def test_docker_takes_no_other_exit_code_than_1() -> None:
    with short_folder() as folder:
        command = CHECKS["docker"].replace("memd", f"{sys.executable} -m openclaw_memd.cli.main")
        assert check(command, daemon_env(folder)) == 1
