import json
from pathlib import Path

import pytest

from benchmarks.multilingual import measure as measure_languages
from benchmarks.multilingual import spell
from benchmarks.retrieval import Question, judge, measure, read_conversations, to_table
from benchmarks.rivals import Shown, cut_windows

SAMPLE = {
    "sample_id": "one",
    "conversation": {
        "speaker_a": "Ana",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "The canoe is  red."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Mine is a kayak, and it is green."},
        ],
        "session_2_date_time": "9:00 am on 9 May, 2023",
        "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "I sold the canoe to Zoe."}],
    },
    "qa": [
        {"question": "Who bought the canoe?", "category": 4, "evidence": ["D:2:01"]},
        {"question": "Is the kayak red, or the canoe?", "category": 1, "evidence": ["D1:1; D1:2", "D9:9"]},
        {"question": "Nothing points here", "category": 4, "evidence": []},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "conversations.json"
    place.write_text(json.dumps([SAMPLE]))
    return place


def test_turns_become_lines_of_dated_notes_and_odd_evidence_is_mended(file: Path) -> None:
    (conversation,) = read_conversations(file, None)

    first = conversation.notes["memory/2023-05-08.md"].split("\n")
    assert first[2] == "- Ana: The canoe is red."
    assert [question.gold for question in conversation.questions] == [
        frozenset({("memory/2023-05-09.md", 3)}),
        frozenset({("memory/2023-05-08.md", 3), ("memory/2023-05-08.md", 4)}),
    ]


def test_an_answer_is_judged_by_the_lines_that_it_shows() -> None:
    question = Question("?", frozenset({("a.md", 3), ("b.md", 1)}), 1)
    shown = [Shown("a.md", 4, 9, 10), Shown("a.md", 1, 3, 20)]

    outcome = judge("it", question, shown)

    assert (outcome.line_10, outcome.session_10, outcome.reciprocal_rank, outcome.chars) == (
        0.5,
        0.5,
        0.5,
        30,
    )


def test_windows_are_whole_lines_that_hold_the_whole_text() -> None:
    lines = [f"{number} " + "x" * (number * 37 % 300) for number in range(40)]
    windows = list(cut_windows("a.md", "\n".join(lines)))

    assert "\n".join(text for _, text in windows) == "\n".join(lines)
    assert all(len(text) == shown.chars <= 700 for shown, text in windows)


async def test_every_system_is_measured(file: Path) -> None:
    summaries = await measure(read_conversations(file, None), None)

    assert set(summaries) == {"one", "all"}
    assert set(summaries["all"]) == {"BM25 windows", "BM25 whole chunks", "memd by keyword"}
    assert summaries["all"]["memd by keyword"]["line_10"] == 1.0
    assert "memd by keyword" in to_table(summaries)


async def test_pages_are_found_in_each_language() -> None:
    languages = {
        "zh": {
            "pages": {"a.md": "# 仓库\n\n备用零件\n", "b.md": "# 其他\n\n天气\n"},
            "queries": [{"query": "备用零件在哪", "gold": ["a.md"]}],
        }
    }

    assert await measure_languages(languages, None) == {"zh": {"BM25": 1.0, "memd by keyword": 1.0}}


def test_unspaced_runs_are_spelled_in_pairs() -> None:
    assert spell("API仓库在二楼 Go") == ["api", "仓库", "库在", "在二", "二楼", "go"]
