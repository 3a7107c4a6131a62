import os
import resource
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import apsw
import pytest
import trio

from openclaw_memd.domain.provenance import Source, TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import FileText, ListedFile, Listing, Skipped
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index import publishing, readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.publishing import Published
from tests.index.notes import Index, Notes, open_notes

Actions = dict[str, list[Callable[[], object]]]


@dataclass(frozen=True, slots=True)
class Interrupted(Corpus):
    """A corpus that lets the test do something when a file has been read, and before it is published."""

    on_read: Actions

    def read(self, file: ListedFile) -> FileText | Skipped:
        found = Corpus.read(self, file)
        actions = self.on_read.get(file.path)
        if actions:
            actions.pop(0)()
        return found


class Reborn(Interrupted):
    """A file that is there when it is read and gone whenever it would be published."""

    def read(self, file: ListedFile) -> FileText | Skipped:
        place = self.roots.place(file.root) / file.relative
        place.write_text("ghost\n")
        self.on_read[file.path] = [place.unlink]
        return Interrupted.read(self, file)


def freshness(index: Index) -> str:
    return index.indexer.state.freshness


async def test_every_file_is_found_after_a_sync(notes: Notes) -> None:
    notes.write("MEMORY.md", "- The gateway port is 18789.\n")
    notes.write("memory/2026-01-11.md", "- 周五上午在二楼仓库清点备用零件\n- ticket CHG-48213\n")
    notes.extra.mkdir()
    (notes.extra / "guide.md").write_text("The lathe manual\n")
    async with open_notes(notes) as index:
        report = await index.indexer.sync()

        assert (report.added, report.changed, report.removed, report.unchanged) == (3, 0, 0, 0)
        assert await index.find("gateway") == ["MEMORY.md"]
        assert await index.find("仓库") == await index.find("CHG-48213") == ["memory/2026-01-11.md"]
        assert await index.find("lathe") == ["extra/lib/guide.md"]
        assert index.indexer.state.freshness == "fresh"
        assert index.indexer.state.last_scan_at is not None


async def test_a_sync_finds_what_changed_and_only_that(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    notes.write("memory/b.md", "beta\n")
    notes.write("memory/c.md", "gamma\n")
    async with open_notes(notes) as index:
        first = await index.indexer.sync()
        notes.write("memory/a.md", "delta\n")
        notes.remove("memory/b.md")
        notes.write("memory/d.md", "epsilon\n")
        report = await index.indexer.sync()

        assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 1)
        assert report.generation > first.generation
        assert await index.find("alpha") == await index.find("beta") == []
        assert await index.find("delta") == ["memory/a.md"]
        assert await index.find("epsilon") == ["memory/d.md"]
        again = await index.indexer.sync()
        assert (again.generation, again.unchanged) == (report.generation, 3)


async def test_a_touched_file_is_read_but_not_published(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        report = await index.indexer.sync()
        os.utime(notes.folder / "memory/a.md", ns=(1, 1))
        assert (await index.indexer.sync()).generation == report.generation
        row = await index.store.read(lambda connection: readers.file(connection, "memory/a.md"))
        assert row is not None
        assert row.state.mtime_ns == 1
        assert len(index.published) == 1


async def test_a_change_that_leaves_no_trace_in_the_stamp_is_found_by_a_sync_that_verifies(
    notes: Notes,
) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.write(lambda connection: connection.execute("UPDATE files SET hash = x'00'").get)
        assert (await index.indexer.sync(verify=True)).changed == 1
        assert (await index.indexer.sync(verify=True)).changed == 0


async def test_a_file_deleted_while_it_is_indexed_does_not_come_back(notes: Notes) -> None:
    notes.write("memory/2026-01-12.md", "ghost\n")
    notes.write("memory/other.md", "living\n")
    actions: Actions = {"memory/2026-01-12.md": [lambda: notes.remove("memory/2026-01-12.md")]}
    async with open_notes(notes, change_corpus=lambda c: Interrupted(c.roots, c.rules, actions)) as index:
        await index.indexer.sync()
        assert await index.find("ghost") == []
        assert await index.paths() == ["memory/other.md"]


async def test_a_file_changed_while_it_is_indexed_is_read_again(notes: Notes) -> None:
    notes.write("memory/a.md", "first\n")
    actions: Actions = {"memory/a.md": [lambda: notes.write("memory/a.md", "second version\n")]}
    async with open_notes(notes, change_corpus=lambda c: Interrupted(c.roots, c.rules, actions)) as index:
        await index.indexer.sync()
        assert await index.find("first") == []
        assert await index.find("second") == ["memory/a.md"]
        assert index.indexer.state.freshness == "fresh"


async def test_an_indexed_file_deleted_while_its_change_is_read_goes(notes: Notes) -> None:
    notes.write("memory/a.md", "first\n")
    actions: Actions = {"memory/a.md": []}
    async with open_notes(notes, change_corpus=lambda c: Interrupted(c.roots, c.rules, actions)) as index:
        await index.indexer.sync()
        notes.write("memory/a.md", "second version\n")
        actions["memory/a.md"] = [lambda: notes.remove("memory/a.md")]
        report = await index.indexer.sync()
        assert await index.paths() == []
        assert report.removed == 1


async def test_a_file_that_never_keeps_still_is_found_as_it_was_read_and_stays_pending(notes: Notes) -> None:
    texts = (f"version {number} {'x' * number}\n" for number in range(100))
    notes.write("memory/a.md", next(texts))
    actions: Actions = {"memory/a.md": [lambda: notes.write("memory/a.md", next(texts))] * 9}
    async with open_notes(notes, change_corpus=lambda c: Interrupted(c.roots, c.rules, actions)) as index:
        report = await index.indexer.sync()
        assert (index.indexer.state.freshness, index.indexer.state.pending) == ("stale", 1)
        assert (report.added, await index.find("version")) == (1, ["memory/a.md"])
        before = await index.chunks("memory/a.md")
        assert (await index.indexer.sync()).changed == 1
        assert await index.chunks("memory/a.md") != before
        actions["memory/a.md"] = []
        await index.indexer.sync_hinted()
        assert index.indexer.state.freshness == "fresh"
        assert await index.find("version") == ["memory/a.md"]


async def test_a_file_that_is_gone_at_each_try_is_never_published(notes: Notes) -> None:
    notes.write("memory/a.md", "ghost\n")
    async with open_notes(notes, change_corpus=lambda c: Reborn(c.roots, c.rules, {})) as index:
        report = await index.indexer.sync()
        assert (report.added, await index.find("ghost")) == (0, [])
        assert (index.indexer.state.freshness, index.indexer.state.pending) == ("stale", 1)


async def test_one_odd_file_stops_nothing(notes: Notes) -> None:
    (notes.folder / "USER.md").symlink_to(notes.folder / "memory/good1.md")
    os.mkfifo(notes.folder / "memory/pipe.md")
    (notes.folder / "memory/bytes.md").write_bytes(b"\xff\xfe broken")
    (notes.folder / "memory/nul.md").write_bytes(b"a\0b")
    for number in range(3):
        notes.write(f"memory/good{number}.md", f"fine note {number}\n")
    notes.write("memory/vanishing.md", "gone in a moment\n")
    actions: Actions = {"memory/good0.md": [lambda: notes.remove("memory/vanishing.md")]}
    async with open_notes(notes, change_corpus=lambda c: Interrupted(c.roots, c.rules, actions)) as index:
        with trio.fail_after(60):
            report = await index.indexer.sync()

        assert await index.find("fine") == [f"memory/good{number}.md" for number in range(3)]
        reasons = {skip.path: skip.reason for skip in index.indexer.state.skipped}
        assert reasons == {
            "USER.md": "symlink",
            "memory/pipe.md": "not_regular",
            "memory/bytes.md": "not_utf8",
            "memory/nul.md": "binary",
            "memory/vanishing.md": "vanished",
        }
        assert report.skipped == 5


async def test_a_file_that_turns_bad_leaves_the_index(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        (notes.folder / "memory/a.md").write_bytes(b"alpha\0beta")
        report = await index.indexer.sync()
        assert (report.removed, report.skipped) == (1, 1)
        assert await index.paths() == []


async def test_a_pass_after_a_hint_drops_nothing_else(notes: Notes) -> None:
    notes.extra.mkdir()
    (notes.extra / "guide.md").write_text("only in the library\n")
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/a.md", "beta beta\n")
        index.indexer.hint(["memory/a.md"])
        await index.indexer.sync_hinted()
        index.indexer.hint(["memory/"])
        await index.indexer.sync_hinted()

        assert await index.find("library") == ["extra/lib/guide.md"]
        assert await index.find("beta") == ["memory/a.md"]


async def test_a_hinted_edit_is_looked_at_without_listing_everything(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        scanned_at = index.indexer.state.last_scan_at
        monkeypatch.setattr(Corpus, "list", None)
        notes.write("memory/a.md", "beta beta\n")
        index.indexer.hint(["memory/a.md"])
        assert (index.indexer.state.freshness, index.indexer.state.pending) == ("stale", 1)
        report = await index.indexer.sync_hinted()

        assert report is not None
        assert report.changed == 1
        assert await index.find("beta") == ["memory/a.md"]
        assert index.indexer.state.freshness == "fresh"
        assert index.indexer.state.last_scan_at == scanned_at
        assert await index.indexer.sync_hinted() is None
        notes.remove("memory/a.md")
        index.indexer.hint(["memory/a.md"])
        await index.indexer.sync_hinted()
        assert await index.paths() == []


@pytest.mark.parametrize("hint", ["", "memory/", "memory/new.md", "memory/.memdignore"])
async def test_any_other_hint_leads_to_a_look_at_everything(notes: Notes, hint: str) -> None:
    notes.write("memory/a.md", "alpha\n")
    notes.write("memory/b.md", "omega\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/new.md", "beta\n")
        notes.write("memory/.memdignore", "b.md\n")
        index.indexer.hint([hint])
        await index.indexer.sync_hinted()
        assert await index.paths() == ["memory/a.md", "memory/new.md"]


async def test_a_hint_during_a_sync_survives_it(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        corpus = index.indexer.corpus
        index.indexer.corpus = Interrupted(
            corpus.roots,
            corpus.rules,
            {"memory/a.md": [lambda: trio.from_thread.run_sync(index.indexer.hint, ["memory/b.md"])]},
        )
        index.indexer.hint(["memory/a.md"])
        await index.indexer.sync()
        assert index.indexer.state.pending == 1
        assert index.indexer.state.freshness == "stale"


async def test_a_sync_asked_for_after_a_write_shows_it(notes: Notes) -> None:
    """However many ask at once and whatever runs already."""
    async with open_notes(notes) as index:

        async def write_and_look(number: int) -> None:
            for turn in range(3):
                word = f"word{number}x{turn}"
                notes.write(f"memory/{number}.md", f"{word}\n")
                await index.indexer.sync()
                assert await index.find(word) == [f"memory/{number}.md"]

        async with trio.open_nursery() as nursery:
            for number in range(8):
                nursery.start_soon(write_and_look, number)


async def test_callers_that_wait_share_one_sync(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    looks = 0

    class Counting(Corpus):
        def list(self) -> Listing:
            nonlocal looks
            looks += 1
            return Corpus.list(self)

    async with open_notes(notes, change_corpus=lambda c: Counting(c.roots, c.rules)) as index:
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(index.indexer.sync)
        assert looks <= 2


async def test_a_cancelled_sync_leaves_the_rest_to_the_next(notes: Notes) -> None:
    for number in range(200):
        notes.write(f"memory/{number}.md", f"common {number}\n")
    started = trio.Event()
    async with open_notes(notes) as index:
        index.indexer.on_published = lambda _: started.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(index.indexer.sync)
            await started.wait()
            nursery.cancel_scope.cancel()
        assert await index.damage() == "none"
        await index.indexer.sync()
        assert len(await index.paths()) == 200
        assert await index.damage() == "none"


async def test_a_search_that_finds_nothing_changes_nothing(notes: Notes) -> None:
    for number in range(50):
        notes.write(f"memory/{number}.md", f"note {number}\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        await index.store.checkpoint()
        before = {path.name: path.stat().st_mtime_ns for path in notes.state.iterdir()}
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(index.find, "zzqx-never-written")
        assert await index.find("zzqx-never-written") == []
        after = {path.name: path.stat().st_mtime_ns for path in notes.state.iterdir()}
        assert {name: at for name, at in after.items() if not name.endswith("-shm")} == {
            name: at for name, at in before.items() if not name.endswith("-shm")
        }


async def test_a_configuration_that_makes_files_count_otherwise_takes_effect(notes: Notes) -> None:
    notes.write("memory/2026-01-11.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        assert [row.dated for row in await index.chunks("memory/2026-01-11.md")] == [True]
    async with open_notes(notes, rules=FileRules.parse(evergreen=["memory/"])) as index:
        report = await index.indexer.sync()
        assert (report.changed, report.unchanged) == (1, 0)
        assert [row.dated for row in await index.chunks("memory/2026-01-11.md")] == [False]


async def test_what_cannot_be_read_for_a_time_stays_and_counts_as_partial(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")

    class Failing(Corpus):
        def read(self, file: ListedFile) -> FileText | Skipped:
            return Skipped(file.path, "unreadable")

    async with open_notes(notes) as index:
        await index.indexer.sync()
        working = index.indexer.corpus
        index.indexer.corpus = Failing(working.roots, working.rules)
        notes.write("memory/a.md", "beta beta\n")
        await index.indexer.sync()
        assert freshness(index) == "partial"
        assert await index.find("alpha") == ["memory/a.md"]
        index.indexer.corpus = working
        await index.indexer.sync()
        assert freshness(index) == "fresh"
        assert await index.find("beta") == ["memory/a.md"]


async def test_a_hinted_file_that_cannot_be_reached_for_a_time_stays(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        index.indexer.hint(["memory/a.md"])
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)

        class Exhausted(Corpus):
            def look_at(self, files: Iterable[ListedFile]) -> Listing:
                resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
                try:
                    return super().look_at(files)
                finally:
                    resource.setrlimit(resource.RLIMIT_NOFILE, limits)

        index.indexer.corpus = Exhausted(index.indexer.corpus.roots, index.indexer.corpus.rules)
        await index.indexer.sync_hinted()

        assert await index.find("alpha") == ["memory/a.md"]
        assert freshness(index) == "partial"


async def test_what_a_failed_look_left_undone_is_pending(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/a.md", "beta beta\n")
        working = index.indexer.corpus

        class Failing(Corpus):
            def look_at(self, files: Iterable[ListedFile]) -> Listing:
                raise UnavailableError("no disk")

            def list(self) -> Listing:
                raise UnavailableError("no disk")

        index.indexer.corpus = Failing(working.roots, working.rules)
        with pytest.raises(UnavailableError):
            await index.indexer.sync()
        assert freshness(index) == "stale"
        index.indexer.hint(["memory/a.md"])
        with pytest.raises(UnavailableError):
            await index.indexer.sync_hinted()
        assert freshness(index) == "stale"

        index.indexer.corpus = working
        await index.indexer.sync_hinted()
        assert freshness(index) == "fresh"
        assert await index.find("beta") == ["memory/a.md"]


async def test_nothing_was_looked_at_before_the_first_sync(notes: Notes) -> None:
    async with open_notes(notes) as index:
        assert index.indexer.state.freshness == "stale"
        assert index.indexer.state.last_scan_at is None


async def test_a_restart_knows_what_is_indexed(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        first = await index.indexer.sync()
    async with open_notes(notes) as index:
        assert await index.find("alpha") == ["memory/a.md"]
        second = await index.indexer.sync()
        assert (second.generation, second.unchanged) == (first.generation, 1)
        assert index.published == []


async def test_files_there_before_the_start_are_found_without_an_edit(notes: Notes) -> None:
    for number in range(5):
        notes.write(f"memory/{number}.md", f"early {number}\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        assert len(await index.find("early")) == 5


async def test_text_from_outside_is_in_a_table_of_its_own(notes: Notes) -> None:
    notes.write("memory/imports/codex/a.md", "imported words\n")
    notes.write("MEMORY.md", "- curated words\n")
    notes.write("memory/a.md", "episodic words\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()

        def count(connection: apsw.Connection) -> list[int]:
            return [len(readers.keyword(connection, tier, '"words"', 9)) for tier in TrustTier]

        assert await index.store.read(count) == [1, 1, 0, 1]
        counts = await index.store.read(readers.source_counts)
        assert [(found.source, found.files, found.chunks) for found in counts] == [
            (Source.MEMORY, 2, 2),
            (Source.IMPORTS, 1, 1),
        ]


async def test_another_write_need_not_wait_for_the_end_of_a_sync(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_memd.index.corpus.SLICE_FILES", 10)
    for number in range(200):
        notes.write(f"memory/{number}.md", f"common {number} " + "pad " * 400)
    async with open_notes(notes) as index:
        slices_before_probe: list[int] = []

        async def probe_after_first_slice() -> None:
            await first_slice.wait()
            await index.store.probe()
            slices_before_probe.append(len(index.published))

        first_slice = trio.Event()

        def on_published(published: Published) -> None:
            index.published.append(published)
            first_slice.set()

        index.indexer.on_published = on_published
        async with trio.open_nursery() as nursery:
            nursery.start_soon(probe_after_first_slice)
            await index.indexer.sync()
        assert slices_before_probe[0] < 10 < len(index.published)


async def test_the_log_is_emptied_after_text_was_deleted(notes: Notes) -> None:
    notes.write("memory/a.md", "the word xylophone must go\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/a.md", "nothing\n")
        await index.indexer.sync()
        for path in notes.state.iterdir():
            assert b"xylophone" not in path.read_bytes(), path.name


async def test_what_is_left_out_by_choice_or_design_is_no_skipped_file(notes: Notes) -> None:
    for path in ("AGENTS.md", "DREAMS.md", "memory/.dreams/x.md", "memory/dreaming/y.md", "memory/no/z.md"):
        notes.write(path, "text\n")
    (notes.folder / "memory/bytes.md").write_bytes(b"\xff\xfe broken")
    rules = FileRules.parse(exclude=["memory/no/"])
    async with open_notes(notes, rules=rules) as index:
        report = await index.indexer.sync()
        skipped = {skip.path for skip in index.indexer.state.skipped}

    assert report.skipped == 1
    assert {"memory/bytes.md", "memory/no/"} <= skipped
    assert not {path for path in skipped if "dream" in path.lower() and path != "DREAMS.md"}


async def test_a_workspace_that_is_gone_counts_as_partial_and_keeps_its_rows(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.folder.rename(notes.folder.with_name("elsewhere"))
        await index.indexer.sync()
        assert (freshness(index), await index.paths()) == ("partial", ["memory/a.md"])
        notes.folder.with_name("elsewhere").rename(notes.folder)
        await index.indexer.sync()
        assert freshness(index) == "fresh"


async def test_other_files_do_not_wait_for_a_big_one_that_goes(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "DROPPED_TERMS", 50)
    words = "".join(f"- word{number}a word{number}b\n" for number in range(300))
    notes.write("memory/big.md", words)
    notes.write("memory/gone.md", words)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        notes.write("memory/big.md", "- less\n")
        notes.remove("memory/gone.md")
        notes.write("memory/small.md", "- fresh\n")
        seen: list[set[str]] = []

        def look(_done: int, _total: int) -> None:
            seen.append(set(index.indexer.store.read_now(readers.files)))

        report = await index.indexer.sync(on_progress=look)
        assert (report.added, report.changed, report.removed) == (1, 1, 1)
        shown = [{"memory/small.md", "memory/gone.md"} <= paths for paths in seen]
        assert shown.count(True) > 2
        assert seen[-1] == {"memory/big.md", "memory/small.md"}
        again = await index.indexer.sync()
        assert again.unchanged == 2


async def test_what_a_cancelled_sync_took_out_of_a_file_comes_back_with_the_next(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "DROPPED_TERMS", 50)
    words = "".join(f"- word{number}a word{number}b\n" for number in range(300))
    notes.write("memory/big.md", words)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        before = await index.indexer.store.read(lambda reader: readers.files(reader)["memory/big.md"])
        stat = (notes.folder / "memory/big.md").stat()
        notes.write("memory/big.md", "- less\n")
        with trio.CancelScope() as scope:
            await index.indexer.sync(
                on_progress=lambda _done, _total: scope.cancel() if index.indexer.generation > 2 else None
            )
        notes.write("memory/big.md", words)
        os.utime(notes.folder / "memory/big.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
        await index.indexer.sync()
        after = await index.indexer.store.read(lambda reader: readers.files(reader)["memory/big.md"])
        assert scope.cancelled_caught
        assert after.chunks == before.chunks
        assert after.state.hash == before.state.hash
