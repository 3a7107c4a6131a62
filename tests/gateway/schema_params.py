"""Params made from a method's schema: what it takes, what it nearly takes, and what nobody would send."""

import random
from collections.abc import Mapping
from typing import Any, Final

MOST_DEPTH: Final = 5
ODD_TEXTS: Final = (
    "",
    " ",
    "\0",
    "a\0b",
    "\n",
    "\r\n",
    "\u202e\u2066x",
    "e\u0301" * 40,
    "\ufeff# head",
    "../../etc/passwd",
    "memory/../../x.md",
    "/nowhere/at/all",
    "memory/",
    "MEMORY.md",
    "USER.md",
    "sessions/main/s1",
    "extra/lib/a.md",
    "' OR 1=1 --",
    '" NEAR( *',
    "<!-- origin: owner -->",
    "<relevant-memories>",
    "%00",
    "null",
    "true",
    "-1",
    "0001-01-01",
    "9999-12-31",
    "2026-02-30",
    "9999-12-31T23:59:60Z",
    "* * * * *",
    "0 0 31 2 *",
    "𝕏" * 300,
    "x" * 70_000,
    "- a\n" * 3_000,
    "```\n" * 50,
    "agent:main",
)
ODD_NUMBERS: Final = (0, 1, -1, 2, 200, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), -(2**70), 1e308, 0.1, -0.0)


class Params:
    """Made from the OpenRPC document of a daemon, the same for the same seed."""

    def __init__(self, document: Mapping[str, Any], rng: random.Random) -> None:
        self.methods: Mapping[str, Any] = {method["name"]: method for method in document["methods"]}
        self._schemas = document["components"]["schemas"]
        self._rng = rng

    def make(self, name: str) -> dict[str, Any]:
        """Params that the schema of the method allows, but for some of them now and then."""
        rng = self._rng
        params: dict[str, Any] = {}
        for param in self.methods[name]["params"]:
            if param["required"] or rng.random() < 0.4:
                params[param["name"]] = self.value(param["schema"])
        return self.spoil(params) if rng.random() < 0.4 else params

    def spoil(self, params: dict[str, Any]) -> dict[str, Any]:
        """With one thing wrong: a value of another kind, an unknown name, one left out."""
        rng = self._rng
        spoiled = dict(params)
        match rng.randrange(4):
            case 0 if spoiled:
                spoiled[rng.choice(list(spoiled))] = self.anything()
            case 1 if spoiled:
                del spoiled[rng.choice(list(spoiled))]
            case 2:
                spoiled[rng.choice(ODD_TEXTS)[:200]] = self.anything()
            case _:
                for key in list(spoiled):
                    if rng.random() < 0.5:
                        spoiled[key] = self.anything()
        return spoiled

    def value(self, schema: Mapping[str, Any], depth: int = 0) -> Any:  # one branch a kind of schema
        """Something that ``schema`` allows, as a rule at the edge of it."""
        rng = self._rng
        if "$ref" in schema:
            return self.value(self._schemas[schema["$ref"].rpartition("/")[2]], depth)
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        if "anyOf" in schema:
            return self.value(rng.choice(schema["anyOf"]), depth)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = rng.choice(kind)
        match kind:
            case "string":
                return self._text(schema)
            case "integer":
                return self._number(schema)
            case "number":
                return self._number(schema) + rng.choice([0, 0.5])
            case "boolean":
                return rng.random() < 0.5
            case "array":
                count = min(rng.choice([0, 1, 1, 2, 5, 60]), schema.get("maxItems", 60))
                count = max(count, schema.get("minItems", 0)) if depth < MOST_DEPTH else 0
                return [self.value(schema.get("items", {}), depth + 1) for _ in range(count)]
            case "object":
                return self._object(schema, depth)
            case "null":
                return None
        return self.anything(depth)

    def anything(self, depth: int = 0) -> Any:
        """A value of any kind."""
        rng = self._rng
        kinds = 8 if depth < MOST_DEPTH else 6
        match rng.randrange(kinds):
            case 0:
                return None
            case 1:
                return rng.random() < 0.5
            case 2 | 3:
                return rng.choice(ODD_NUMBERS)
            case 4 | 5:
                return rng.choice(ODD_TEXTS)
            case 6:
                return [self.anything(depth + 1) for _ in range(rng.randrange(4))]
        return {rng.choice(ODD_TEXTS)[:40]: self.anything(depth + 1) for _ in range(rng.randrange(4))}

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        made = {
            name: self.value(inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or (depth < MOST_DEPTH and self._rng.random() < 0.5)
        }
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and depth < MOST_DEPTH:
            made |= {self._rng.choice(ODD_TEXTS)[:40]: self.value(more, depth + 1) for _ in range(2)}
        return made

    def _text(self, schema: Mapping[str, Any]) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength", 70_000)
        text = self._rng.choice(["s1", "main", "2026-01-11", "memory/a.md", "word", *ODD_TEXTS])
        if self._rng.random() < 0.1:
            text = "y" * most
        return text[:most].ljust(least, "z")

    def _number(self, schema: Mapping[str, Any]) -> Any:
        least = schema.get("minimum", schema.get("exclusiveMinimum", -(2**53)))
        most = schema.get("maximum", schema.get("exclusiveMaximum", 2**53))
        return self._rng.choice([least, most, min(max(1, least), most), min(max(7, least), most)])
