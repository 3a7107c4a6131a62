"""What is found for questions with known answers, as rows: conversations, and pages in many languages."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import trio

from benchmarks import deep, multilingual, retrieval
from benchmarks.memories import open_model
from benchmarks.model import Model
from benchmarks.report import Finding, Row, Skipped
from benchmarks.run import Run
from openclaw_memd.ports import Embedder

LEAST_RECALL = 0.88
LEAST_KEYWORD_RECALL = 0.83
MOST_CHARS = 7_000.0
MOST_MORE_CHARS = 1.05
"""Deep recall may show so many times the characters of a search."""

RIVALS = ("BM25 windows", "vectors windows", "RRF windows")

T = TypeVar("T")
Summary = Mapping[str, float]


def measure_conversations(run: Run) -> Iterator[Finding]:
    """Recall of gold lines among ten hits, against each rival that shows as much text."""
    if run.options.locomo is None:
        yield Skipped("recall in conversations", "no file was given with --locomo")
        return
    run.progress.say("asking questions about conversations")
    conversations = retrieval.read_conversations(run.options.locomo, None)

    async def work(embedder: Embedder | None) -> Mapping[str, Summary]:
        return (await retrieval.measure(conversations, embedder))["all"]

    yield from conversation_rows(_with_model(run, work))


def conversation_rows(summaries: Mapping[str, Summary]) -> Iterator[Row]:
    """Rows from the summary of each system."""
    keyword, bm25 = summaries["memd by keyword"], summaries["BM25 windows"]
    what = "line recall@10 by keyword"
    yield Row.at_least(what, keyword["line_10"], "", LEAST_KEYWORD_RECALL)
    yield Row.above(f"{what}, above BM25 windows", keyword["line_10"], "", floor=bm25["line_10"])
    ours = summaries.get("memd")
    if ours is None:
        return
    what = "line recall@10"
    yield Row.at_least(what, ours["line_10"], "", LEAST_RECALL)
    for rival in RIVALS:
        floor = summaries[rival]["line_10"]
        yield Row.above(f"{what}, above {rival}", ours["line_10"], "", floor=floor)
    yield Row.at_most("characters in the first ten hits", ours["chars"], "", MOST_CHARS)
    for name, title in (
        ("line_5", "line recall@5"),
        ("session_5", "session recall@5"),
        ("session_10", "session recall@10"),
        ("reciprocal_rank", "mean reciprocal rank of a line"),
    ):
        yield Row(title, ours[name], "", summaries["RRF windows"][name])


def measure_deep(run: Run) -> Iterator[Finding]:
    """Recall of gold lines among the ten hits of deep recall, against those of a search."""
    if run.options.locomo is None:
        yield Skipped("deep recall in conversations", "no file was given with --locomo")
        return
    run.progress.say("asking about several things and about times")
    conversations = retrieval.read_conversations(run.options.locomo, None)

    async def work(embedder: Embedder | None) -> deep.Summaries:
        return await deep.measure(conversations, embedder)

    yield from deep_rows(_with_model(run, work))


def deep_rows(summaries: deep.Summaries) -> Iterator[Row]:
    """Rows from the summary of each system in each category."""
    for name, systems in summaries.items():
        for kind in (" by keyword", ""):
            if f"deep{kind}" not in systems or name == "all":
                continue
            ours, search = systems[f"deep{kind}"], systems[f"search{kind}"]
            what = f"line recall@10 of deep recall{kind}, {name}, above search"
            yield Row.above(what, ours["line_10"], "", floor=search["line_10"])
            limit = search["chars"] * MOST_MORE_CHARS
            yield Row.at_most(f"characters of deep recall{kind}, {name}", ours["chars"], "", limit)


def measure_languages(run: Run) -> Iterator[Finding]:
    """Queries with a gold page among the first five, by language, against BM25."""
    if run.options.multilingual is None:
        yield Skipped("recall by language", "no file was given with --multilingual")
        return
    run.progress.say("searching pages in many languages")
    languages: dict[str, Any] = json.loads(run.options.multilingual.read_text(encoding="utf-8"))

    async def work(embedder: Embedder | None) -> Mapping[str, Summary]:
        return await multilingual.measure(languages, embedder)

    yield from language_rows(_with_model(run, work))


def _with_model(run: Run, work: Callable[[Embedder | None], Awaitable[T]]) -> T:
    """Embedding takes minutes, so a quick run measures keywords alone."""
    name = run.model.name if isinstance(run.model, Model) and not run.options.quick else None

    async def main() -> T:
        async with open_model(name, run.options.cache) as embedder:
            return await work(embedder)

    return trio.run(main)


def language_rows(shares: Mapping[str, Summary]) -> Iterator[Row]:
    """Rows from the shares of each system."""
    for language, by_system in shares.items():
        floor = by_system["BM25"]
        for system in ("memd by keyword", "memd"):
            if system in by_system:
                yield Row.above(f"recall@5, {language}, {system}", by_system[system], "", floor=floor)
