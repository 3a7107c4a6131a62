"""What a benchmark found: rows, as a table for people and as JSON."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

_HEADER = ("what", "measured", "floor", "ratio", "target", "met")
_VERDICTS = {True: "yes", False: "NO", None: ""}


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value; ``floor`` is of the same unit and was measured in the same run.

    ``target`` says in words what is wanted; ``met`` is None where nothing is.
    """

    what: str
    value: float
    unit: str
    floor: float | None = None
    target: str = ""
    met: bool | None = None

    @classmethod
    def at_most(cls, what: str, value: float, unit: str, limit: float) -> Self:
        """A value that must not be over ``limit``."""
        return cls(what, value, unit, None, f"<= {show(limit)} {unit}", value <= limit)

    @classmethod
    def at_least(cls, what: str, value: float, unit: str, limit: float) -> Self:
        """A value that must not be under ``limit``."""
        return cls(what, value, unit, None, f">= {show(limit)} {unit}".rstrip(), value >= limit)

    @classmethod
    def within(cls, what: str, value: float, unit: str, *, floor: float, times: float) -> Self:
        """A cost that must not be over so many ``times`` that of the floor."""
        return cls(what, value, unit, floor, f"<= {show(times)} x floor", value <= times * floor)

    @classmethod
    def above(cls, what: str, value: float, unit: str, *, floor: float) -> Self:
        """A quality, 1 at best, that must be over that of the floor unless both are perfect."""
        return cls(what, value, unit, floor, "> floor or 1", value > floor or value == 1)

    @property
    def ratio(self) -> float | None:
        """How many times the floor the value is."""
        return self.value / self.floor if self.floor else None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A benchmark that was not run, or could not be, and why."""

    what: str
    reason: str
    failed: bool = False

    @property
    def verdict(self) -> str:
        """Which of the two."""
        return "failed" if self.failed else "skipped"


Finding = Row | Skipped


def to_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Plain objects, one for each finding."""
    shown: list[dict[str, Any]] = []
    for finding in findings:
        match finding:
            case Row():
                names = ("what", "value", "unit", "floor", "ratio", "target", "met")
                shown.append({name: getattr(finding, name) for name in names})
            case Skipped():
                shown.append({"what": finding.what, finding.verdict: finding.reason})
    return shown


def to_table(findings: Sequence[Finding]) -> str:
    """A table with aligned columns; what was skipped stands below it."""
    lines = [_HEADER, *(_cells(finding) for finding in findings if isinstance(finding, Row))]
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join(map(_pad, line, widths)).rstrip() for line in lines]
    table.insert(1, "  ".join("-" * width for width in widths))
    skipped = [f"{f.verdict}: {f.what}: {f.reason}" for f in findings if isinstance(f, Skipped)]
    return "\n".join((*table, *skipped))


def show(value: float) -> str:
    """A number with three or four digits that count."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.3f}"


def _cells(row: Row) -> tuple[str, ...]:
    floor = "" if row.floor is None else show(row.floor)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return row.what, f"{show(row.value)} {row.unit}".rstrip(), floor, ratio, row.target, _VERDICTS[row.met]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _columns(text))
