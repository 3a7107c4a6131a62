"""What is done to a workspace while its disk fails, and what must hold of it once it is opened again."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import trio

from openclaw_memd.curated.remember import Wish
from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.domain.note_entries import NoteEntry
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.rebuilding import Rebuilder
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.intents.wishes import Wish as IntentWish
from openclaw_memd.sessions.messages import Message, Role
from tests.dreaming.worlds import OWNER, World, session
from tests.faults.memories import rows

LETTERS = "bcdfghjklmnpqrst"
DIMS = 8
MODEL = "faulty-1"


def word(number: int) -> str:
    """A word of its own for each turn, without digits: parts of identifiers are found as well."""
    return "q" + "".join(LETTERS[int(digit)] for digit in str(number)) + "zword"


class Flow:
    """Done again and again, ``act`` with a new ``turn`` each time; ``accepted`` are turns that came through.

    ``check`` looks at a workspace that was opened again, ``was_accepted`` is for the last turn. ``databases``
    are those that it writes to.
    """

    databases: ClassVar[Sequence[str]]
    pace: ClassVar[float] = 1.0
    """How much faster than the real clock trio's goes: some wait two seconds for editors."""

    def __init__(self) -> None:
        self.accepted: list[int] = []
        self.refused: list[int] = []

    async def prepare(self, world: World, turn: int) -> None:
        """What comes before the disk fails."""

    async def act(self, world: World, turn: int) -> None:
        raise NotImplementedError

    async def check(self, world: World) -> None:
        raise NotImplementedError

    def assert_counts(self, counts: dict[int, int]) -> None:
        """What was accepted is there once; what was refused is there once or not at all."""
        assert {turn: counts[turn] for turn in self.accepted} == dict.fromkeys(self.accepted, 1)
        assert all(counts[turn] in (0, 1) for turn in self.refused), counts


class Notes(Flow):
    databases = ("state.db",)

    async def act(self, world: World, turn: int) -> None:
        await world.memory.write_path.notes.append(OWNER, text=f"- {word(turn)} is noted")

    async def check(self, world: World) -> None:
        text = (world.folder / "memory/2026-01-11.md").read_text()
        lines = text.splitlines()
        self.assert_counts(
            {turn: lines.count(f"- {word(turn)} is noted") for turn in self.accepted + self.refused}
        )
        assert text.endswith("\n")
        assert sum(line.startswith("- ") for line in lines) == len(
            [one for one in lines if "is noted" in one]
        )
        assert world.memory.write_path.notes.waiting == 0
        (spans,) = rows(world.memory.state, "SELECT count(*) FROM spans")
        assert spans[0] >= len(lines) - 2, "each line has an origin"


class Sayings(Flow):
    databases = ("state.db",)

    async def act(self, world: World, turn: int) -> None:
        said = [
            Message(f"{turn} {part}", Role.USER, f"{word(turn)} is said, part {part}") for part in range(3)
        ]
        await world.memory.write_path.sessions.append(OWNER, said)

    async def check(self, world: World) -> None:
        found = rows(world.memory.state, "SELECT id FROM session_messages")
        texts = "\n".join(text for (text,) in rows(world.memory.state, "SELECT text FROM session_texts"))
        ids = [id_ for (id_,) in found]
        counts = {}
        for turn in self.accepted + self.refused:
            there = sum(id_.split()[0] == str(turn) for id_ in ids)
            assert there in (0, 3), "a call is taken in as a whole"
            assert texts.count(word(turn)) == there
            counts[turn] = there // 3
        self.assert_counts(counts)


class Memories(Flow):
    databases = ("state.db", "index-1.db")
    pace = 50.0

    async def prepare(self, world: World, turn: int) -> None:
        if turn == 0:
            world.write("MEMORY.md", "# Memory\n")
        await world.memory.sync()  # what is indexed is indexed again at once

    async def act(self, world: World, turn: int) -> None:
        wish = Wish("MEMORY.md", NoteEntry(f"{word(turn)} is to be known"))
        await world.agent.remember(OWNER, wish)

    async def check(self, world: World) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.memory.write_path.curated.run)
            assert await world.memory.write_path.curated.asides.settled(within_s=60)
            nursery.cancel_scope.cancel()
        lines = (world.folder / "MEMORY.md").read_text().splitlines()
        entries = [line.partition(" <!--")[0] for line in lines]
        self.assert_counts(
            {turn: entries.count(f"- {word(turn)} is to be known") for turn in self.accepted + self.refused}
        )
        assert rows(world.memory.state, "SELECT count(*) FROM curated_rewrites") == [(0,)]
        assert not list(world.folder.glob(".memd*"))
        await world.memory.lanes.injecting.core.refresh()
        core = world.memory.lanes.injecting.core.state.files["MEMORY.md"]
        assert {entry.provenance.origin for entry in core.entries} <= {Origin.OWNER}


class Syncs(Flow):
    databases = ("index-1.db", "state.db")

    def __init__(self) -> None:
        super().__init__()
        self.last = -1

    async def prepare(self, world: World, turn: int) -> None:
        self.last = turn
        world.write("memory/changing.md", f"# head\n\n{word(turn)} changed\n\n" + "padding of it\n" * 200)
        world.write(f"memory/new{turn % 2}.md", f"{word(turn)} made\n")
        (world.folder / f"memory/new{(turn + 1) % 2}.md").unlink(missing_ok=True)

    async def act(self, world: World, turn: int) -> None:
        await world.memory.sync()

    async def check(self, world: World) -> None:
        await world.memory.sync()
        await assert_shows(world, word(self.last), ["memory/changing.md", f"memory/new{self.last % 2}.md"])
        for turn in (self.accepted + self.refused)[-4:]:
            if turn != self.last:
                await assert_shows(world, word(turn), [])


class Rebuilds(Syncs):
    async def act(self, world: World, turn: int) -> None:
        await Rebuilder(world.memory.indexer).rebuild()

    async def check(self, world: World) -> None:
        await super().check(world)
        assert not [path for path in world.memory.workspace.state.iterdir() if "building" in path.name]


class Vectors(Flow):
    databases = ("vectors.db",)

    def hashes(self, turn: int) -> list[bytes]:
        return [f"{turn:04}{number:012}".encode() for number in range(40)]

    async def act(self, world: World, turn: int) -> None:
        vectors = np.eye(40, DIMS, dtype=np.float32) + 0.5
        store = VectorStore(world.memory.vectors.database)
        await store.put(MODEL, self.hashes(turn), vectors, world.clock.now())

    async def check(self, world: World) -> None:
        store = VectorStore(world.memory.vectors.database)
        for turn in self.accepted:
            assert await store.missing(MODEL, self.hashes(turn)) == []
        for turn in self.refused:
            assert len(await store.missing(MODEL, self.hashes(turn))) in (0, 40)
        sizes = rows(world.memory.vectors.database, "SELECT DISTINCT length(vector) FROM embeddings")
        assert sizes in ([], [(DIMS * 4,)])


class Wishes(Flow):
    databases = ("state.db",)

    async def act(self, world: World, turn: int) -> None:
        wish = IntentWish(f"{word(turn)} is meant", (word(turn),))
        await world.agent.intents.create(OWNER, wish)

    async def check(self, world: World) -> None:
        told = [text for (text,) in rows(world.memory.state, "SELECT description FROM intents")]
        self.assert_counts(
            {turn: told.count(f"{word(turn)} is meant") for turn in self.accepted + self.refused}
        )
        (orphans,) = rows(
            world.memory.state,
            "SELECT (SELECT count(*) FROM intents) - (SELECT count(DISTINCT intent) FROM intent_words)",
        )
        assert orphans == (0,)


class Forgettings(Flow):
    """A session is forgotten whole, in notes, ledger, index and vectors; made again, it goes on."""

    databases = ("state.db", "index-1.db", "vectors.db")
    pace = 50.0

    async def prepare(self, world: World, turn: int) -> None:
        caller = session(f"s{turn}")
        await world.say(caller, f"{word(turn)} is said")
        await world.memory.write_path.notes.append(caller, text=f"- {word(turn)} is noted")
        await world.memory.write_path.notes.append(OWNER, text=f"- {word(turn + 5_000)} stays")
        await world.memory.sync()

    async def act(self, world: World, turn: int) -> None:
        await world.memory.forgetting.forget("main", Selectors(session_ids=frozenset({f"s{turn}"})))

    async def check(self, world: World) -> None:
        if self.refused:
            await self.act(world, self.refused[-1])
            self.accepted.append(self.refused.pop())
        lines = (world.folder / "memory/2026-01-11.md").read_text()
        await world.memory.sync()
        for turn in self.accepted[-3:]:
            assert word(turn) not in lines
            assert lines.count(f"- {word(turn + 5_000)} stays\n") == 1
            await assert_shows(world, word(turn), [])
            await assert_shows(world, word(turn + 5_000), ["memory/2026-01-11.md"])
        texts = [text for (text,) in rows(world.memory.state, "SELECT text FROM session_texts")]
        assert texts == []


class Nights(Flow):
    """What was asked for on several days is promoted once, by this night or the next."""

    databases = ("state.db",)

    def fact(self, turn: int) -> str:
        return f"The {word(turn)} of the hut hangs on a hook."

    async def prepare(self, world: World, turn: int) -> None:
        noun = word(turn)
        await world.note(f"memory/2026-01-11-{noun}.md", f"- {self.fact(turn)}\n")
        questions = (noun, f"where is the {noun}", f"{noun} of the hut", f"{noun} hook")
        for number, question in enumerate(questions):
            await world.ask(question, session(f"{noun}{number}"))
            if number < 2:
                world.clock.move(minutes=1)
        await world.signals.settle()

    async def act(self, world: World, turn: int) -> None:
        report = await world.memory.dreaming.dreams.run()
        if report.outcome != "completed":
            raise NightError

    async def check(self, world: World) -> None:
        world.clock.move(minutes=5)  # a night that could not even say that it ended is given up
        for _ in range(2):
            await world.memory.dreaming.dreams.run()
        text = (world.folder / "MEMORY.md").read_text()
        for turn in self.accepted + self.refused:
            assert text.count(self.fact(turn)) == 1, turn
        pending = rows(world.memory.state, "SELECT count(*) FROM promotions WHERE state != 'done'")
        assert pending == [(0,)]
        page = (world.folder / "DREAMS.md").read_text()
        assert page.count("<!-- openclaw:dreaming:deep:start -->") <= 1


class NightError(Exception):
    """A night that did not come through; it is tried again later."""


async def assert_shows(world: World, text: str, paths: Sequence[str]) -> None:
    hits = await world.hits(text)
    assert sorted({hit.path for hit in hits if text in hit.text}) == sorted(paths), text


FLOWS: Sequence[type[Flow]] = (
    Notes,
    Sayings,
    Memories,
    Syncs,
    Rebuilds,
    Vectors,
    Wishes,
    Forgettings,
    Nights,
)
CASES: Sequence[Any] = [(flow, database) for flow in FLOWS for database in flow.databases]
