import sys
from pathlib import Path

import pytest

from openclaw_memd.ops.service.command import own_command, run_words
from openclaw_memd.ops.service.escaping import command_line, path_value


def test_the_script_that_was_called_is_run_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "venv/memd", tmp_path / "memd"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    link.symlink_to(real)
    assert own_command(str(link), sys.executable) == (str(link),)
    monkeypatch.chdir(tmp_path)
    assert own_command("./memd", sys.executable) == (str(link),)


def test_a_module_is_run_as_one(tmp_path: Path) -> None:
    module = tmp_path / "main.py"
    module.write_text("")
    module.chmod(0o755)
    words = ("/usr/bin/python3", "-P", "-m", "openclaw_memd.cli.main")
    assert own_command(str(module), "/usr/bin/python3") == words
    assert own_command("-c", "/usr/bin/python3") == words


def test_only_given_options_are_passed_on() -> None:
    assert run_words(["/m"], config=None, workspace=None, socket=None) == ("/m", "run")
    words = run_words(["/m"], config=Path("/c"), workspace=Path("/w x"), socket=None)
    assert words == ("/m", "run", "--config", "/c", "--workspace", "/w x")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["/opt/memd/bin/memd", "run"], ":/opt/memd/bin/memd run"),
        (["/opt/my memd/memd"], ':"/opt/my memd/memd"'),
        (["/m", "100%h", "$HOME", "a\nb", 'q"\\'], ':/m "100%%h" "$HOME" "a\\x0ab" "q\\"\\\\"'),
        (["/m", "ünï", "\udcff"], ':/m "ünï" "\\xff"'),
        (['/m"x', "a b"], ':/bin/sh -c "exec \\"$0\\" \\"$@\\"" "/m\\"x" "a b"'),
    ],
)
def test_words_are_written_as_systemd_reads_them(words: list[str], line: str) -> None:
    assert command_line(words) == line


@pytest.mark.parametrize("path", ["/a\nb", "/a\\", "/a ", "/\udcff"])
def test_a_path_that_no_unit_can_hold_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        path_value(path)
