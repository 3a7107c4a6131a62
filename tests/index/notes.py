"""What the tests of the index share: a workspace of notes and an index over it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import apsw

from openclaw_memd.clock import SystemClock
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import ExtraRoot, Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.opening import open_index
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.repairing import find_damage
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.index.store import Store

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)


def quote(form: str) -> str:
    """One form as a full-text query."""
    return '"' + form.replace('"', '""') + '"'


@dataclass
class Notes:
    """A workspace folder and the places beside it."""

    folder: Path
    state: Path
    extra: Path

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def remove(self, path: str) -> None:
        (self.folder / path).unlink()

    def roots(self) -> Roots:
        extra = [ExtraRoot("lib", self.extra)] if self.extra.exists() else []
        return Roots(self.folder, extra)


@dataclass
class Index:
    """An open index with everything that it announced."""

    indexer: Indexer
    published: list[Published] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.indexer.store

    async def find(self, query: str) -> list[str]:
        """Paths of the files that hold every term of ``query``, in any trust tier, sorted."""
        terms = self.indexer.preparer.analyzer.query_terms(query)
        match = " AND ".join(
            "(" + " OR ".join(quote(form) + "*" * term.prefix for form in term.forms) + ")" for term in terms
        )

        def search(connection: apsw.Connection) -> list[ChunkRow]:
            hits = [hit for tier in TrustTier for hit in readers.keyword(connection, tier, match, 100)]
            return readers.chunks(connection, [hit.chunk_id for hit in hits])

        return sorted({row.path for row in await self.store.read(search)})

    async def chunks(self, path: str) -> list[ChunkRow]:
        return await self.store.read(partial(readers.file_chunks, path=path))

    async def paths(self) -> list[str]:
        return list(await self.store.read(readers.files))

    async def damage(self) -> str:
        return await self.store.maintain(find_damage)


def make_preparer(*, chunk_tokens: int = 400) -> Preparer:
    return Preparer(Analyzer(), chunk_tokens=chunk_tokens, chunk_overlap=chunk_tokens // 5)


@asynccontextmanager
async def open_notes(
    notes: Notes,
    *,
    chunk_tokens: int = 400,
    rules: FileRules | None = None,
    change_corpus: Callable[[Corpus], Corpus] = lambda corpus: corpus,
    unannounced: Callable[[], int] = lambda: 0,
) -> AsyncIterator[Index]:
    """The index of ``notes``, not synced yet."""
    preparer = make_preparer(chunk_tokens=chunk_tokens)
    store = open_index(notes.state, preparer.identity, SystemClock().now).store
    roots = notes.roots()
    published: list[Published] = []
    corpus = change_corpus(Corpus(roots, rules or FileRules.parse()))
    indexer = Indexer(
        store, corpus, preparer, SystemClock(), unannounced=unannounced, on_published=published.append
    )
    try:
        yield Index(indexer, published)
    finally:
        await store.aclose()
        roots.close()
