"""Whether searches find pages in many languages, against BM25 of words (of pairs where words are not spaced).

    python -m benchmarks.multilingual --pages FILE [--model FILE] [--cache FILE] [--json]

The file holds, for each language, ``pages`` (Markdown by path) and ``queries`` with the ``gold`` paths.
"""

import argparse
import json
import re
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import trio

from benchmarks.memories import open_model, remember
from benchmarks.rivals import Rivals, Shown
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.ports import Embedder
from openclaw_memd.recall.search import Search
from openclaw_memd.recall.types import SearchRequest

PAGES = 5
HITS = 30  # several of one page are one page

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+)")


async def measure(languages: Mapping[str, Any], embedder: Embedder | None) -> dict[str, dict[str, float]]:
    """The share of queries with a gold page among the first five pages, by language and system."""
    shares = {}
    for language, data in languages.items():
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
            shares[language] = await _measure_language(data, Path(folder), embedder)
    return shares


async def _measure_language(
    data: Mapping[str, Any], folder: Path, embedder: Embedder | None
) -> dict[str, float]:
    notes = {f"memory/{path}": text for path, text in data["pages"].items()}
    found: dict[str, int] = {}
    async with remember(notes, folder, embedder, AbsentEmbedder("switched off")) as memory:
        bm25 = Rivals("", [_page(path, text) for path, text in notes.items()], spell)
        for query in data["queries"]:
            gold = {f"memory/{path}" for path in query["gold"]}
            pages = {"BM25": [one.path for one in (await bm25.answer(query["query"], None))["BM25"]]}
            pages["memd by keyword"] = await _ask(memory.keyword, query["query"])
            if memory.hybrid is not None:
                pages["memd"] = await _ask(memory.hybrid, query["query"])
            for system, ranked in pages.items():
                found[system] = found.get(system, 0) + (not gold.isdisjoint(ranked[:PAGES]))
    return {system: count / len(data["queries"]) for system, count in found.items()}


def spell(text: str) -> list[str]:
    """Lower-case words; runs of Han, Kana and Thai as overlapping pairs."""
    words: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        for run in _UNSPACED.split(word):
            is_unspaced = _UNSPACED.fullmatch(run) is not None
            words += [run[i : i + 2] for i in range(max(1, len(run) - 1))] if is_unspaced else [run]
    return [word for word in words if word]


def _page(path: str, text: str) -> tuple[Shown, str]:
    return Shown(path, 1, text.count("\n") + 1, len(text)), text


async def _ask(search: Search, query: str) -> list[str]:
    answer = await search.search(SearchRequest(query, max_results=HITS))
    return list(dict.fromkeys(hit.path for hit in answer.hits))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.multilingual", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="a file of pages and queries by language")
    parser.add_argument(
        "--model", help="name or path of a local model; without it keywords alone are measured"
    )
    parser.add_argument("--cache", type=Path, help="a file that keeps what was embedded for the next run")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    languages = json.loads(args.pages.read_text(encoding="utf-8"))

    async def run() -> dict[str, dict[str, float]]:
        async with open_model(args.model, args.cache) as embedder:
            return await measure(languages, embedder)

    shares = trio.run(run)
    if args.json:
        print(json.dumps(shares, indent=2))
    else:
        for language, by_system in shares.items():
            print(language, *(f"{system} {share:.3f}" for system, share in by_system.items()), sep="  ")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
