"""The stores that memd keeps things in, each with one way to count what a call takes and one to forget it."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Protocol

import trio

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.ledger import forgetting as ledger
from openclaw_memd.index.ledger.scopes import Scope
from openclaw_memd.index.leftovers import sweep_aside
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_pruning import count_dead, delete_dead
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.preimages import PreimageScrubber
from openclaw_memd.ops.work import Work
from openclaw_memd.sessions.service import Sessions

Counts = Mapping[str, int]
"""Fields of the receipt."""


class Forgetful(Protocol):
    """A store that things are forgotten in.

    Raises:
        UnavailableError, DamagedError: it cannot be used; called again, ``forget`` goes on.
    """

    async def count(self, work: Work) -> Counts:
        """How much ``forget`` would take now. Nothing is written."""
        ...

    async def forget(self, work: Work) -> Counts:
        """Take it."""
        ...


class Tombstones:
    """What keeps out what was said: nothing comes back between the other steps."""

    def __init__(self, sessions: Sessions, notes: NoteWriter) -> None:
        self._sessions = sessions
        self._notes = notes

    async def count(self, work: Work) -> Counts:
        """Nothing: they are no memory."""
        del work
        return {}

    async def forget(self, work: Work) -> Counts:
        """Bury what was said."""
        await self._sessions.forgetting.bury(work.said, work.scope.until)
        self._notes.forget_heard()
        return {}


class History:
    """What the curated files were before."""

    def __init__(self, preimages: PreimageScrubber) -> None:
        self._preimages = preimages

    async def count(self, work: Work) -> Counts:
        """Earlier versions that would lose lines, or go."""
        return {"preimages": await self._preimages.look(work.wanted_of)}

    async def forget(self, work: Work) -> Counts:
        """Cut them, also by what went from the files themselves."""
        return {"preimages": await self._preimages.scrub(work.wanted_of)}


class StandingIntents:
    """Intents of any state."""

    def __init__(self, intents: IntentForgetting) -> None:
        self._intents = intents

    async def count(self, work: Work) -> Counts:
        """Those that are wanted."""
        return {"intents": await self._intents.count(work.wanted)}

    async def forget(self, work: Work) -> Counts:
        """Take them."""
        return {"intents": await self._intents.forget(work.wanted)}


class Conversations:
    """What was said."""

    def __init__(self, sessions: Sessions) -> None:
        self._forgetting = sessions.forgetting

    async def count(self, work: Work) -> Counts:
        """Whole sessions, and messages of all."""
        sessions, messages = self._forgetting.count(work.said)
        return {"sessions": sessions, "messages": messages}

    async def forget(self, work: Work) -> Counts:
        """Take what was buried."""
        counts = await self.count(work)
        await self._forgetting.forget(work.said)
        return counts


class Index:
    """The index, and with it the answers that were made from it: any of them may hold text."""

    def __init__(self, indexer: Indexer, intents: IntentForgetting) -> None:
        self._indexer = indexer
        self._intents = intents

    async def count(self, work: Work) -> Counts:
        """The chunks of all that loses something."""
        return {"chunks": sum(work.chunks.get(path, 0) for path in work.affected)}

    async def forget(self, work: Work) -> Counts:
        """Make it like files and sessions are now."""
        await self._indexer.sync()
        await self._intents.forget_answers()
        return await self.count(work)


class Ledger:
    """Who wrote which lines. What the rest is found by comes last."""

    def __init__(self, state: Store) -> None:
        self._state = state

    async def count(self, work: Work) -> Counts:
        """Rows by their kinds."""
        count = partial(ledger.count_ledger, scope=self._scope(work), going=work.files.gone)
        return asdict(await self._state.read(count))

    async def forget(self, work: Work) -> Counts:
        """Delete them, but for those of files that could not be changed."""
        return asdict(await self._state.write(partial(ledger.forget_ledger, scope=self._scope(work))))

    def _scope(self, work: Work) -> Scope:
        return replace(work.scope, failed=frozenset(work.files.failed))


class Vectors:
    """Vectors of texts that no chunk has any more."""

    def __init__(self, indexer: Indexer, vectors: Store) -> None:
        self._indexer = indexer
        self._vectors = vectors

    async def count(self, work: Work) -> Counts:
        """At most so many: chunks of a changed file may come out the same."""
        affected: set[bytes] = set()
        for path in work.affected:
            rows = await self._indexer.store.read(partial(readers.file_chunks, path=path))
            affected.update(row.text_hash for row in rows)
        return {"vectors": await count_dead(self._vectors, (await self._live()) - affected)}

    async def forget(self, work: Work) -> Counts:
        """Delete them."""
        del work
        return {"vectors": await delete_dead(self._vectors, await self._live())}

    async def _live(self) -> set[bytes]:
        live: set[bytes] = set()
        for tier in TrustTier:
            live.update(await self._indexer.store.read(partial(readers.live_hashes, tier=tier)))
        return live


class Databases:
    """What deleted rows leave in the files of the databases, and files of damaged ones."""

    def __init__(self, state: Store, indexer: Indexer, vectors: Store) -> None:
        self._state = state
        self._indexer = indexer
        self._vectors = vectors

    async def count(self, work: Work) -> Counts:
        """Nothing: nobody knows what is in them."""
        del work
        return {}

    async def forget(self, work: Work) -> Counts:
        """Write them anew."""
        del work
        leftovers = await trio.to_thread.run_sync(sweep_aside, self._state.path.parent)
        await self._state.scrub()
        await self._indexer.store.scrub()
        await self._vectors.empty_log()  # no text is in it, and a copy of it may be large
        return {"leftovers": leftovers}
