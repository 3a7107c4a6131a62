"""What deep recall without a chat model finds in conversations with judged questions, beside a search.

The conversations and the gold lines are those of ``benchmarks.retrieval``; of the questions those count that
one search does worst on: about several things (category 1), and about times (2).

    python -m benchmarks.deep --locomo FILE [--limit QUESTIONS] [--model FILE] [--cache FILE] [--json]
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import trio

from benchmarks.memories import Memory, open_model, remember
from benchmarks.retrieval import (
    Conversation,
    Outcome,
    judge,
    read_conversations,
    show_hits,
    summarize,
    to_table,
)
from benchmarks.rivals import HITS
from openclaw_memd.deep.gathering import Gatherer
from openclaw_memd.domain.dates import note_date
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.ports import Embedder
from openclaw_memd.recall.dated import Dated
from openclaw_memd.recall.get import Get
from openclaw_memd.recall.search import Search
from openclaw_memd.recall.types import DEFAULT_MIN_SCORE, SearchRequest

CATEGORIES = (1, 2)

Summaries = Mapping[str, Mapping[str, Mapping[str, float]]]


async def measure(conversations: Sequence[Conversation], embedder: Embedder | None) -> Summaries:
    """Summaries of each system over the questions of both categories: each category, and ``all``."""
    outcomes: list[Outcome] = []
    for conversation in conversations:
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
            outcomes += await _measure_conversation(conversation, Path(folder), embedder)
    groups = {f"category {one}": [found for found in outcomes if found.category == one] for one in CATEGORIES}
    return {name: summarize(found) for name, found in (groups | {"all": outcomes}).items() if found}


async def _measure_conversation(
    conversation: Conversation, folder: Path, embedder: Embedder | None
) -> list[Outcome]:
    absent = AbsentEmbedder("switched off for this measurement")
    today = max(filter(None, map(note_date, conversation.notes)))  # the questions are asked at the end
    outcomes = []
    async with remember(conversation.notes, folder, embedder, absent) as memory:
        for kind, search in _searches(memory):
            gatherer = _open_gatherer(memory, search)
            for question in conversation.questions:
                if question.category in CATEGORIES:
                    found = await search.search(SearchRequest(question.text, max_results=HITS))
                    deep = await gatherer.gather(question.text, SearchRequest(""), today)
                    outcomes.append(judge(f"search{kind}", question, show_hits(found.hits)))
                    outcomes.append(judge(f"deep{kind}", question, show_hits(deep.hits)))
    return outcomes


def _searches(memory: Memory) -> list[tuple[str, Search]]:
    found = [(" by keyword", memory.keyword)]
    return found if memory.hybrid is None else [*found, ("", memory.hybrid)]


def _open_gatherer(memory: Memory, search: Search) -> Gatherer:
    dated = Dated(memory.index, Get(memory.index, memory.corpus))
    return Gatherer(search, dated.find, memory.analyzer, min_score=DEFAULT_MIN_SCORE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deep", description=__doc__)
    parser.add_argument("--locomo", type=Path, required=True, help="a file of LoCoMo's shape")
    parser.add_argument("--limit", type=int, help="at most so many questions of each conversation")
    parser.add_argument("--model", help="name or path of a local model; without it keywords alone")
    parser.add_argument("--cache", type=Path, help="a file that keeps what was embedded for the next run")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    conversations = read_conversations(args.locomo, args.limit)

    async def run() -> Summaries:
        async with open_model(args.model, args.cache) as embedder:
            return await measure(conversations, embedder)

    summaries = trio.run(run)
    print(json.dumps(summaries, indent=2) if args.json else to_table(summaries))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
