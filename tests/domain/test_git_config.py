import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.git_config import read_value

URL = "git@example.org:a/b.git"


def url(text: str) -> str | None:
    return read_value(text, "remote", "origin", "url")


@pytest.mark.parametrize(
    "text",
    [
        f'[remote "origin"]\n\turl = {URL}\n',
        f'[remote "origin"]\r\n\turl = {URL}\r\n',
        f'[REMOTE "origin"]\n  URL={URL}',
        f"[remote.origin]\nurl = {URL}",
        f'[core]\n bare = false\n[remote "origin"] url = {URL}',
        f'[remote "origin"]\nurl = "{URL}"',
        f'[remote "origin"]\nurl = {URL}   # the main one',
        f'[remote "origin"]\nurl = {URL[:5]}\\\n{URL[5:]}',
        f'[remote "origin"]\nurl = old\n[remote "up"]\nurl = x\n[remote "origin"]\nurl = {URL}',
        f'; url = x\n[remote "origin"]\n# url = x\nfetch = +refs/*\nurl = {URL}\n[branch "url"]\nurl = y',
    ],
)
def test_the_address_is_found_however_it_is_written(text: str) -> None:
    assert url(text) == URL


@pytest.mark.parametrize(
    "text",
    ["", "\x00", f"url = {URL}", f'[remote "Origin"]\nurl = {URL}', f'[remote "up"]\nurl = {URL}', "[remote"],
)
def test_what_is_not_there_is_none(text: str) -> None:
    assert url(text) is None


# A line that goes on where the file ends is no value that anybody writes, and Git keeps blanks in it.
values = st.text(alphabet='ab #;"\\:/.', max_size=12).filter(lambda text: not text.endswith("\\"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@given(values, st.sampled_from(['[remote "origin"]', "[remote.origin]", '[Remote "origin"]  ']))
def test_values_are_read_as_git_reads_them(value: str, section: str) -> None:
    text = f"{section}\n\turl = {value}\n"
    with TemporaryDirectory() as folder:
        file = Path(folder, "config")
        file.write_text(text)
        done = subprocess.run(
            ["git", "config", "--file", str(file), "--get", "remote.origin.url"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == 0:
        assert url(text) == done.stdout.removesuffix("\n")


@given(st.text(alphabet='[]remot"origin \n\\=#;url', max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert url(text) is None or isinstance(url(text), str)
