"""Lines that look like records of transcripts, and lines that do not."""

import json

from hypothesis import strategies as st

_KEYS = st.sampled_from(
    [
        "type",
        "message",
        "role",
        "content",
        "text",
        "id",
        "uuid",
        "timestamp",
        "name",
        "toolName",
        "data",
        "runId",
        "sessionId",
        "isSidechain",
        "isMeta",
        "agentId",
        "origin",
        "provenance",
        "kind",
        "__openclaw",
        "senderIsOwner",
        "turnTainted",
        "toolUseResult",
    ]
)
_WORDS = st.sampled_from(
    [
        "message",
        "session",
        "user",
        "assistant",
        "toolResult",
        "custom",
        "text",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "web_search_tool_result",
        "internal_system",
        "\ud800",
        "\x00",
    ]
)
_leaves = (
    _WORDS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=[]), max_size=12)
)
_values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=15,
)
_records = st.fixed_dictionaries(
    {"type": _WORDS},
    optional={
        "message": st.fixed_dictionaries(
            {"role": _WORDS}, optional={"content": _values, "__openclaw": _values}
        ),
        "timestamp": _values,
        "id": _values,
        "uuid": _values,
        "sessionId": _values,
        "isSidechain": _values,
        "data": _values,
    },
)
lines = st.one_of(
    st.binary(max_size=80),
    _values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
    _records.map(lambda record: json.dumps(record).encode()),
    _records.map(lambda record: json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    st.tuples(_records, st.integers(0, 60)).map(lambda pair: json.dumps(pair[0]).encode()[: pair[1]]),
)
