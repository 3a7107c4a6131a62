"""The shape of OpenAI-compatible chat completions: pure functions from requests to bytes and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from openclaw_memd.models.verdict import read_error
from openclaw_memd.ports import ChatModelError

_REFUSES_PARAMS = frozenset({400, 404, 415, 422, 500, 501})
"""How servers say that they do not know a parameter; some break on one."""

_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "grammar", "guided")
_BY_SCHEMA = "\n\nAnswer with JSON alone, no other word, by this JSON Schema:\n"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands. The API grew, and those who speak it stopped at different points."""

    takes_schemas: bool = True
    takes_temperature: bool = True
    says_completion_tokens: bool = False


def encode_request(
    *,
    model: str,
    system: str,
    prompt: str,
    max_tokens: int,
    schema: Mapping[str, Any] | None,
    dialect: Dialect,
) -> bytes:
    """A request's body. To a server that takes no schemas the schema is said in words."""
    body: dict[str, Any] = {"model": model}
    if schema is not None and not dialect.takes_schemas:
        system += _BY_SCHEMA + json.dumps(schema)
    elif schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    body["max_completion_tokens" if dialect.says_completion_tokens else "max_tokens"] = max_tokens
    if dialect.takes_temperature:
        body["temperature"] = 0
    return json.dumps(body).encode()


def concede(dialect: Dialect, status: int, body: bytes, *, has_schema: bool) -> Dialect | None:
    """What to say instead to a server that refused, by its own words; None when nothing else may help."""
    if status not in _REFUSES_PARAMS:
        return None
    _, message = read_error(body)
    message = message.casefold()
    if "max_completion_tokens" in message:
        return None if dialect.says_completion_tokens else replace(dialect, says_completion_tokens=True)
    if "temperature" in message and dialect.takes_temperature:
        return replace(dialect, takes_temperature=False)
    is_blamed = any(word in message for word in _SCHEMA_WORDS)
    if has_schema and dialect.takes_schemas and (is_blamed or status not in {404, 500}):
        return replace(dialect, takes_schemas=False)
    return None


def read_text(body: bytes) -> str:
    """The text of the first choice.

    Raises:
        ChatModelError: there is none: the body has another shape, or the model refused.
    """
    try:
        message = msgspec.json.decode(body)["choices"][0]["message"]
        refusal, content = message.get("refusal"), message.get("content")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LookupError, TypeError, AttributeError):
        raise ChatModelError("invalid", "the chat model's provider answered in another shape") from None
    if refusal and not content:
        raise ChatModelError("refused", "the chat model refused to answer")
    if isinstance(content, list):  # in parts
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise ChatModelError("invalid", "the chat model's answer has no text")
    return content
