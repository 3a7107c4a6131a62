"""What ``memd get`` asks for."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.fake_daemon import FakeDaemon
from tests.daemons import daemon_env, run_memd

ANSWER = {"status": "ok", "path": "a.md", "text": "a line\n", "from": 3, "lines": 1, "total_lines": 9}


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("memory/a.md",), {"path": "memory/a.md"}),
        (("memory/a.md#L3",), {"path": "memory/a.md", "from": 3, "lines": 1}),
        (("memory/a.md#L3-L5",), {"path": "memory/a.md", "from": 3, "lines": 3}),
        (("memory/a.md#L3-L5", "--lines", "9"), {"path": "memory/a.md", "from": 3, "lines": 9}),
    ],
    ids=str,
)
def test_a_place_as_search_prints_it_names_its_lines(
    fake: FakeDaemon, folder: Path, words: tuple[str, ...], asked: dict[str, Any]
) -> None:
    fake.answers["recall.get"] = lambda _params: ANSWER
    done = run_memd("get", *words, env=daemon_env(folder))
    assert (done.returncode, done.stdout) == (0, "a line\n")
    assert fake.asked("recall.get") == [asked]
