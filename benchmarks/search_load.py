"""How long a search takes over the socket, by size of the index."""

from collections.abc import Iterator
from functools import partial

from benchmarks.bare_fts import open_bare
from benchmarks.bare_fts import search as search_bare
from benchmarks.daemon import search, settled_daemon, warm_up
from benchmarks.generated_vectors import fill_vectors
from benchmarks.model import Model, NoModel
from benchmarks.report import Finding, Row
from benchmarks.run import Run
from benchmarks.timing import Times, interleave, timed_s
from benchmarks.workspaces import Prepared
from tests.daemons import LineClient

HITS = 6
LARGE_CHUNKS = 50_000
KEYWORD_LIMIT_MS = {10_000: 5.0}
HYBRID_LIMIT_MS = {10_000: 8.0, 100_000: 40.0}


def measure(run: Run) -> Iterator[Finding]:
    """Keyword search against the same words in a bare table, and hybrid search with known query vectors."""
    rounds = run.pick(2, 5)
    for size in run.options.sizes:
        # The bare table takes a quarter of a second for each question about 100 000 chunks.
        questions = run.questions(run.pick(40, 200 if size < LARGE_CHUNKS else 40))
        prepared = run.workspaces.of_chunks(size)
        run.progress.say(f"searching {prepared.chunks:,} chunks by keyword")
        yield from _keyword(prepared, size, questions, rounds)
        if isinstance(run.model, NoModel):
            continue
        run.progress.say(f"searching {prepared.chunks:,} chunks by keyword and vector")
        yield from _hybrid(prepared, size, questions, rounds, run.model)


def _keyword(prepared: Prepared, size: int, questions: tuple[str, ...], rounds: int) -> Iterator[Row]:
    bare = open_bare(prepared.bare_database)
    with settled_daemon(prepared) as daemon, LineClient(daemon.socket) as client:
        ours = partial(search, client, mode="keyword")
        floor = partial(search_bare, bare, limit=HITS)
        for question in questions:
            ours(question)
            floor(question)
        times, bare_times = interleave(ours, floor, questions * rounds)
    bare.close()
    what = f"keyword search, {prepared.chunks:,} chunks"
    yield _row(f"{what}, p50", times.p50_ms, KEYWORD_LIMIT_MS.get(size))
    yield Row.within(
        f"{what}, p50 against any word in bare FTS5", times.p50_ms, "ms", floor=bare_times.p50_ms, times=1
    )
    yield Row(f"{what}, p99", times.p99_ms, "ms", bare_times.p99_ms)


def _hybrid(
    prepared: Prepared, size: int, questions: tuple[str, ...], rounds: int, model: Model
) -> Iterator[Row]:
    fill_vectors(prepared, model.id, model.embed_queries(questions))
    with settled_daemon(prepared, model.env) as daemon, LineClient(daemon.socket) as client:
        warm_up(client, questions)
        ours = partial(search, client, mode="hybrid")
        times = Times.of(timed_s(ours, question) for question in questions * rounds)
    what = f"hybrid search, query vector known, {prepared.chunks:,} chunks"
    yield _row(f"{what}, p50", times.p50_ms, HYBRID_LIMIT_MS.get(size))
    yield Row(f"{what}, p99", times.p99_ms, "ms")


def _row(what: str, value: float, limit: float | None) -> Row:
    return Row(what, value, "ms") if limit is None else Row.at_most(what, value, "ms", limit)
