import json
from pathlib import Path

import pytest

from benchmarks.deep import main, measure
from benchmarks.retrieval import read_conversations
from tests.benchmarks.test_retrieval import SAMPLE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "conversations.json"
    place.write_text(json.dumps([SAMPLE]))
    return place


async def test_both_systems_are_asked_the_questions_of_the_two_categories(file: Path) -> None:
    summaries = await measure(read_conversations(file, None), None)

    assert list(summaries) == ["category 1", "all"]
    assert set(summaries["category 1"]) == {"search by keyword", "deep by keyword"}
    assert summaries["category 1"]["deep by keyword"]["line_10"] == 1.0
    assert summaries["all"]["deep by keyword"]["chars"] > 0


def test_the_command_prints_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--locomo", str(file), "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["category 1"]["search by keyword"]["line_10"] == 1.0
