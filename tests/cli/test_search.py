"""What ``memd search`` says when nothing comes."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.fake_daemon import FakeDaemon
from tests.daemons import daemon_env, run_memd

HINT = "imports have something: add --corpus imports"
HIT = {"citation": "memory/imports/a.md#L1-L1", "score": 0.9, "origin": "untrusted", "text": "word"}


def answer(params: dict[str, Any]) -> dict[str, Any]:
    """Only imports have something."""
    hits = [HIT] if params.get("corpus") == "imports" else []
    reason = None if hits else "no_match"
    return {"hits": hits, "mode": "keyword", "took_ms": 1.0, "freshness": "fresh", "empty_reason": reason}


@pytest.fixture
def imports(fake: FakeDaemon) -> FakeDaemon:
    fake.answers["recall.search"] = answer
    return fake


def test_what_only_imports_have_is_told_in_a_hint(imports: FakeDaemon, folder: Path) -> None:
    done = run_memd("search", "word", "--after", "2026-01-01", "--as-owner", env=daemon_env(folder))
    assert (done.returncode, done.stdout) == (0, "nothing matches\n")
    assert HINT in done.stderr
    _, asked = imports.asked("recall.search")
    # A context would make the look for a hint taint the session that it names.
    assert asked == {"query": "word", "after": "2026-01-01", "corpus": "imports", "max_results": 1}


@pytest.mark.parametrize("more", [("--corpus", "memory"), ("--session", "s"), ("--json",)])
def test_who_says_where_to_look_gets_no_hint(
    imports: FakeDaemon, folder: Path, more: tuple[str, ...]
) -> None:
    done = run_memd("search", "word", *more, env=daemon_env(folder))
    assert HINT not in done.stdout + done.stderr
    assert len(imports.asked("recall.search")) == 1


def test_where_imports_have_nothing_there_is_no_hint(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["recall.search"] = lambda params: answer({**params, "corpus": "memory"})
    done = run_memd("search", "word", env=daemon_env(folder))
    assert HINT not in done.stderr


@pytest.mark.parametrize(
    ("freshness", "told"), [("stale", "still being indexed"), ("partial", "memd status")]
)
def test_what_waits_is_told_from_what_cannot_be_read(
    fake: FakeDaemon, folder: Path, freshness: str, told: str
) -> None:
    fake.answers["recall.search"] = lambda params: (
        answer(params) | {"freshness": freshness, "hits": [], "empty_reason": "stale"}
    )
    done = run_memd("search", "word", env=daemon_env(folder))
    assert (done.returncode, told in done.stdout) == (0, True)
