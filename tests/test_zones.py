from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfoNotFoundError

import pytest

from openclaw_memd import zones
from openclaw_memd.zones import Zone

AT = datetime(2026, 1, 11, 23, 30, tzinfo=UTC)
SUMMER = datetime(2026, 7, 11, 23, 30, tzinfo=UTC)


def test_a_named_zone() -> None:
    zone = Zone("Asia/Shanghai")
    assert (zone.day(AT), zone.label(AT)) == (date(2026, 1, 12), "Asia/Shanghai")
    assert zone.at(AT).isoformat() == "2026-01-12T07:30:00+08:00"


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        Zone("Europe/Atlantis")


@pytest.mark.parametrize(
    ("variable", "label", "day"),
    [
        ("America/Los_Angeles", "America/Los_Angeles", date(2026, 1, 11)),
        (":Asia/Shanghai", "Asia/Shanghai", date(2026, 1, 12)),
        ("", "UTC", date(2026, 1, 11)),
        (":", "UTC", date(2026, 1, 11)),
    ],
)
def test_the_machines_zone_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, label: str, day: date
) -> None:
    zone = Zone()
    monkeypatch.setenv("TZ", variable)
    assert (zone.label(AT), zone.day(AT)) == (label, day)


def test_the_machines_zone_by_its_link_is_looked_up_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    link = tmp_path / "localtime"
    monkeypatch.setattr(zones, "_LOCAL_TIME", link)
    zone = Zone()
    assert zone.label(AT) == "UTC"
    library = tmp_path / "zoneinfo/Europe"
    library.mkdir(parents=True)
    for name in ("Vienna", "London"):
        (library / name).touch()
        link.unlink(missing_ok=True)
        link.symlink_to(library / name)
        assert zone.label(AT) == f"Europe/{name}"
    assert zone.at(SUMMER).utcoffset() != zone.at(AT).utcoffset()


def test_a_zone_without_a_name_is_shown_by_its_offset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(zones, "_LOCAL_TIME", tmp_path / "localtime")
    (tmp_path / "localtime").write_bytes(b"")
    label = Zone().label(AT)
    assert label.startswith("UTC")
    assert label[-3] == ":"
