"""What searches find in conversations with judged questions, against BM25, vectors and their plain fusion.

Each conversation is a workspace of its own: one dated note a session day, one turn a line. A gold line is
found when a hit's lines hold it. The rivals rank windows of whole lines of at most 700 characters, as long as
the product's hits, so that longer answers win nothing.

    python -m benchmarks.retrieval --locomo FILE [--limit QUESTIONS] [--model FILE] [--cache FILE] [--json]
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import trio

from benchmarks.memories import Memory, open_model, remember
from benchmarks.rivals import HITS, Rivals, Shown, cut_windows, words_that_count
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.ports import Embedder
from openclaw_memd.recall.search import Search
from openclaw_memd.recall.types import Hit, SearchRequest

JUDGED = (1, 2, 3, 4)
UNANSWERABLE = 5

_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the lines (path, number) that answer it, and its category."""

    text: str
    gold: frozenset[Line]
    category: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """Notes by path, and questions about them."""

    name: str
    notes: Mapping[str, str]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one system did on one question."""

    system: str
    category: int
    line_5: float
    line_10: float
    session_5: float
    session_10: float
    reciprocal_rank: float
    chars: int


def read_conversations(path: Path, limit: int | None) -> list[Conversation]:
    """The conversations of a file of LoCoMo's shape, with at most ``limit`` questions each."""
    return [_read(sample, limit) for sample in json.loads(path.read_text(encoding="utf-8"))]


def _read(sample: Mapping[str, Any], limit: int | None) -> Conversation:
    conversation = sample["conversation"]
    notes: dict[str, list[str]] = {}
    places: dict[str, Line] = {}
    for key, day in conversation.items():
        if key.endswith("_date_time"):
            date = datetime.strptime(day.split(" on ")[1], "%d %B, %Y").date()
            lines = notes.setdefault(f"memory/{date}.md", [f"# {date}", ""])
            for turn in conversation.get(key.removesuffix("_date_time"), ()):
                lines.append(f"- {turn['speaker']}: {' '.join(turn['text'].split())}")
                places[turn["dia_id"]] = (f"memory/{date}.md", len(lines))
    questions = []
    for pair in sample["qa"]:
        named = (f"D{a}:{b}" for text in pair.get("evidence", ()) for a, b in _EVIDENCE.findall(text))
        gold = frozenset(places[name] for name in named if name in places)
        if gold:
            questions.append(Question(pair["question"], gold, pair["category"]))
    texts = {path: "\n".join(lines) + "\n" for path, lines in notes.items()}
    return Conversation(str(sample["sample_id"]), texts, tuple(questions[:limit]))


def judge(system: str, question: Question, shown: Sequence[Shown]) -> Outcome:
    """Compare what a system shows with the gold lines."""

    def lines(k: int) -> float:
        return fmean(
            any(one.path == path and one.first <= line <= one.last for one in shown[:k])
            for path, line in question.gold
        )

    def sessions(k: int) -> float:
        found = {one.path for one in shown[:k]}
        return fmean(path in found for path in {path for path, _ in question.gold})

    first = next((rank for rank in range(1, len(shown) + 1) if lines(rank)), None)
    return Outcome(
        system=system,
        category=question.category,
        line_5=lines(5),
        line_10=lines(HITS),
        session_5=sessions(5),
        session_10=sessions(HITS),
        reciprocal_rank=1 / first if first else 0.0,
        chars=sum(one.chars for one in shown[:HITS]),
    )


async def measure_conversation(
    conversation: Conversation, folder: Path, embedder: Embedder | None, *, lines: bool
) -> list[Outcome]:
    """Every system on every question of one conversation."""
    absent = AbsentEmbedder("switched off for this measurement")
    async with remember(conversation.notes, folder, embedder, absent, lines=lines) as memory:
        windows = Rivals(
            "windows",
            [piece for path, text in conversation.notes.items() for piece in cut_windows(path, text)],
            words_that_count,
        )
        chunks = Rivals("whole chunks", [_whole_chunk(row) for row in memory.rows], words_that_count)
        if embedder is not None:
            await windows.embed(embedder)
        outcomes = []
        for question in conversation.questions:
            answers = await windows.answer(question.text, embedder) | await chunks.answer(question.text, None)
            for system, search in _systems(memory):
                answers[system] = await _ask(search, question.text)
            outcomes += [judge(system, question, shown) for system, shown in answers.items()]
        return outcomes


def _systems(memory: Memory) -> list[tuple[str, Search]]:
    found = [("memd by keyword", memory.keyword)]
    return found if memory.hybrid is None else [*found, ("memd", memory.hybrid)]


def _whole_chunk(row: ChunkRow) -> tuple[Shown, str]:
    return Shown(row.path, row.start_line, row.end_line, len(row.text)), row.text


async def _ask(search: Search, question: str) -> list[Shown]:
    answer = await search.search(SearchRequest(question, max_results=HITS))
    return show_hits(answer.hits)


def show_hits(hits: Iterable[Hit]) -> list[Shown]:
    """What ``hits`` show."""
    return [Shown(hit.path, hit.start_line, hit.end_line, len(hit.text)) for hit in hits]


def summarize(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """The mean of each measure by system; ``line_10`` by category too, the unanswerable apart."""
    by_system: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_system.setdefault(outcome.system, []).append(outcome)
    return {system: _summary(found) for system, found in by_system.items()}


def _summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    judged = [outcome for outcome in outcomes if outcome.category in JUDGED] or list(outcomes)
    names = ("line_5", "line_10", "session_5", "session_10", "reciprocal_rank", "chars")
    summary = {name: fmean(getattr(outcome, name) for outcome in judged) for name in names}
    for category in (*JUDGED, UNANSWERABLE):
        found = [outcome.line_10 for outcome in outcomes if outcome.category == category]
        if found:
            summary[f"line_10_category_{category}"] = fmean(found)
    return summary


async def measure(
    conversations: Sequence[Conversation], embedder: Embedder | None, *, lines: bool = True
) -> dict[str, dict[str, dict[str, float]]]:
    """Summaries by conversation, and of ``all``."""
    outcomes: dict[str, list[Outcome]] = {}
    for conversation in conversations:
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
            outcomes[conversation.name] = await measure_conversation(
                conversation, Path(folder), embedder, lines=lines
            )
    summaries = {name: summarize(found) for name, found in outcomes.items()}
    summaries["all"] = summarize(one for found in outcomes.values() for one in found)
    return summaries


def to_table(summaries: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """One line for each conversation and system."""
    names = list(next(iter(summaries["all"].values())))
    rows = [["", *(name.replace("_category_", " c").replace("reciprocal_rank", "MRR") for name in names)]]
    for name, systems in summaries.items():
        for system, summary in systems.items():
            cells = (
                f"{summary.get(key, 0):.0f}" if key == "chars" else f"{summary.get(key, 0):.3f}"
                for key in names
            )
            rows.append([f"{name}: {system}", *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--locomo", type=Path, required=True, help="a file of LoCoMo's shape")
    parser.add_argument("--limit", type=int, help="at most so many questions of each conversation")
    parser.add_argument(
        "--model", help="name or path of a local model; without it keywords alone are measured"
    )
    parser.add_argument("--cache", type=Path, help="a file that keeps what was embedded for the next run")
    parser.add_argument("--no-lines", action="store_true", help="without vectors of single lines")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    conversations = read_conversations(args.locomo, args.limit)

    async def run() -> dict[str, dict[str, dict[str, float]]]:
        async with open_model(args.model, args.cache) as embedder:
            return await measure(conversations, embedder, lines=not args.no_lines)

    summaries = trio.run(run)
    print(json.dumps(summaries, indent=2) if args.json else to_table(summaries))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
