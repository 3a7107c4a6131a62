"""What the large suites counted, shown after the results of ``make crash``, ``faults`` and ``fuzz``."""

from collections import Counter
from typing import Any

_told: list[str] = []
_added: dict[tuple[str, str], Counter[str]] = {}


def tell(what: str, counts: str) -> None:
    """Remember a line for the end of the run."""
    _told.append(_line(what, counts))


def add(what: str, zero: str, **numbers: int) -> None:
    """Add ``numbers`` to those of other parts of the same suite, for one line at the end of the run.

    ``zero`` names what was looked for and never found: a part that finds one fails before it gets here.
    """
    _added.setdefault((what, zero), Counter()).update(numbers)


def lines() -> list[str]:
    """Everything that was counted."""
    return _told + [_line(what, f"{_listed(numbers)}, 0 {zero}") for (what, zero), numbers in _added.items()]


def packed() -> Any:
    """What was counted in this process, as plain values."""
    return _told, [(what, zero, dict(numbers)) for (what, zero), numbers in _added.items()]


def join(counted: Any) -> None:
    """Take over what another process ``packed``."""
    told, added = counted
    _told.extend(told)
    for what, zero, numbers in added:
        add(what, zero, **numbers)


def _listed(numbers: Counter[str]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in numbers.items())


def _line(what: str, counts: str) -> str:
    return f"{what:<20} {counts}"
