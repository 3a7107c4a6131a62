import os
from pathlib import Path

import pytest

from openclaw_memd.models.keys import KeyProblemError, read_key


def test_no_key_is_named() -> None:
    assert read_key(env=None, file=None).value is None


def test_a_key_from_the_environment() -> None:
    assert read_key(env="MY_KEY", file=None, environment={"MY_KEY": " sk-1 \n"}).value == "sk-1"


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "line\nbreak", "schlüssel"])
def test_a_variable_without_a_usable_key(value: str | None) -> None:
    environment = {} if value is None else {"MY_KEY": value}

    with pytest.raises(KeyProblemError) as caught:
        read_key(env="MY_KEY", file=None, environment=environment)

    assert not value or not value.strip() or value not in str(caught.value)


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, True), (0o644, True)])
def test_a_key_from_a_file_that_others_may_read_is_warned_about(
    tmp_path: Path, mode: int, warned: bool
) -> None:
    file = tmp_path / "key"
    file.write_text("sk-1\n")
    file.chmod(mode)

    key = read_key(env=None, file=str(file))

    assert key.value == "sk-1"
    assert (key.warning is not None) == warned


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe"])
def test_a_file_without_a_key(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(KeyProblemError, match="API key file"):
        read_key(env=None, file=str(file))


def test_a_key_does_not_show_itself() -> None:
    key = read_key(env="MY_KEY", file=None, environment={"MY_KEY": "sk-hidden"})

    assert "hidden" not in repr(key)
    assert "hidden" not in str(key)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key")

    with pytest.raises(KeyProblemError, match="api_key_file"):
        read_key(env=None, file=str(tmp_path / "key"))
