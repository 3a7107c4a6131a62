"""Every kind of finding is documented, in its own words, and every kind that is made is in the list."""

import re
from pathlib import Path

import pytest

from openclaw_memd.ops import doctor
from openclaw_memd.ops.doctor.all_kinds import KINDS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
SOURCES = "".join(
    path.read_text(encoding="utf-8")
    for path in Path(doctor.__file__).parent.glob("*.py")
    if not path.stem.endswith("_kinds")
)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
def test_each_kind_is_a_row_of_the_page(kind: object) -> None:
    assert f"| `{kind.id}` | {kind.severity} | {kind.meaning} | {kind.advice} |" in PAGE  # type: ignore[attr-defined]


def test_no_row_is_of_a_kind_that_is_gone() -> None:
    assert (
        set(re.findall(r"^\| `([a-z-]+)` \| (?:info|warning|error) \|", PAGE, re.MULTILINE)) == KINDS.keys()
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_can_be_found_by_some_look(kind: str) -> None:
    outside = (ROOT / "openclaw_memd/daemon/offline_doctor.py").read_text(encoding="utf-8")
    assert f'"{kind}"' in SOURCES + outside
