import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.gateway.jsonguard import JsonError, parse

DEPTH = 8

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | texts
    | st.floats(allow_nan=False, width=64)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
)


class RefusedError(Exception):
    pass


def refuse(_text: str) -> Any:
    raise RefusedError


def strict_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise RefusedError
    return dict(pairs)


def nesting(value: object) -> int:
    children: list[object] = []
    if isinstance(value, dict):
        children = list(value.values())
    elif isinstance(value, list):
        children = value
    else:
        return 0
    return 1 + max(map(nesting, children), default=0)


def is_plain(value: object) -> bool:
    """Whether every number is in bounds and every text has no lone surrogate."""
    match value:
        case dict():
            return all(is_plain(part) for pair in value.items() for part in pair)
        case list():
            return all(map(is_plain, value))
        case str():
            return not any("\ud800" <= char <= "\udfff" for char in value)
        case float():
            return math.isfinite(value)
        case int():
            return -(2**63) <= value < 2**63
        case _:
            return True


def oracle(raw: bytes) -> Any:
    """The standard library's parser, with each of our rules applied afterwards."""
    try:
        value = json.loads(raw.decode(), object_pairs_hook=strict_object, parse_constant=refuse)
    except ValueError:
        raise RefusedError from None
    if nesting(value) > DEPTH or not is_plain(value):
        raise RefusedError
    return value


def agree(raw: bytes) -> None:
    try:
        expected = oracle(raw)
    except RefusedError:
        with pytest.raises(JsonError):
            parse(raw, depth=DEPTH)
    else:
        found = parse(raw, depth=DEPTH)
        assert found == expected


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_what_the_standard_library_writes_is_read_back_or_refused_by_a_rule(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    agree(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode())


@given(st.text(alphabet='{}[]",:\\ue0d81.-+ \n\taNInf"', max_size=24))
def test_near_json_is_taken_and_refused_as_the_standard_library_does(text: str) -> None:
    agree(text.encode())


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "a:b", ":", "", '"', "\\"]), scalars), max_size=5))
def test_equal_keys_are_refused_wherever_colons_stand(pairs: list[tuple[str, Any]]) -> None:
    members = ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs)
    agree(f'{{"x": [{{{members}}}], "y:": "::"}}'.encode())


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(JsonError):
        parse(raw, depth=DEPTH)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "syntax"),
        (b'{"a": 1', "syntax"),
        (b'{"a": 1} 2', "syntax"),
        (b"\xef\xbb\xbf{}", "syntax"),
        (b'"\xff"', "syntax"),
        (b'"\xed\xa0\x80"', "syntax"),
        (b'"\\ud800"', "syntax"),
        (b'"\\udc00\\ud800"', "syntax"),
        (b"NaN", "syntax"),
        (b"[-Infinity]", "syntax"),
        (b"1e999", "number_range"),
        (b"[9223372036854775808]", "number_range"),
        (b"-9223372036854775809", "number_range"),
        (b"9" * 100_000, "number_range"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'[{"b": {"a": 1, "\\u0061": 1}}]', "duplicate_key"),
        (b"[" * 9 + b"]" * 9, "depth"),
        (b"[" * 1_000_000, "depth"),
        (b'{"a":' * 9 + b"1" + b"}" * 9, "depth"),
    ],
)
def test_the_reason_is_told(raw: bytes, reason: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(raw, depth=DEPTH)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"[" * 8 + b"]" * 8, [[[[[[[[]]]]]]]]),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\u0000\\u001f"', "\0\x1f"),
        (b'{"": {"": []}}', {"": {"": []}}),
        (b"-9223372036854775808", -(2**63)),
        (b'{"a:b": ":", "c": "\\":\\\\"}', {"a:b": ":", "c": '":\\'}),
    ],
)
def test_what_is_within_the_rules_passes(raw: bytes, value: object) -> None:
    assert parse(raw, depth=DEPTH) == value


def test_a_body_of_colons_in_strings_is_no_duplicate() -> None:
    parse(json.dumps({"text": 'a: "b": c\\' * 10_000, "other": ["::"]}).encode(), depth=DEPTH)
