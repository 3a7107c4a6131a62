"""The contract in machine-readable form, made from the table that dispatches."""

from collections.abc import Sequence
from typing import Any

import msgspec

from openclaw_memd.errors import (
    ConflictError,
    DeadlineError,
    DeniedError,
    InvalidParamsError,
    MemdError,
    NotFoundError,
    OverloadedError,
    TooLargeError,
    UnavailableError,
)
from openclaw_memd.gateway.faults import INTERNAL
from openclaw_memd.gateway.table import AnyMethod
from openclaw_memd.version import VERSION

OPENRPC_VERSION = "1.3.2"

_RIGHTS = {
    "R": "anyone on the socket",
    "N": "any host for a session",
    "O": "owner authority",
    "A": "the operator or owner authority",
}
_ERRORS: tuple[type[MemdError], ...] = (
    InvalidParamsError,
    NotFoundError,
    ConflictError,
    DeniedError,
    UnavailableError,
    TooLargeError,
    OverloadedError,
    DeadlineError,
)


def describe_methods(methods: Sequence[AnyMethod]) -> dict[str, Any]:
    """An OpenRPC document of ``methods``."""
    types = [shape for method in methods for shape in (method.params, *method.results)]
    shapes = list(dict.fromkeys(types))
    schemas, components = msgspec.json.schema_components(shapes, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(shapes, schemas, strict=True))
    params_names = {method.params.__name__ for method in methods}
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "memd",
            "version": VERSION,
            "description": "A local memory daemon for agent runtimes. JSON-RPC 2.0 over one Unix socket.",
        },
        "methods": [_describe(method, schema_of, components[method.params.__name__]) for method in methods],
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in params_names},
            "errors": {error.kind: {"code": error.code, "message": error.kind} for error in _ERRORS}
            | {"internal": {"code": INTERNAL, "message": "internal"}},
        },
    }


def _describe(method: AnyMethod, schema_of: dict[type, Any], params: dict[str, Any]) -> dict[str, Any]:
    results = [schema_of[shape] for shape in method.results]
    return {
        "name": method.name,
        "summary": method.summary,
        "description": f"Who may call it: {_RIGHTS[method.right]}.",
        "paramStructure": "by-name",
        "params": [
            {"name": name, "required": name in params.get("required", ()), **_describe_param(schema)}
            for name, schema in params["properties"].items()
        ],
        "result": {
            "name": "result",
            "schema": results[0] if len(results) == 1 else {"oneOf": results},
        },
        "errors": [
            {"$ref": f"#/components/errors/{kind}"}
            for kind in [*(error.kind for error in _ERRORS), "internal"]
        ],
    }


def _describe_param(schema: dict[str, Any]) -> dict[str, Any]:
    if "description" not in schema:
        return {"schema": schema}
    return {
        "description": schema["description"],
        "schema": {name: value for name, value in schema.items() if name != "description"},
    }
