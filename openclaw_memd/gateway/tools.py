"""``tools.describe``: tool schemas and prompt sections for a runtime, in the format of its model's API."""

from collections.abc import Collection
from typing import Annotated, Any, Literal, assert_never

from msgspec import Meta

from openclaw_memd.gateway.results import Result
from openclaw_memd.gateway.schemas import CallParams
from openclaw_memd.gateway.table import Call
from openclaw_memd.gateway.tool_texts import SECTIONS, TOOLS, Tool

Format = Literal["openai", "anthropic", "mcp"]


class ToolsParams(CallParams, frozen=True, kw_only=True):
    """Params of ``tools.describe``."""

    format: Annotated[Format, Meta(description="whose shape the schemas have")] = "openai"


class PromptSection(Result, frozen=True, kw_only=True):
    """A part of a system prompt, to be taken as it is."""

    id: str
    text: str


class Prompt(Result, frozen=True, kw_only=True):
    """What the model should be told."""

    sections: tuple[PromptSection, ...]


class ToolsDescribed(Result, frozen=True, kw_only=True):
    """Tools that the runtime can offer its model."""

    tools: Annotated[tuple[dict[str, Any], ...], Meta(description="schemas in the format asked for")]
    calls: Annotated[
        dict[str, str],
        Meta(description="for each tool the method to call; {action} stands for that param, then left out"),
    ]
    prompt: Prompt


def describe_tools(call: Call, params: ToolsParams, methods: Collection[str]) -> ToolsDescribed:
    """The tools for which ``methods`` are there; those for owners only are for nobody else."""
    agent = call.services.agent(params.agent_id)
    is_owner = call.caller is None or agent.missing_authority(call.caller) is None
    tools = [
        tool
        for tool in TOOLS
        if all(method in methods for method in tool.needs) and (is_owner or not tool.is_owners)
    ]
    names = {tool.name for tool in tools}
    sections = [section for section in SECTIONS if section.tool is None or section.tool in names]
    return ToolsDescribed(
        tools=tuple(_shape(tool, params.format) for tool in tools),
        calls={tool.name: tool.method for tool in tools},
        prompt=Prompt(sections=tuple(PromptSection(id=one.id, text=one.text) for one in sections)),
    )


def _shape(tool: Tool, form: Format) -> dict[str, Any]:
    schema = dict(tool.parameters)
    named = {"name": tool.name, "description": tool.description}
    match form:
        case "openai":
            return {"type": "function", "function": {**named, "parameters": schema}}
        case "anthropic":
            return {**named, "input_schema": schema}
        case "mcp":
            return {**named, "inputSchema": schema, "annotations": {"readOnlyHint": tool.reads_only}}
        case _:
            assert_never(form)
