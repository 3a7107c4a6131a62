"""A strict reader of Prometheus' text format, version 0.0.4."""

import math
import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?(e[+-]?\d+)?|Inf)|NaN", re.IGNORECASE)
_TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


@dataclass
class Family:
    """All samples of one metric."""

    name: str
    type: str
    help: str
    samples: dict[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)


def parse(page: str) -> dict[str, Family]:
    """The metrics of a page, by name.

    Raises:
        AssertionError: it is not as the format wants it.
    """
    assert page.endswith("\n")
    families: dict[str, Family] = {}
    family: Family | None = None
    lines = page[:-1].split("\n")
    for number, line in enumerate(lines):
        if line.startswith("# HELP "):
            _, _, name, meaning = line.split(" ", 3)
            assert re.fullmatch(_NAME, name)
            assert name not in families, f"{name} has two places"
            assert lines[number + 1].startswith(f"# TYPE {name} "), f"{name} has no type"
            family = families[name] = Family(name, "", meaning)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert family is not None
            assert name == family.name
            assert kind in _TYPES
            family.type = kind
        else:
            assert family is not None
            _read_sample(family, line)
    for one in families.values():
        assert one.samples, f"{one.name} has no sample"
        if one.type == "histogram":
            _check_histogram(one)
    return families


def _read_sample(family: Family, line: str) -> None:
    found = _SAMPLE.fullmatch(line)
    assert found, line
    name, inside, number = found.groups()
    suffixes = ("_bucket", "_sum", "_count") if family.type == "histogram" else ("",)
    assert name in {family.name + suffix for suffix in suffixes}, line
    if family.type == "counter":
        assert name.endswith("_total"), line
    labels: list[tuple[str, str]] = []
    place = 0
    while inside and place < len(inside):
        label = _LABEL.match(inside, place)
        assert label, line
        labels.append((label[1], label[2]))
        place = label.end()
    assert len(dict(labels)) == len(labels), line
    assert _NUMBER.fullmatch(number), line
    key = (name, tuple(sorted(labels)))
    assert key not in family.samples, f"{line} has two values"
    family.samples[key] = float(number.replace("Inf", "inf"))


def _check_histogram(family: Family) -> None:
    series: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    for (name, labels), value in family.samples.items():
        if name.endswith("_bucket"):
            rest = tuple(pair for pair in labels if pair[0] != "le")
            bound = dict(labels)["le"].replace("Inf", "inf")
            series.setdefault(rest, []).append((float(bound), value))
    for rest, buckets in series.items():
        bounds, counts = zip(*buckets, strict=True)
        assert list(bounds) == sorted(bounds)
        assert list(counts) == sorted(counts)
        assert math.isinf(bounds[-1])
        assert family.samples[family.name + "_count", rest] == counts[-1]
        assert (family.name + "_sum", rest) in family.samples
