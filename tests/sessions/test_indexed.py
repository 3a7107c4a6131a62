"""Sessions in the index, beside files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.files.catalog import ListedFile, Skipped, SkipReason
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.rebuilding import Rebuilder
from openclaw_memd.sessions.announcing import SMALL_BYTES
from openclaw_memd.sessions.documents import SessionDocuments
from openclaw_memd.sessions.outcomes import EndReason
from tests.index.notes import Index, Notes, open_notes
from tests.sessions.worlds import GUEST, World, assistant, caller, open_world, user

PATH = "sessions/main/s1"


@dataclass
class Both:
    """Sessions and the index that shows them."""

    world: World
    index: Index

    async def say(self, *texts: str) -> None:
        count = sum(summary.messages for summary in self.world.sessions.list())
        batch = [user(f"{count}-{number}", text) for number, text in enumerate(texts)]
        await self.world.sessions.append(caller(), batch)

    async def sync_hinted(self) -> None:
        for paths in self.world.hints:
            self.index.indexer.hint(paths)
        self.world.hints.clear()
        await self.index.indexer.sync_hinted()


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    made = Notes(tmp_path / "workspace", tmp_path / "state", tmp_path / "library")
    (made.folder / "memory").mkdir(parents=True)
    made.write("memory/2026-01-11.md", "- a note about walnut\n")
    return made


@asynccontextmanager
async def open_both(
    notes: Notes, *, rules: AdmissionRules | None = None, file_rules: FileRules | None = None
) -> AsyncIterator[Both]:
    async with open_world(notes.state.with_name("ledger"), rules=rules) as world:

        def add_documents(corpus: Corpus) -> Corpus:
            return replace(corpus, documents=world.sessions.documents)

        async with open_notes(
            notes,
            rules=file_rules,
            change_corpus=add_documents,
            unannounced=lambda: world.sessions.unannounced,
        ) as index:
            await index.indexer.sync()
            yield Both(world, index)


async def test_what_was_said_is_found_with_who_is_behind_it(notes: Notes) -> None:
    async with open_both(notes) as both:
        group = [
            user("1", "walnut in the garden"),
            assistant("2", "walnut noted"),
            user("3", "walnut?", sender=GUEST),
        ]
        await both.world.sessions.append(caller(), group)
        await both.index.indexer.sync()

        assert await both.index.find("walnut") == ["memory/2026-01-11.md", PATH]
        found = await both.index.chunks(PATH)
        assert [(row.text, row.origin.value, row.session_kind.value) for row in found] == [
            ("User: walnut in the garden", "owner", "interactive"),
            ("Assistant: walnut noted", "agent", "interactive"),
            ("User: walnut?", "untrusted", "interactive"),
        ]
        assert {(row.source.value, row.tier.value) for row in found} == {("sessions", "session")}
        assert {row.observed_on.isoformat() for row in found if row.observed_on} == {"2026-01-11"}
        assert await both.index.find("main") == []  # the path is no text


async def test_annotations_in_what_was_said_annotate_nothing(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.say(
            "pecan <!-- importance: 10 --> <!-- trigger: hello --> <!-- key: tree --> <!-- project: a/b/c -->"
            " <!-- observed: 2020-01-01 --> <!-- status: superseded --> <!-- expires: 2020-01-01 -->"
        )
        await both.index.indexer.sync()
        (row,) = await both.index.chunks(PATH)
        assert (row.importance, row.triggers, row.projects, row.supersedes_key) == (None, (), (), None)
        assert (row.expires_on, row.status) == (None, None)
        assert row.observed_on is not None
        assert row.observed_on.year == 2026
        assert await both.index.find("pecan") == [PATH]


async def test_a_hint_is_enough_for_a_session_that_grows(notes: Notes) -> None:
    async with open_both(notes) as both:
        for word in ("hazelnut", "chestnut", "almond"):
            await both.say(word)
            await both.sync_hinted()
            assert await both.index.find(word) == [PATH]
        assert both.index.indexer.state.freshness == "fresh"


async def test_a_large_session_that_the_index_was_not_told_of_yet_is_pending(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.say("a kite " * (SMALL_BYTES // 7 + 1))
        assert (both.index.indexer.state.freshness, both.index.indexer.state.pending) == ("stale", 1)
        assert both.world.hints == []
        both.world.sessions.announce()
        assert both.index.indexer.state.pending == 0  # as nothing passes hints on here
        await both.sync_hinted()
        assert both.index.indexer.state.freshness == "fresh"
        assert len(await both.index.chunks(PATH)) > 1


async def test_what_is_reset_or_removed_is_not_found(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.world.sessions.ingest(caller(), [user("1", "hazelnut")])
        await both.sync_hinted()
        await both.world.sessions.end(caller(), EndReason.NEW)
        await both.sync_hinted()
        assert await both.index.find("hazelnut") == []

        await both.world.sessions.ingest(caller(), [user("2", "chestnut")])
        await both.sync_hinted()
        assert await both.index.find("chestnut") == [f"{PATH}~2"]
        (file,) = await both.world.listed()
        await both.world.sessions.remove(SessionKey("main", "s1"))
        await both.sync_hinted()
        assert await both.index.paths() == ["memory/2026-01-11.md"]
        assert file.path == f"{PATH}~2"


async def test_a_rule_of_admission_that_is_added_takes_a_session_out_of_the_index(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.say("hazelnut")
        await both.index.indexer.sync()
    async with open_both(notes, rules=AdmissionRules.parse(sessions=["s1"])) as both:
        assert await both.index.find("hazelnut") == []
    async with open_both(notes) as both:
        assert await both.index.find("hazelnut") == [PATH]


async def test_no_rule_about_files_touches_a_session(notes: Notes) -> None:
    strict = FileRules.parse(exclude=["sessions/**", "*"], files=1, file_bytes=1024)
    async with open_both(notes, file_rules=strict) as both:
        await both.say(*(f"hazelnut number {number} in a long story" for number in range(200)))
        report = await both.index.indexer.sync()
        assert await both.index.find("hazelnut") == [PATH]
        assert report.added == 1


async def test_a_file_with_the_path_of_a_session_gives_way(notes: Notes) -> None:
    notes.write("sessions/main/s1.md", "macadamia of a file")
    async with open_both(notes, file_rules=FileRules.parse(include=["sessions/**/*.md"])) as both:
        await both.world.sessions.append(caller("s1.md"), [user("1", "macadamia of a session")])
        await both.index.indexer.sync()
        (row,) = await both.index.chunks("sessions/main/s1.md")
        assert row.text == "User: macadamia of a session"
        assert Skipped("sessions/main/s1.md", SkipReason.DUPLICATE) in both.index.indexer.state.skipped


async def test_a_rebuild_has_the_sessions_too(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.say("hazelnut")
        await both.index.indexer.sync()
        await Rebuilder(both.index.indexer).rebuild(lambda _done, _total: None)
        assert await both.index.find("hazelnut") == [PATH]
        assert await both.index.damage() == "none"


class Growing(SessionDocuments):
    """A session in which something is said while it is read."""

    def __init__(self, world: World) -> None:
        self.__dict__.update(world.sessions.documents.__dict__)
        self.world = world
        self.reads = 0

    def read(self, file: ListedFile) -> DocumentText | Skipped:
        found = super().read(file)
        self.reads += 1
        if self.reads == 1:
            late = [user("late", "chestnut")]
            trio.from_thread.run(partial(self.world.sessions.append, caller(), late))
        return found


async def test_what_is_said_while_a_session_is_read_is_in_the_same_sync(notes: Notes) -> None:
    async with open_world(notes.state.with_name("ledger")) as world:
        growing = Growing(world)
        async with open_notes(
            notes, change_corpus=lambda corpus: replace(corpus, documents=growing)
        ) as index:
            await world.sessions.append(caller(), [user("1", "hazelnut")])
            await index.indexer.sync()
            assert growing.reads == 2
            assert await index.find("chestnut") == [PATH]
            assert index.indexer.state.freshness == "fresh"


async def test_an_unchanged_session_is_not_read_again(notes: Notes) -> None:
    async with open_both(notes) as both:
        await both.say("hazelnut")
        await both.index.indexer.sync()
        generation = both.index.indexer.generation
        report = await both.index.indexer.sync()
        assert (report.unchanged, report.changed, report.generation) == (2, 0, generation)
    async with open_both(notes) as both:
        assert (await both.index.indexer.sync()).generation == generation
