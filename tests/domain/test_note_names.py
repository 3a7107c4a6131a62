import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.note_names import SLUG_BYTES, SLUG_CHARS, make_slug, note_header, note_path

DAY = date(2026, 1, 11)


@given(st.text(max_size=90), st.booleans(), st.integers(1, 999))
def test_a_slug_makes_one_name_of_that_day(text: str, is_trusted: bool, number: int) -> None:
    slug = make_slug(text)
    path = note_path(DAY, is_trusted=is_trusted, slug=slug, number=number)
    assert path.count("/") == 1
    assert path.startswith("memory/2026-01-11")
    assert len(path.removeprefix("memory/").encode()) <= 255
    assert note_date(path) == DAY
    assert path.endswith("untrusted.md") is not is_trusted
    if slug is not None:
        assert make_slug(slug) == slug
        assert len(slug) <= SLUG_CHARS
        assert len(slug.encode()) <= SLUG_BYTES
        assert all(unicodedata.category(letter)[0] in "LMN" or letter == "-" for letter in slug)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Stand-up notes", "stand-up-notes"),
        ("  ../../etc/passwd ", "etc-passwd"),
        ("a\0b\nc", "a-b-c"),
        ("Große Änderung", "große-änderung"),
        ("周五 计划", "周五-计划"),
        ("กุญแจสำรอง", unicodedata.normalize("NFKC", "กุญแจสำรอง")),
        ("a\u200bb", "ab"),
        ("x-untrusted", "x"),
        ("untrusted-untrusted", None),
        ("Untrusted", None),
        ("🚀 ...", None),
        ("\ud800", None),
        ("", None),
    ],
)
def test_slugs(text: str, slug: str | None) -> None:
    assert make_slug(text) == slug


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ({}, "memory/2026-01-11.md"),
        ({"slug": "a", "number": 2}, "memory/2026-01-11-a-2.md"),
        ({"is_trusted": False}, "memory/2026-01-11-untrusted.md"),
        ({"slug": "a", "number": 2, "is_trusted": False}, "memory/2026-01-11-a-2-untrusted.md"),
    ],
)
def test_paths(named: dict[str, str], path: str) -> None:
    assert note_path(DAY, **{"is_trusted": True, **named}) == path  # type: ignore[arg-type]


def test_headers() -> None:
    assert note_header(DAY, "Europe/Vienna", is_trusted=True) == "# 2026-01-11 (Europe/Vienna)"
    outside = note_header(DAY, "UTC", is_trusted=False)
    assert outside == "# 2026-01-11: from outside, not trusted (UTC)"
