"""A whole workspace at work, without a daemon: files, sessions, notes, index and vectors."""

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from openclaw_memd.config.sections import Flush
from openclaw_memd.config.sections import Intents as IntentSettings
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.domain.provenance import SessionKind, TrustTier
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.page_forgetting import PageForgetting
from openclaw_memd.dreaming.pages import Pages
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.files.dreams import DreamPages
from openclaw_memd.files.roots import ExtraRoot, Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index import readers
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.ledger.turn_answers import TurnKey
from openclaw_memd.index.opening import open_index, open_state
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.index.rebuilding import Rebuilder
from openclaw_memd.index.store import Store
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.intents.service import Intents
from openclaw_memd.intents.wishes import Wish as IntentWish
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.forgetting import Forgetting
from openclaw_memd.ops.receipts import Forgotten
from openclaw_memd.sessions.messages import Message, Role
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

CANARY = "xylocarpusquartz"
START = datetime(2026, 1, 11, 12, tzinfo=UTC)
TODAY = "memory/2026-01-11.md"


@dataclass
class HandClock:
    at: datetime = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


class CrashError(Exception):
    """The process ends here."""


def caller(
    session_id: str, sender: str = "ana", *, is_owner: bool = True, parent: str | None = None
) -> Caller:
    return Caller(
        session_id=session_id,
        parent_session_id=parent,
        session_kind=SessionKind.INTERACTIVE,
        chat_type=ChatType.DIRECT,
        sender=Sender(sender, is_owner=is_owner),
    )


def user(id_: str, text: str, at: datetime | None = None, sender: Sender | None = None) -> Message:
    return Message(id_, Role.USER, text, at=at, sender=sender)


@dataclass
class World:
    """An open workspace. ``crash_before`` names a step of forgetting that is not reached."""

    base: Path
    clock: HandClock
    state: Store
    vectors: VectorStore
    indexer: Indexer
    rebuilder: Rebuilder
    notes: NoteWriter
    sessions: Sessions
    forgetting: Forgetting
    curated: CuratedWriter
    crash_before: str | None = None
    on_step: Callable[[str], None] = field(default=lambda _step: None)

    @property
    def folder(self) -> Path:
        return self.base / "workspace"

    def write(self, path: str, text: str) -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        return target

    def read(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()

    def exists(self, path: str) -> bool:
        return (self.folder / path).exists()

    async def sync(self) -> None:
        await self.indexer.sync()

    async def say(self, session_id: str, *texts: str, sender: str = "ana") -> None:
        messages = [user(f"{session_id}-{number}", text) for number, text in enumerate(texts)]
        await self.sessions.append(caller(session_id, sender), messages)

    async def note(self, session_id: str, text: str) -> None:
        await self.notes.append(caller(session_id), text=text)

    async def intend(self, session_id: str, description: str, *keywords: str) -> None:
        """A standing intent that the session made, and an answer that brought it."""
        intents = Intents(self.state, ("en",), self.clock, Zone("UTC"), lambda _agent: IntentSettings())
        await intents.create(caller(session_id), IntentWish(description, keywords))
        answers = TurnAnswers(self.state, self.clock)
        key = TurnKey("main", session_id, "t1")
        await self.state.write(lambda connection: answers.write(connection, key, description))

    async def forget(self, **selectors: Any) -> Forgotten:
        return await self.forgetting.forget("main", select(**selectors))

    async def plan(self, **selectors: Any) -> Forgotten:
        return await self.forgetting.plan("main", select(**selectors))

    async def embed_all(self) -> None:
        """Store a vector for each chunk."""
        hashes = sorted(await self.live())
        await self.vectors.put("model", hashes, np.ones((len(hashes), 8), dtype=np.float32), START)

    async def live(self) -> set[bytes]:
        found: set[bytes] = set()
        for tier in TrustTier:
            found.update(await self.indexer.store.read(partial(readers.live_hashes, tier=tier)))
        return found

    async def rows(self, sql: str, store: Store | None = None) -> list[tuple[Any, ...]]:
        return await (store or self.state).read(lambda connection: connection.execute(sql).fetchall())

    async def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of the ledger and of the index."""
        dumped = {}
        for store in (self.state, self.indexer.store, self.vectors.store):
            tables = await self.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_text%'"
                " AND name NOT LIKE '%_terms'",
                store,
            )
            for (table,) in tables:
                dumped[f"{store.path.name}:{table}"] = await self.rows(f"SELECT * FROM {table}", store)
        return dumped

    async def indexed(self, word: str) -> bool:
        """Whether some chunk of the index has a word."""
        rows = await self.rows(f"SELECT 1 FROM chunks WHERE text LIKE '%{word}%'", self.indexer.store)
        return bool(rows)

    def tree(self) -> dict[str, str]:
        """A hash of each file of the workspace and of the state folder."""
        return tree(self.base)

    def found(self, *words: bytes) -> list[str]:
        """The files anywhere that hold one of ``words`` in their raw bytes."""
        return raw_hits(self.base, *words)

    def stems(self) -> tuple[bytes, ...]:
        """The canary as it is written, and as it is analysed."""
        forms = {CANARY, *Analyzer().index_terms(CANARY)}
        return tuple(form.encode() for form in forms)


def select(**selectors: Any) -> Selectors:
    if "session_ids" in selectors:
        selectors["session_ids"] = frozenset(selectors["session_ids"])
    return Selectors(**selectors)


def raw_hits(base: Path, *words: bytes) -> list[str]:
    """The files below ``base`` that hold one of ``words``."""
    return [
        path.relative_to(base).as_posix()
        for path in sorted(base.rglob("*"))
        if path.is_file() and any(word in path.read_bytes() for word in words)
    ]


def tree(base: Path) -> dict[str, str]:
    return {
        path.relative_to(base).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(base.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")  # where readers note what they look at
    }


@asynccontextmanager
async def open_world(
    base: Path, *, settle_s: float = 0, clock: HandClock | None = None
) -> AsyncIterator[World]:
    folder = base / "workspace"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    clock = clock or HandClock()
    analyzer, zone = Analyzer(), Zone("Europe/Vienna")
    extra = [ExtraRoot("lib", base / "library")] if (base / "library").exists() else []
    roots = Roots(folder, extra)
    state = open_state(base / "state", "w", clock.now).store
    preparer = Preparer(analyzer, chunk_tokens=400, chunk_overlap=80)
    index = open_index(base / "state", preparer.identity, clock.now).store
    vectors = open_vectors(base / "state" / "vectors.db", clock.now()).store
    worlds: list[World] = []
    try:
        sessions = Sessions(state, clock, AdmissionRules(), zone)
        notes = NoteWriter(
            state,
            roots,
            turns=sessions.turns,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
            settings=lambda _agent: Flush(),
            record=partial(record_spans, sketches=partial(sketch_line, analyzer=analyzer)),
        )
        attributor = LedgerAttributor(state, analyzer, sessions.turns.taint, clock)
        corpus = Corpus(roots, FileRules.parse(), attributor=attributor, documents=sessions.documents)
        indexer = Indexer(index, corpus, preparer, clock)
        rebuilder = Rebuilder(indexer)

        def step(name: str) -> None:
            worlds[0].on_step(name)
            if name == worlds[0].crash_before:
                raise CrashError

        curated = CuratedWriter(
            state,
            roots,
            turn=notes.turn,
            record=partial(record_spans, sketches=partial(sketch_line, analyzer=analyzer)),
            clock=clock,
            file_bytes=1_000_000,
            settle_s=settle_s,
        )
        forgetting = Forgetting(
            state=state,
            indexer=indexer,
            vectors=vectors,
            rebuild_turn=rebuilder.turn,
            notes=notes,
            curated=curated,
            core=CuratedCore(roots, corpus.rules, attributor),
            sessions=sessions,
            signals=SignalStore(
                state,
                Sources.build(corpus, sessions.every_document),
                sessions.known,
                roots=roots,
                analyzer=analyzer,
                clock=clock,
                zone=zone,
            ),
            pages=PageForgetting(Pages(DreamPages(roots)), Runs(state, clock)),
            intents=IntentForgetting(state, TurnAnswers(state, clock), analyzer),
            roots=roots,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
            on_step=step,
            settle_s=settle_s,
        )
        put = VectorStore(vectors)
        worlds.append(
            World(base, clock, state, put, indexer, rebuilder, notes, sessions, forgetting, curated)
        )
        await sessions.load()
        await notes.reconcile()
        await curated.load()
        await forgetting.recover()
        yield worlds[0]
    finally:
        for store in (index, vectors, state):
            await store.aclose()
        roots.close()
