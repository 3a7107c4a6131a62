import pytest

from benchmarks.report import Finding, Row, Skipped, show, to_json, to_table


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row.at_most("wait", 5.0, "ms", 5.0), True),
        (Row.at_most("wait", 5.1, "ms", 5.0), False),
        (Row.at_least("recall", 0.88, "", 0.88), True),
        (Row.at_least("recall", 0.87, "", 0.88), False),
        (Row.within("index", 6.0, "s", floor=1.0, times=6.0), True),
        (Row.within("index", 6.1, "s", floor=1.0, times=6.0), False),
        (Row.above("recall", 0.9, "", floor=0.8), True),
        (Row.above("recall", 0.8, "", floor=0.8), False),
        (Row.above("recall", 1.0, "", floor=1.0), True),
        (Row("memory", 50.0, "MB"), None),
    ],
)
def test_a_row_knows_whether_its_target_is_met(row: Row, met: bool | None) -> None:
    assert row.met is met


def test_the_ratio_is_to_the_floor() -> None:
    assert Row.within("index", 3.0, "s", floor=1.5, times=6.0).ratio == 2.0
    assert Row("memory", 50.0, "MB").ratio is None


def test_the_table_aligns_columns_and_lists_what_was_left_out() -> None:
    table = to_table(
        [
            Row.within("index", 12.0, "s", floor=1.0, times=6.0),
            Row.at_most("recall 中文", 0.5, "ms", 1.0),
            Skipped("hybrid", "no model"),
            Skipped("startup", "it broke", failed=True),
        ]
    )

    assert table.splitlines() == [
        "what         measured  floor  ratio  target        met",
        "-----------  --------  -----  -----  ------------  ---",
        "index        12 s      1      12.00  <= 6 x floor  NO",
        "recall 中文  0.500 ms                <= 1 ms       yes",
        "skipped: hybrid: no model",
        "failed: startup: it broke",
    ]


def test_json_holds_every_finding() -> None:
    findings: list[Finding] = [
        Row.within("index", 3.0, "s", floor=1.5, times=6.0),
        Skipped("hybrid", "no model"),
    ]

    assert to_json(findings) == [
        {
            "what": "index",
            "value": 3.0,
            "unit": "s",
            "floor": 1.5,
            "ratio": 2.0,
            "target": "<= 6 x floor",
            "met": True,
        },
        {"what": "hybrid", "skipped": "no model"},
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(0.8812, "0.881"), (2.345, "2.35"), (80.0, "80"), (1234.5, "1,234"), (0.0, "0")]
)
def test_numbers_are_shown_with_the_digits_that_count(value: float, text: str) -> None:
    assert show(value) == text
