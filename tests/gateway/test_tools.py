from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway.contexts import caller_of
from openclaw_memd.gateway.methods import METHODS
from openclaw_memd.gateway.params import decode_params
from openclaw_memd.gateway.schemas import Context
from openclaw_memd.gateway.table import Call
from openclaw_memd.gateway.tool_texts import SECTIONS, TOOLS, Tool
from openclaw_memd.gateway.tools import Format, ToolsDescribed, ToolsParams, describe_tools
from tests.gateway.clients import call, dispatching
from tests.gateway.fakes import FakeServices

NAMES = {method.name for method in METHODS}
INTENTS = {"intent.create", "intent.list", "intent.cancel"}
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "mcp")
MOST_PROMPT_CHARS = 4_000
"""The sections are in every prompt of the runtime."""

CALLS: dict[str, list[dict[str, Any]]] = {
    "memory_search": [
        {"query": "who moved"},
        {"query": "x", "corpus": "all", "max_results": 3, "after": "2026-01-01", "before": "2026-02-01"},
    ],
    "memory_get": [{"path": "memory/2026-01-11.md"}, {"path": "MEMORY.md", "from": 3, "lines": 10}],
    "intent": [
        {"action": "create", "description": "ask for the key", "keywords": ["garage"], "scope": "channel"},
        {"action": "create", "description": "call", "at": "2026-01-11T12:00:00+01:00"},
        {"action": "create", "description": "stand up", "cron": "0 9 * * 1", "zone": "Europe/Vienna"},
        {"action": "list"},
        {"action": "cancel", "id": "i1"},
    ],
}


def described(
    form: Format = "openai", *, methods: set[str] = NAMES | INTENTS, **params: Any
) -> ToolsDescribed:
    request = ToolsParams(format=form, **params)
    made = Call(FakeServices(), Limits(), 0.0, caller_of(request.context))
    return describe_tools(made, request, methods)


def schema_of(tool: dict[str, Any], form: Format) -> dict[str, Any]:
    """The schema, out of a shape that must be the format's own, to the key."""
    schema: dict[str, Any]
    if form == "openai":
        assert tool.keys() == {"type", "function"}
        assert tool["type"] == "function"
        tool = tool["function"]
        assert tool.keys() == {"name", "description", "parameters"}
        schema = tool["parameters"]
    elif form == "anthropic":
        assert tool.keys() == {"name", "description", "input_schema"}
        schema = tool["input_schema"]
    else:
        assert tool.keys() == {"name", "description", "inputSchema", "annotations"}
        assert tool["annotations"].keys() == {"readOnlyHint"}
        schema = tool["inputSchema"]
    assert len(tool["description"]) <= 1024
    return schema


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_has_its_shape(form: Format) -> None:
    tools = described(form).tools
    assert len(tools) == 3
    for tool in tools:
        schema = schema_of(tool, form)
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert set(schema["required"]) <= schema["properties"].keys()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_a_tool_takes_its_method_takes(tool: Tool) -> None:
    used: set[str] = set()
    for arguments in CALLS[tool.name]:
        Draft202012Validator(dict(tool.parameters)).validate(arguments)
        used |= arguments.keys()
        params = dict(arguments)
        name = tool.method.format(action=params.pop("action", ""))
        method = next((method for method in METHODS if method.name == name), None)
        if method is not None:
            decode_params(params, method.params)
        else:
            assert name in INTENTS, "only what is not built yet may be missing"
    assert tool.parameters["properties"].keys() - used <= {"expires_at"}


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        (NAMES | INTENTS, {"memory_search", "memory_get", "intent"}),
        (NAMES - INTENTS, {"memory_search", "memory_get"}),
        ((NAMES | INTENTS) - {"intent.cancel"}, {"memory_search", "memory_get"}),
        ({"recall.get"}, {"memory_get"}),
        (set(), set()),
    ],
)
def test_a_tool_whose_methods_are_missing_is_left_out(methods: set[str], names: set[str]) -> None:
    answer = described(methods=methods)

    assert {tool["function"]["name"] for tool in answer.tools} == names == answer.calls.keys()
    assert ("intents" in {section.id for section in answer.prompt.sections}) == ("intent" in names)


def test_who_is_not_the_owner_is_not_offered_what_only_the_owner_may() -> None:
    assert described(context=Context(chat_type="group")).calls.keys() == {"memory_search", "memory_get"}


async def test_over_the_wire_it_is_what_this_version_has() -> None:
    async with dispatching(FakeServices()) as ask:
        answer = (await ask(call("tools.describe", format="mcp")))["result"]

        offered = {tool["name"] for tool in answer["tools"]}
        assert offered == {"memory_search", "memory_get"} | ({"intent"} if INTENTS <= NAMES else set())
        assert all(section.keys() == {"id", "text"} for section in answer["prompt"]["sections"])
        assert (await ask(call("tools.describe", format="xml")))["error"]["data"]["field"] == "format"


def test_the_prompt_says_what_a_good_host_must_know_and_is_short() -> None:
    texts = {section.id: section.text for section in SECTIONS}
    assert "memory_search" in texts["recall"]
    for word in ("stable", "traceable", "correctable", "MEMORY.md", "USER.md"):
        assert word in texts["writing"]
    for word in ("condition", "ends", "avoided", "authority"):
        assert word in texts["acting"]
    assert "no policy engine" in texts["limits"]
    assert sum(map(len, texts.values())) <= MOST_PROMPT_CHARS
