"""What is installed from a wheel has its unit files with it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ops.service.fakes import FakeManager

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_wheel_without_the_repository_installs_the_service(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT / "openclaw_memd", source / "openclaw_memd")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(source))
    built = subprocess.run(pip, capture_output=True, text=True, check=False, timeout=120)
    if built.returncode != 0 and "setuptools" in built.stderr:
        pytest.skip("no wheel can be built here: setuptools cannot be had")
    assert built.returncode == 0, built.stderr
    shutil.rmtree(source)

    fake = FakeManager(tmp_path)
    done = subprocess.run(
        (str(site / "bin/memd"), "service", "install", "--json"),
        env=fake.env | {"PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    unit, socket = (Path(file["path"]).read_text() for file in json.loads(done.stdout)["files"])
    assert f"\nExecStart=:{site}/bin/memd run\n" in unit
    assert "\nListenStream=%t/openclaw-memd/memd.sock\n" in socket
