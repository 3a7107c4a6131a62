from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.gateway.notes import NoteAppendParams, NoteObserveParams
from openclaw_memd.gateway.params import decode_params
from openclaw_memd.gateway.schemas import CallParams, GetParams, JobListParams, SearchParams, SyncParams
from openclaw_memd.gateway.sessions import SessionAppendParams

SECRET = "hunter2"


def refusal(params: dict[str, Any], shape: type[CallParams] = SearchParams) -> InvalidParamsError:
    with pytest.raises(InvalidParamsError) as caught:
        decode_params(params, shape)
    assert SECRET not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("params", "field", "message"),
    [
        ({}, "query", "query is missing"),
        ({"query": 5}, "query", "query: Expected str, got int"),
        ({"query": None}, "query", "query: Expected str, got null"),
        (
            {"query": "x", "maxResults": 6},
            "maxResults",
            "unknown parameter maxResults; nearest known: max_results",
        ),
        ({"query": "x", "max_results": "6"}, "max_results", "max_results: Expected int | null, got str"),
        ({"query": "x", "max_results": 0}, "max_results", "max_results: Expected int >= 1"),
        ({"query": "x", "max_results": 1.5}, "max_results", "max_results: Expected int | null, got float"),
        ({"query": "x", "min_score": 7}, "min_score", "min_score: Expected float <= 1.0"),
        ({"query": "x", "after": SECRET}, "after", "after: Invalid RFC3339 encoded date"),
        ({"query": "x", "explain": "yes"}, "explain", "explain: Expected bool, got str"),
        ({"query": "x", "deadline_ms": 0}, "deadline_ms", "deadline_ms: Expected int >= 1"),
        (
            {"query": "x", "corpus": SECRET},
            "corpus",
            "corpus must be one of: all, extra, imports, memory, sessions",
        ),
        (
            {"query": "x", "context": {"sender": {"is_owner": "true"}}},
            "context.sender.is_owner",
            "context.sender.is_owner: Expected bool | null, got str",
        ),
        (
            {"query": "x", "context": {"sender": {"owner": True}}},
            "context.sender.owner",
            "unknown parameter context.sender.owner; nearest known: is_owner",
        ),
        (
            {"query": "x", "context": {"chat_type": SECRET}},
            "context.chat_type",
            "context.chat_type must be one of: channel, direct, group, unknown",
        ),
        ({"query": "x", "context": []}, "context", "context: Expected object | null, got array"),
    ],
)
def test_a_refusal_names_the_field_and_what_it_takes(
    params: dict[str, Any], field: str, message: str
) -> None:
    error = refusal(params)
    assert (error.field, error.message) == (field, message)


@pytest.mark.parametrize(
    ("entry", "field", "message"),
    [
        ({"text": "x", "importance": 11}, "importance", "Expected int <= 10"),
        ({"text": "x", "triggers": [5]}, "triggers[0]", "Expected str, got int"),
        ({"text": "x", "import": SECRET}, "import", "unknown; nearest known: importance"),
        ({}, "text", "missing"),
    ],
)
def test_a_refusal_names_the_field_in_a_list(entry: dict[str, Any], field: str, message: str) -> None:
    error = refusal({"entries": [{"text": "a"}, entry]}, NoteAppendParams)
    where = f"entries[1].{field}"
    expected = {
        "missing": f"{where} is missing",
        "unknown; nearest known: importance": f"unknown parameter {where}; nearest known: importance",
    }.get(message, f"{where}: {message}")
    assert (error.field, error.message) == (where, expected)


def test_a_refusal_in_a_list_tells_what_may_be_there() -> None:
    said = {"id": "1", "role": SECRET, "text": "x", "at": "2026-01-01T00:00:00Z"}
    error = refusal({"messages": [said]}, SessionAppendParams)
    assert error.field == "messages[0].role"
    assert error.message == "messages[0].role must be one of: assistant, system, tool, user"


def test_an_unknown_name_deep_in_a_list_is_named() -> None:
    said = {"id": "1", "role": "tool", "text": "x", "at": "2026-01-01T00:00:00Z", "tool": {"net": True}}
    error = refusal({"messages": [said]}, SessionAppendParams)
    assert error.field == "messages[0].tool.net"


def test_a_name_that_is_no_name_is_not_repeated() -> None:
    error = refusal({"query": "x", f"{SECRET} ` - at `$.zzz": 1})
    assert error.message == "unknown parameter"
    assert error.field is None


@pytest.mark.parametrize("name", ["sk-test-0000000000000000", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"])
def test_a_name_that_looks_like_a_secret_is_not_repeated(name: str) -> None:
    error = refusal({"query": "x", name: 1})
    assert (error.message, error.field) == ("unknown parameter", None)


def test_a_key_for_repeated_calls_is_unknown_where_nothing_is_written() -> None:
    assert refusal({"request_key": "k"}, SyncParams).field == "request_key"


def test_contract_names_and_defaults() -> None:
    params = decode_params({"path": "MEMORY.md", "from": 3}, GetParams)
    assert (params.from_line, params.lines, params.max_chars) == (3, 120, 12_000)
    assert refusal({"path": "MEMORY.md", "from_line": 3}, GetParams).field == "from_line"
    assert decode_params({"query": ""}, SearchParams).corpus == "memory"
    assert decode_params({}, SyncParams).wait is True
    assert decode_params({}, JobListParams).limit == 200


def test_a_context_that_says_nothing_is_the_narrowest() -> None:
    context = decode_params({"query": "", "context": {}}, SearchParams).context
    assert context is not None
    assert (context.agent, context.session_kind, context.chat_type) == ("main", "unknown", "unknown")
    assert (context.sender, context.tainted) == (None, False)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["query", "context", "corpus", "sender", "channel", "max_results", "id"]) | st.text()


@given(st.dictionaries(names, json_values | st.dictionaries(names, json_values, max_size=3), max_size=4))
def test_any_params_are_taken_or_refused_by_name(params: dict[str, Any]) -> None:
    with suppress(InvalidParamsError):
        assert decode_params(params, SearchParams).query == params["query"]


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("x", "a" * 64, "before_hash"),
        ("a" * 64, "", "after_hash"),
        ("", "a" * 65, "after_hash"),
        ("", "A" * 64, "after_hash"),
    ],
)
def test_hashes_of_a_reported_write_are_checked(before: str, after: str, field: str) -> None:
    params = {"path": "MEMORY.md", "before_hash": before, "after_hash": after}
    assert refusal(params, NoteObserveParams).field == field


def test_a_reported_write_may_make_a_file() -> None:
    params = {"path": "MEMORY.md", "before_hash": "", "after_hash": "a" * 64}
    assert isinstance(decode_params(params, NoteObserveParams), NoteObserveParams)
