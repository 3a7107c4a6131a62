"""Two statements of one subject with two values are named to people."""

import pytest

from openclaw_memd.domain.subjects import contradicts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office is in Graz.", "Office is in Linz"),
        ("The gateway listens on port 9400.", "The gateway listens on port 9401."),
        ("Das Büro ist in Graz.", "Das Büro ist in Linz."),
        ("La oficina está en Graz.", "La oficina está en Linz."),
        ("网关在楼下是黑色的", "网关在楼下是白色的"),
        ("事務所はグラーツにある", "事務所はリンツにある"),
    ],
)
def test_another_value(one: str, other: str) -> None:
    assert contradicts(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The office is in Graz.", "The OFFICE is in Graz"),
        ("Lab server runs on port 7001.", "Test server runs on port 7002."),
        ("The office is in Graz.", "The office was in Linz."),
        ("No verb here", "No verb there"),
        ("", ""),
        (
            "one two three four five six seven eight nine is here",
            "one two three four five six seven eight nine is there",
        ),
    ],
)
def test_no_other_value(one: str, other: str) -> None:
    assert not contradicts(one, other)
