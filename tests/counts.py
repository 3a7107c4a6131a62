"""What the large suites counted, shown after the results of ``make crash``, ``faults`` and ``fuzz``."""

told: list[str] = []


def tell(what: str, counts: str) -> None:
    """Remember a line for the end of the run."""
    told.append(f"{what:<20} {counts}")
