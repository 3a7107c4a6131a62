from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.annotations import (
    NO_ANNOTATIONS,
    Annotations,
    format_annotations,
    is_annotation_line,
    parse_annotations,
    strip_annotations,
)
from openclaw_memd.domain.project_keys import is_project_key
from tests.domain.strategies import patient, texts
from tests.domain.test_project_keys import KEYS


def _accepted(**values: Any) -> bool:
    try:
        Annotations(**values)
    except ValueError:
        return False
    return True


JANUARY, MARCH = date(2026, 1, 2), date(2026, 3, 1)
_PHRASES = st.text(min_size=1, max_size=15) | st.text(alphabet="ab-->:!#'\"\\仓", min_size=1, max_size=8)
_DAYS = st.none() | st.dates()
ANNOTATIONS = st.builds(
    lambda scope, **values: Annotations(projects=scope or (), project_valid=scope is not None, **values),
    scope=st.none() | st.lists(KEYS.filter(is_project_key), max_size=3, unique=True).map(tuple),
    triggers=st.lists(
        _PHRASES.filter(lambda phrase: _accepted(triggers=(phrase,))), max_size=3, unique=True
    ).map(tuple),
    importance=st.none() | st.integers(1, 10),
    key=st.none() | _PHRASES.filter(lambda key: _accepted(key=key)),
    review=_DAYS,
    observed=_DAYS,
    status=st.sampled_from([None, "active", "superseded"]),
    expires=_DAYS,
)


@patient
@given(ANNOTATIONS)
def test_what_is_formatted_is_parsed_back(annotations: Annotations) -> None:
    assert parse_annotations(format_annotations(annotations)) == annotations


@patient
@given(
    ANNOTATIONS,
    st.sampled_from(["- Ship it.", "A lone ` tick", "`code`", "周五 <!-- note -->", "- x <!-- open", "-"]),
)
def test_annotations_at_the_end_of_any_line_are_parsed_and_stripped(
    annotations: Annotations, line: str
) -> None:
    text = f"{line} {format_annotations(annotations)}".rstrip(" ")
    assert parse_annotations(text) == annotations
    assert strip_annotations(text) == line


def test_layout() -> None:
    day = JANUARY
    assert format_annotations(NO_ANNOTATIONS) == ""
    assert (
        format_annotations(Annotations(observed=day, status="active"))
        == "<!-- observed: 2026-01-02 | status: active -->"
    )
    everything = Annotations(
        ("a", "b c"), 9, ("x.org/a", "path:/b;c"), True, "k", day, day, "superseded", day
    )
    assert format_annotations(everything) == (
        "<!-- trigger: a; b c --> <!-- importance: 9 --> <!-- project: x.org/a; path:/b%3bc --> "
        "<!-- key: k | review: 2026-01-02 | observed: 2026-01-02 | status: superseded | "
        "expires: 2026-01-02 -->"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- x <!-- trigger: a, b; c -->", Annotations(triggers=("a", "b", "c"))),
        ("- x <!--TRIGGER:a,a , ;b-->", Annotations(triggers=("a", "b"))),
        ("- x <!-- Importance :9-->  \r", Annotations(importance=9)),
        ("- x <!-- importance: 3 --> <!-- importance: 07 -->", Annotations(importance=7)),
        ("- x <!-- importance: 3 -->\n  - y <!-- importance: 5 -->", Annotations(importance=5)),
        ("<!-- importance: 4 -->\n- x", Annotations(importance=4)),
        (
            "- x <!-- key: a b|observed:2026-01-02 | status: ACTIVE -->",
            Annotations(key="a b", observed=JANUARY, status="active"),
        ),
        ("- x <!-- status: active --> <!-- status: superseded -->", Annotations(status="superseded")),
        ("- x <!-- observed: 2026-01-02 --> <!-- observed: 2026-03-01 -->", Annotations(observed=MARCH)),
        ("- x <!-- expires: 2026-01-02 --> <!-- expires: 2026-03-01 -->", Annotations(expires=JANUARY)),
        ("- x <!-- review: 2026-05-02 --> <!-- review: 2026-03-01 -->", Annotations(review=MARCH)),
        (
            "- x <!-- project: GitHub.com/A/b --> <!-- project: path:/C -->",
            Annotations(projects=("github.com/A/b", "path:/C")),
        ),
        ("- x <!-- project: a.org/b --> in the middle", Annotations(projects=("a.org/b",))),
        ("- x <!-- importance: 2 --> <!-- promoted:1 --> ", Annotations(importance=2)),
        ("- `x` <!-- importance: 2 --> <!-- note -->", Annotations(importance=2)),
        ("```\na\n```\n<!-- importance: 2 -->", Annotations(importance=2)),
    ],
)
def test_annotations_are_parsed(text: str, expected: Annotations) -> None:
    assert parse_annotations(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- x",
        "- x <!-- importance: 0 -->",
        "- x <!-- importance: 11 -->",
        "- x <!-- importance: high -->",
        "- x <!-- importance: +5 -->",
        "- x <!-- importance: ٥ -->",
        "- x <!-- importance: " + "9" * 5000 + " -->",
        "- x <!-- trigger: -->",
        "- x <!-- trigger: a --> and more",
        "- x <!-- trigger: a",
        "- x <!-- trigger: a\n -->",
        "- x <!-- observed: 2026-02-30 -->",
        "- x <!-- review: soon | status: maybe | expires: 2026-1-1 | key: -->",
        "- x <!-- note to self: importance: 9 -->",
        "- x <!-- triggers: a -->",
        "- x `<!-- importance: 9 -->`",
        "- x ``a ` <!-- importance: 9 -->``",
        "```\n<!-- importance: 9 -->\n```",
        "- ~~~\n  <!-- project: ; -->\n  ~~~",
        "```\n<!-- importance: 9 -->",
    ],
)
def test_malformed_and_misplaced_annotations_and_code_are_ignored(text: str) -> None:
    assert parse_annotations(text) == NO_ANNOTATIONS


@pytest.mark.parametrize(
    "text",
    [
        "- x <!-- project: -->",
        "- x <!-- project: a.org/b; -->",
        "- x <!-- project: a.org/<b> -->",
        "- x <!-- project: a.org/b --> <!-- project: c.org/d",
        "- x <!-- project: a.org/b\n  -->",
        "- x <!-- project: ; --> in the middle",
        "- x <!-- project: a.org/b <!-- importance: 3 -->",
        "- x <!-- importance: 3 | project: -->",
    ],
)
def test_a_malformed_project_makes_the_whole_scope_invalid(text: str) -> None:
    annotations = parse_annotations(text)
    assert not annotations.project_valid
    assert annotations.projects == ()


@pytest.mark.parametrize(
    "values",
    [
        {"triggers": ("",)},
        {"triggers": ("a,b",)},
        {"triggers": ("a;b",)},
        {"triggers": ("a|b",)},
        {"triggers": ("a\nb",)},
        {"triggers": (" a",)},
        {"triggers": ("a-->b",)},
        {"triggers": ("a<!--b",)},
        {"triggers": ("a`b",)},
        {"triggers": ("a", "a")},
        {"importance": 0},
        {"importance": 11},
        {"key": ""},
        {"key": "a|b"},
        {"key": "a\rb"},
        {"key": "a -->"},
        {"projects": ("",)},
        {"projects": ("GitHub.com/a",)},
        {"projects": ("a/b ",)},
        {"projects": ("a/b",), "project_valid": False},
    ],
)
def test_values_that_cannot_be_written_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|has no"):
        Annotations(**values)


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("- x <!-- trigger: a --> <!-- importance: 3 -->  \n- y", "- x\n- y"),
        ("- x <!-- trigger: a -->\r\n- y", "- x\r\n- y"),
        ("<!-- importance: 3 -->\n- x", "- x"),
        ("- x\n<!-- importance: 3 -->", "- x"),
        ("- x <!-- project: a --> y", "- x y"),
        ("- x <!-- project: a -->, y", "- x , y"),
        ("- x <!-- note -->  <!-- key: a -->", "- x <!-- note -->"),
        ("- x  \n  y <!-- key: a -->", "- x  \n  y"),
        ("- `<!-- key: a -->` x", "- `<!-- key: a -->` x"),
        ("```\n<!-- key: a -->\n```", "```\n<!-- key: a -->\n```"),
        ("- x <!-- key: a", "- x <!-- key: a"),
    ],
)
def test_stripping_takes_annotations_and_the_blanks_they_leave(text: str, stripped: str) -> None:
    assert strip_annotations(text) == stripped


def test_an_annotation_line_holds_annotations_only() -> None:
    assert is_annotation_line("  <!-- key: a --> <!-- importance: 99 -->\r")
    for line in ("", "- <!-- key: a -->", "<!-- note -->", "<!-- key: a --> <!-- note -->", "<!-- key: a"):
        assert not is_annotation_line(line)


@patient
@given(texts)
def test_any_text_is_parsed_and_stripped(text: str) -> None:
    annotations = parse_annotations(text)
    assert parse_annotations(format_annotations(annotations)) == annotations
    stripped = strip_annotations(text)
    assert strip_annotations(stripped) == stripped
