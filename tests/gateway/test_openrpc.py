import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from openclaw_memd.gateway.methods import METHODS, describe_all
from tests.gateway.clients import call, dispatching
from tests.gateway.fakes import FakeServices


@pytest.fixture
def document() -> Any:
    return json.loads(msgspec.json.encode(describe_all()))


def method(document: Any, name: str) -> Any:
    return next(method for method in document["methods"] if method["name"] == name)


def test_every_method_is_there_once_and_no_other(document: Any) -> None:
    names = [method["name"] for method in document["methods"]]
    assert names == [
        "rpc.discover",
        "tools.describe",
        "status",
        "index.sync",
        "index.rebuild",
        "job.list",
        "job.cancel",
        "recall.search",
        "recall.get",
        "note.append",
        "note.observe",
        "flush.plan",
        "flush.append",
        "session.append",
        "session.list",
        "session.end",
        "memory.trust",
        "model.attach",
        "model.detach",
        "events.subscribe",
        "memory.history",
        "memory.diff",
        "memory.undo",
        "memory.remember",
        "memory.lint",
        "inject.bootstrap",
        "inject.turn",
        "recall.deep",
        "dream.run",
        "dream.status",
        "dream.report",
        "dream.candidates",
        "dream.explain",
        "dream.diary",
        "dream.review",
        "dream.accept",
        "dream.edit",
        "dream.reject",
        "dream.undo",
        "dream.backfill",
        "dream.rollback",
        "intent.create",
        "intent.list",
        "intent.get",
        "intent.cancel",
        "intent.done",
        "intent.match",
        "intent.due",
        "intent.confirm",
        "intent.release",
        "forget",
        "import.preview",
        "import.apply",
        "import.undo",
        "doctor.check",
        "doctor.fix",
        "backup.create",
    ]
    assert names == [method.name for method in METHODS]


def test_the_document_has_what_openrpc_requires(document: Any) -> None:
    assert document["openrpc"].startswith("1.3.")
    assert {"title", "version"} <= document["info"].keys()
    for described in document["methods"]:
        assert described["paramStructure"] == "by-name"
        assert described["summary"]
        assert {"name", "schema"} <= described["result"].keys()
        names = [param["name"] for param in described["params"]]
        assert len(set(names)) == len(names)
        assert {"context", "deadline_ms"} <= set(names)
        for param in described["params"]:
            Draft7Validator.check_schema(param["schema"])


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [found for part in value.values() for found in references(part)]
    return [found for part in value for found in references(part)] if isinstance(value, list) else []


def test_every_reference_leads_somewhere(document: Any) -> None:
    found = references(document)
    assert found
    for reference in found:
        target = document
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]


def test_params_are_described(document: Any) -> None:
    params = {param["name"]: param for param in method(document, "recall.search")["params"]}
    assert params["query"]["required"]
    assert not params["corpus"]["required"]
    assert params["corpus"]["schema"]["enum"] == ["all", "extra", "imports", "memory", "sessions"]
    assert {param["name"] for param in method(document, "recall.get")["params"]} >= {"path", "from", "lines"}


CALLS = [
    call("status", deep=True),
    call("index.sync"),
    call("index.sync", wait=False),
    call("index.rebuild", wait=True),
    call("job.list"),
    call("recall.search", query="x"),
    call("recall.get", path="MEMORY.md"),
    call("rpc.discover"),
]


@pytest.mark.parametrize("message", CALLS, ids=lambda message: str(message["method"]))
async def test_answers_fit_their_schema(document: Any, message: dict[str, Any]) -> None:
    async with dispatching(FakeServices()) as ask:
        result = (await ask(message))["result"]
    schema = {**method(document, message["method"])["result"]["schema"], "components": document["components"]}
    Draft7Validator(schema).validate(result)
