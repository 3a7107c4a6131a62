"""``docs/api.md``, made from the table that dispatches so that it cannot drift."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from openclaw_memd.gateway.methods import METHODS, describe_all
from openclaw_memd.gateway.reasons import (
    ANSWER_REASONS,
    DEEP_REASONS,
    ERROR_REASONS,
    EXCLUDED_REASONS,
    IMPORT_REASONS,
    INTENT_REASONS,
    MESSAGE_REASONS,
    PLAN_REASONS,
    SETBACK_REASONS,
    SKIP_REASONS,
    TRANSCRIPT_REASONS,
    TURN_REASONS,
    WITHHELD_REASONS,
)
from openclaw_memd.gateway.table import AnyMethod, Pace

Schema = Mapping[str, Any]

_INTRODUCTION = """\
# API

This page is generated from the table that dispatches (`python -m openclaw_memd.gateway.reference`).
`rpc.discover` answers the same as an OpenRPC document.

JSON-RPC 2.0 over one Unix socket, single calls and batches, params by name, in two protocols that are told
apart by the first byte:

- **lines**: one JSON text a line, each way. Answers come as they are ready, so give each call an `id`. After
  a half-close what was asked is still answered. After `model.attach` and `events.subscribe` the daemon sends
  requests and notifications of its own: see [chat models and events](models.md).
- **HTTP/1.1**: `POST /rpc` with `content-type: application/json`. `GET /health` is 200 when ready, else 503;
  `GET /metrics` is Prometheus text; `HEAD` of either is the same without the page. Everything else is 404. A
  request with `Origin` or `Referer`, or with another `Host` than `localhost` or `memd`, is 403.

A brace, a bracket or white space begins a line, a letter begins HTTP. Anything else gets one parse error and
the end of the connection. A first line that begins with a letter and is no request line is answered with 400
as soon as it ends, a header that is not complete within `limits.read_s` with 408; a line that is not complete
by then gets one error of kind `deadline`.

When `limits.connections` are open, the one that has been silent longest, for over 60 s, is closed for the
next, unless it has a call in flight, is attached or subscribed. Where there is none, a caller gets one error
of kind `overloaded`, by HTTP as 503. `GET /health` and `GET /metrics` are answered all the same, one page a
connection. One connection runs at most half of `limits.in_flight` calls at once, those of batches included;
what it asks beyond that waits its turn.

Times are RFC 3339, lines count from 1 and are inclusive, characters are Unicode code points, scores are 0
to 1. Clients must not mind fields that they do not know: more may come.

The examples take `$SOCK` from `memd status --json | jq -r .socket`.
""".splitlines()

_ERRORS = (
    (-32700, "parse", "not JSON as memd takes it"),
    (-32600, "invalid_request", "JSON, but no JSON-RPC 2.0 request"),
    (-32601, "method_not_found", "no such method; the message names one that is near"),
    (-32602, "invalid_params", "`field` names the parameter; for an unknown one the message has the nearest"),
    (-32603, "internal", "a fault of memd; `ref` is in the log"),
    (-32001, "not_found", "no such agent or job"),
    (-32002, "conflict", "something changed meanwhile, or another holds the lock"),
    (-32003, "denied", "the caller may not; `reason` says which rule"),
    (-32004, "unavailable", "a provider, the disk or a database cannot be used now"),
    (-32005, "too_large", "over a limit; `reason` names it"),
    (-32006, "overloaded", "the queue is full; `retry_after_ms`"),
    (-32007, "deadline", "nothing useful within the deadline"),
)
_DEADLINES: Mapping[Pace, str] = {
    "read": "`limits.read_ms`",
    "write": "`limits.write_ms`",
    "sync": "`limits.sync_ms`",
    "turn": "`[inject] deadline_ms`",
    "deep": "`[escalation] timeout_ms`",
    "job": "none",
}


def render_reference() -> str:
    """The reference page as Markdown."""
    document = json.loads(msgspec.json.encode(describe_all()))
    lines = [*_INTRODUCTION, "", "## Methods", ""]
    lines += [f"- [`{method.name}`](#{_anchor(method.name)}): {method.summary}" for method in METHODS]
    for method, described in zip(METHODS, document["methods"], strict=True):
        lines += _method(method, described)
    lines += ["", "## Shapes"]
    for name, schema in document["components"]["schemas"].items():
        lines += ["", f"### {name}", "", schema["description"], "", *_fields(schema)]
    lines += ["", "## Errors", ""]
    lines += ['`{"code", "message", "data": {"kind", "reason"?, "field"?, "retry_after_ms"?, "ref"}}`', ""]
    lines += ["| code | kind | when |", "| --- | --- | --- |"]
    lines += [f"| {code} | `{kind}` | {when} |" for code, kind, when in _ERRORS]
    lines += ["", "### Reasons of errors", "", *_reasons(ERROR_REASONS)]
    lines += ["", "### Reasons why a file is not in the index", ""]
    lines += [
        "In `skipped` and `excluded` of `status`, and in errors of `recall.get` and of rewrites.",
        "",
        *_reasons(SKIP_REASONS),
    ]
    lines += ["", "### Reasons why a file is not imported or not taken back", "", *_reasons(IMPORT_REASONS)]
    lines += ["", "### Reasons why a transcript file is left out", "", *_reasons(TRANSCRIPT_REASONS)]
    lines += ["", "### Reasons why a message is not kept", "", *_reasons(MESSAGE_REASONS)]
    lines += ["", "### Reasons of a flush plan", "", *_reasons(PLAN_REASONS)]
    lines += ["", "### Reasons why an entry is not injected", "", *_reasons(WITHHELD_REASONS)]
    lines += ["", "### Reasons why a candidate is not promoted", "", *_reasons(EXCLUDED_REASONS)]
    lines += ["", "### Reasons why a chosen candidate is not written", "", *_reasons(SETBACK_REASONS)]
    lines += ["", "### Reasons of deep recall", "", *_reasons(DEEP_REASONS)]
    lines += ["", "### What is missing from what a prompt is given", "", *_reasons(TURN_REASONS)]
    lines += ["", "### Reasons why an intent does not fire", "", *_reasons(INTENT_REASONS)]
    lines += ["", "### What an answer says of itself", "", *_reasons(ANSWER_REASONS)]
    return "\n".join(lines) + "\n"


def _method(method: AnyMethod, described: Schema) -> Iterator[str]:
    yield from ["", f"## {method.name}", "", method.summary, ""]
    yield f"{described['description']} Deadline: {_DEADLINES[method.pace]}, or `deadline_ms` if sooner."
    yield from ["", "| param | type | default | meaning |", "| --- | --- | --- | --- |"]
    for param in described["params"]:
        schema = param["schema"]
        default = "required" if param["required"] else _default(schema)
        yield f"| `{param['name']}` | {_words(schema)} | {default} | {param.get('description', '')} |"
    yield from ["", f"Result: {_words(described['result']['schema'])}.", ""]
    params = json.dumps(method.example, ensure_ascii=False)
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method.name, "params": method.example})
    if method.needs_line:
        yield from ["As a line on a connection that stays open:", "", "```json", call, "```"]
        return
    yield "```sh"
    yield "curl -s --unix-socket \"$SOCK\" http://localhost/rpc -H 'content-type: application/json' \\"
    yield f"  -d '{call}'"
    yield f"memd rpc {method.name} '{params}'"
    yield "```"


def _fields(schema: Schema) -> Iterator[str]:
    yield from ["| field | type | left out when | meaning |", "| --- | --- | --- | --- |"]
    for name, field in schema["properties"].items():
        absent = "" if name in schema["required"] else _default(field)
        yield f"| `{name}` | {_words(field)} | {absent} | {field.get('description', '')} |"


def _reasons(reasons: Mapping[str, str]) -> list[str]:
    rows = [f"| `{code}` | {meaning} |" for code, meaning in reasons.items()]
    return ["| reason | meaning |", "| --- | --- |", *rows]


def _default(schema: Schema) -> str:
    return f"`{json.dumps(schema['default'])}`"


def _words(schema: Schema) -> str:
    """A schema in words, with its bounds."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_words(choice) for choice in choices)
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_words(schema['items'])}"
    return f"{schema.get('format', kind)}{_bounds(schema)}"


def _bounds(schema: Schema) -> str:
    if "pattern" in schema:
        return f" that matches `{schema['pattern']}`"
    if "maxLength" in schema:
        return f" of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    if "maximum" in schema:
        return f" from {schema['minimum']} to {schema['maximum']}"
    return ""


def _anchor(title: str) -> str:
    return title.lower().replace(".", "")


def main() -> None:
    """Write the page below the current folder."""
    Path("docs/api.md").write_text(render_reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
