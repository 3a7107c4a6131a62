"""What is no error but worth a sentence."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from openclaw_memd.config.advice import advise
from openclaw_memd.config.corpus_sections import Embedding
from openclaw_memd.config.idle_keys import EMBEDDING_KEYS, MODEL_KEYS
from openclaw_memd.config.load import check
from openclaw_memd.config.sections import Model

ENV = {"HOME": "/home/ana"}
ADDRESS = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("schedule", "is_never"),
    [("0 3 30 2 *", True), ("0 3 31 apr,jun *", True), ("0 3 29 2 *", False), ("0 3 30 2 mon", False)],
)
def test_a_schedule_that_never_comes_is_told(schedule: str, *, is_never: bool) -> None:
    """A backup that nobody ever makes is found out when it is needed."""
    config = check({"backup": {"schedule": schedule}})
    told = "backup.schedule: no day is ever like this, so nothing will be done"
    assert advise(config, {"HOME": "/home/ana"}) == ([told] if is_never else [])


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            {"embedding": {"base_url": ADDRESS, "model": "nomic"}},
            ["embedding.base_url: of no effect unless embedding.provider = openai"],
        ),
        (
            {"embedding": {"provider": "openai", "model": "m", "threads": 4}},
            ["embedding.threads: of no effect unless embedding.provider = local"],
        ),
        (
            {"embedding": {"provider": "openai", "model": "m", "api_key_env": "K", "api_key_file": "/k"}},
            ["embedding.api_key_file: of no effect beside embedding.api_key_env"],
        ),
        ({"embedding": {"provider": "none", "base_url": ADDRESS, "threads": 4}}, []),
        ({"embedding": {"threads": 4}}, []),
        (
            {"model": {"model": "m", "base_url": ADDRESS}},
            [
                "model.model: of no effect while model.provider is not set",
                "model.base_url: of no effect unless model.provider = openai",
            ],
        ),
        (
            {"agents": {"ana": {"model": {"provider": "runtime", "base_url": ADDRESS}}}},
            ["agents.ana.model.base_url: of no effect unless agents.ana.model.provider = openai"],
        ),
        ({"model": {"provider": "openai", "model": "m", "base_url": ADDRESS}}, []),
    ],
    ids=str,
)
def test_a_setting_that_does_nothing_is_told(table: dict[str, Any], told: list[str]) -> None:
    assert advise(check(table), ENV) == told


@pytest.mark.parametrize(("section", "keys"), [(Embedding, EMBEDDING_KEYS), (Model, MODEL_KEYS)])
def test_each_key_that_says_whose_it_is_is_known_as_such(
    section: type[msgspec.Struct], keys: dict[str, tuple[str, ...]]
) -> None:
    owners: dict[str, list[str]] = {}
    for key in msgspec.inspect.type_info(section).fields:  # type: ignore[attr-defined]
        description = key.type.extra_json_schema["description"]
        owner = description.partition(":")[0]
        if owner in {"openai", "local"} and "; openai:" not in description:
            owners.setdefault(owner, []).append(key.name)
    assert {owner: tuple(names) for owner, names in owners.items()} == dict(keys)


def test_a_place_with_nothing_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "there.gguf").touch()
    table: dict[str, Any] = {
        "agents": {"main": {"workspace": str(tmp_path / "gone")}},
        "embedding": {"model": str(tmp_path / "gone.gguf")},
        "model": {"provider": "local", "model": "relative.gguf"},
    }
    assert advise(check(table), ENV) == [
        "agents.main.workspace: there is no folder at this place",
        "embedding.model: there is no file at this place",
        "model.model: a relative path begins where memd is started, which a service does elsewhere",
    ]
    table["agents"]["main"]["workspace"] = str(tmp_path)
    table["embedding"]["model"] = str(tmp_path / "there.gguf")
    table["model"]["model"] = str(tmp_path / "there.gguf")
    assert advise(check(table), ENV) == []


@pytest.mark.parametrize("place", ["/" + "x" * 300 + ".gguf", "~nobody-at-all/x.gguf", "/gone/model"])
def test_a_place_where_nothing_can_be_is_told_too(place: str) -> None:
    told = advise(check({"embedding": {"model": place}}), ENV)
    assert told == ["embedding.model: there is no file at this place"]


def test_what_may_not_be_looked_at_is_not_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_dir", refuse)
    assert advise(check({"agents": {"main": {"workspace": "/closed/ws"}}}), ENV) == []
