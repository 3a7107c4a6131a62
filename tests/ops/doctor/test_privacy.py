"""Where texts lie and who is sent them."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.config.load import check
from openclaw_memd.ops.doctor.findings import Finding
from openclaw_memd.ops.doctor.privacy import judge_privacy, key_files


def judge(tmp_path: Path, **table: Any) -> dict[str, Finding]:
    config = check(table)
    found = judge_privacy(
        config, "main", workspace=Path("/home/ana/ws"), state=Path("/s/w"), backups=tmp_path / "backups"
    )
    return {finding.id: finding for finding in found}


def test_every_place_with_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    found = judge(tmp_path, sessions={"folders": [{"path": "/t", "format": "openclaw"}]})
    told = found["text-in-clear"].detail
    assert all(place in told for place in ("/home/ana/ws", "/s/w", f"{tmp_path}/backups", "/t (transcripts)"))
    assert found.keys() == {"text-in-clear"}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", {"text-leaves:embedding"}),
        ("https://api.example.org/v1", {"text-leaves:embedding"}),
        ("http://10.0.0.5:8080/v1", {"text-leaves:embedding", "text-unencrypted:embedding"}),
        ("http://localhost:11434/v1", set()),
        ("http://127.0.0.1:11434/v1", set()),
        ("http://[::1]:11434/v1", set()),
    ],
)
def test_a_provider_elsewhere_is_named(tmp_path: Path, address: str, expected: set[str]) -> None:
    found = judge(tmp_path, embedding={"provider": "openai", "model": "m", "base_url": address})
    assert found.keys() - {"text-in-clear"} == expected


def test_the_runtimes_model_sees_text_too(tmp_path: Path) -> None:
    assert "text-leaves:runtime" in judge(tmp_path, model={"provider": "runtime"})


def test_files_of_keys_are_found_under_their_names() -> None:
    config = check({"embedding": {"api_key_file": "/k/e"}, "model": {"api_key_file": "/k/m"}})
    assert dict(key_files(config, "main")) == {
        "embedding.api_key_file": Path("/k/e"),
        "model.api_key_file": Path("/k/m"),
    }
