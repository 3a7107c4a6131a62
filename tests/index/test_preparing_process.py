import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
import trio
import trio.testing

from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind, Source, Tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileState, FileText, ListedFile, Stamp
from openclaw_memd.index import preparing_process
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.passes import IndexPass
from openclaw_memd.index.preparing import Draft, PreparedFile, Preparer
from openclaw_memd.index.preparing_child import LENGTH_BYTES, pack_drafts, pack_settings
from openclaw_memd.index.preparing_process import COMMAND, MUCH_BYTES, PreparingProcess, is_worth_it
from tests.index.notes import Notes, make_preparer, open_notes

STATE = FileState(1, 2, 3, 4, b"h")
OUTSIDE = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "ana \ud800")
BY_TWO = Attribution(((1, HANDWRITTEN), (3, OUTSIDE)))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine may take long to start a process; those that never get ready here end before."""
    monkeypatch.setattr(preparing_process, "START_LIMIT_S", 60.0)


def listed(path: str, *, size: int = 0) -> ListedFile:
    tier = Tier.CURATED if path == "MEMORY.md" else Tier.EPISODIC
    return ListedFile(path, Source.MEMORY, tier, "workspace", path, path == "MEMORY.md", Stamp(size, 1, 2, 3))


def drafts() -> list[Draft]:
    notes = "# Größe\n- port 18789 <!-- key: port | importance: 7 -->\n- 仓库 \ud800\n\n" + "word " * 900
    document = ListedFile("sessions/a.md", Source.SESSIONS, Tier.SESSION, "", "", evergreen=False)
    days = ((1, date(2026, 1, 11)), (3, date(2026, 1, 12)))
    return [
        Draft(listed("memory/2026-01-11.md"), FileText(notes, STATE), BY_TWO),
        Draft(listed("MEMORY.md"), FileText(notes, STATE), Attribution(((1, HANDWRITTEN),))),
        Draft(document, DocumentText("one\ntwo\nthree\nfour", STATE, BY_TWO, days), BY_TWO),
        Draft(listed("memory/blank.md"), FileText("\n", STATE), BY_TWO),
    ]


def saying(program: str) -> list[str]:
    """A process that greets as the real one does, and then does what ``program`` says."""
    return [
        sys.executable,
        "-c",
        "import sys\n"
        "from openclaw_memd.index import preparing_child as child\n"
        "from tests.index.notes import make_preparer\n"
        "child._read(sys.stdin.buffer)\n"
        "child._write(sys.stdout.buffer, child.astuple(make_preparer().identity))\n" + program,
    ]


@asynccontextmanager
async def running(process: PreparingProcess) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.run)
        with trio.fail_after(90):
            await process.ready.wait()
        yield
        nursery.cancel_scope.cancel()


async def test_it_prepares_what_is_prepared_here_and_is_gone_afterwards() -> None:
    preparer = Preparer(Analyzer(("de", "en")), chunk_tokens=60, chunk_overlap=12)
    wanted = tuple(map(preparer.prepare, drafts()))
    process = PreparingProcess(preparer)
    assert await process.prepare(drafts()) is None

    found: list[object] = []

    async def ask() -> None:
        found.append(await process.prepare(drafts()))

    async with running(process):
        pid = process._process.pid if process._process else 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(ask)
    assert found == [wanted, wanted]
    assert await process.prepare(drafts()) is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    "program",
    [
        "",
        "sys.stdin.buffer.read(1)",
        "child._read(sys.stdin.buffer); child._write(sys.stdout.buffer, [])",
        "child._read(sys.stdin.buffer); child._write(sys.stdout.buffer, [[(1, 2)]] * 4)",
        "child._read(sys.stdin.buffer); child._write(sys.stdout.buffer, 7)",
        "child._read(sys.stdin.buffer); sys.stdout.buffer.write(bytes(7) + b'\\x05?????')",
    ],
    ids=["it ends", "it ends with a question read in part", "too few", "no rows", "no list", "garbage"],
)
async def test_one_that_does_not_answer_is_not_asked_again(program: str) -> None:
    process = PreparingProcess(make_preparer(), saying(program))
    async with running(process):
        assert await process.prepare(drafts()) is None
        assert await process.prepare(drafts()) is None


async def test_it_is_busy_while_it_is_asked() -> None:
    process = PreparingProcess(make_preparer())
    async with running(process):
        at_first = process.is_busy
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.prepare, drafts())
            with trio.fail_after(90):
                while not process.is_busy:
                    await trio.lowlevel.checkpoint()
        assert (at_first, process.is_busy) == (False, False)


async def test_one_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing_process, "ANSWER_LIMIT_S", 0.2)
    process = PreparingProcess(make_preparer(), saying("child._read(sys.stdin.buffer); sys.stdin.read()"))
    async with running(process):
        assert await process.prepare(drafts()) is None


@pytest.mark.parametrize(
    "command",
    [
        ["/nowhere/python"],
        [sys.executable, "-c", ""],
        [sys.executable, "-c", "print('?' * 9)"],
        [sys.executable, "-c", r"print('\0\0\0\0\0\0\0\1?')"],
    ],
    ids=["not there", "it ends", "half a message", "garbage"],
)
async def test_one_that_does_not_start_is_no_failure(command: list[str]) -> None:
    process = PreparingProcess(make_preparer(), command)
    with trio.fail_after(90):
        await process.run()
    assert await process.prepare(drafts()) is None


async def test_one_that_would_make_other_rows_is_not_used() -> None:
    preparer = make_preparer()
    preparer.identity = replace(preparer.identity, chunking=0)
    process = PreparingProcess(preparer)
    with trio.fail_after(90):
        await process.run()
    assert await process.prepare(drafts()) is None


def test_it_ends_with_whoever_started_it() -> None:
    question = pack_settings(make_preparer()) + pack_drafts(drafts() * 400)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(question)
        child.stdin.flush()
        child.stdout.read(LENGTH_BYTES)
        child.stdout.close()  # as when the parent was killed: it is still at work, or answers nobody
        child.stdin.close()
        assert child.wait(60) == 0


@pytest.mark.parametrize(
    ("processors", "sizes", "wanted"),
    [
        (2, [MUCH_BYTES // 2] * 2, True),
        (2, [MUCH_BYTES - 1], False),
        (1, [MUCH_BYTES * 9], False),
    ],
)
def test_it_is_for_much_text_and_several_processors(
    processors: int, sizes: Iterable[int], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing_process, "_count_processors", lambda: processors)
    assert is_worth_it([listed("memory/a.md", size=size) for size in sizes]) is wanted


async def test_a_pass_does_not_wait_for_one_that_never_gets_ready(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        notes.write(f"memory/{number:03}.md", f"# note {number}\n")
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    monkeypatch.setattr(preparing_process, "MUCH_BYTES", 1)
    monkeypatch.setattr(preparing_process, "_count_processors", lambda: 2)
    monkeypatch.setattr("openclaw_memd.index.corpus.SLICE_FILES", 7)
    monkeypatch.setattr(
        "openclaw_memd.index.passes.PreparingProcess", partial(PreparingProcess, command=command)
    )
    async with open_notes(notes) as index:
        with trio.fail_after(preparing_process.START_LIMIT_S / 2):
            report = await index.indexer.sync()
    assert report.added == 30


async def test_what_is_read_while_it_starts_is_left_to_it(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        notes.write(f"memory/{number:03}.md", f"# note {number}\n")
    ready = trio.Event()
    asked: list[int] = []
    here: list[int] = []

    class Ready(PreparingProcess):
        async def run(self) -> None:
            await ready.wait()
            self.ready.set()
            await trio.sleep_forever()

        async def prepare(self, some: Sequence[Draft]) -> tuple[PreparedFile, ...] | None:
            if not self.ready.is_set():
                return None
            asked.append(len(some))
            return tuple(map(make_preparer().prepare, some))

    def prepare_here(_: IndexPass, some: Sequence[Draft]) -> tuple[PreparedFile, ...]:
        if not ready.is_set():
            trio.from_thread.run_sync(ready.set)
            trio.from_thread.run(trio.testing.wait_all_tasks_blocked)  # the others go on meanwhile
        here.append(len(some))
        return tuple(map(make_preparer().prepare, some))

    monkeypatch.setattr(IndexPass, "_prepare_here", prepare_here)
    monkeypatch.setattr(preparing_process, "MUCH_BYTES", 1)
    monkeypatch.setattr(preparing_process, "_count_processors", lambda: 2)
    monkeypatch.setattr("openclaw_memd.index.corpus.SLICE_FILES", 10)
    monkeypatch.setattr("openclaw_memd.index.passes.PreparingProcess", Ready)
    async with open_notes(notes) as index:
        with trio.fail_after(90):
            await index.indexer.sync()
    assert (here, asked) == ([10, 0], [10, 10])  # the last one has no files


@pytest.mark.parametrize(
    ("command", "answering"),
    [(COMMAND, True), (saying(""), False)],
    ids=["the real one", "one that ends"],
)
async def test_an_index_is_the_same_whoever_prepares_it(
    command: Sequence[str], answering: bool, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        notes.write(f"memory/{number:03}.md", f"# note {number}\n\n" + f"- shared text word{number}\n" * 30)
    async with open_notes(notes) as index:
        await index.indexer.sync()
        wanted = [await index.chunks(f"memory/{number:03}.md") for number in range(300)]

    answers: list[bool] = []
    prepare = PreparingProcess.prepare

    async def noting(self: PreparingProcess, some: list[Draft]) -> object:
        await self.ready.wait()  # so that it is used at all
        found = await prepare(self, some)
        answers.append(found is not None)
        return found

    monkeypatch.setattr(PreparingProcess, "prepare", noting)
    monkeypatch.setattr(preparing_process, "MUCH_BYTES", 1)
    monkeypatch.setattr(preparing_process, "_count_processors", lambda: 2)
    monkeypatch.setattr("openclaw_memd.index.corpus.SLICE_FILES", 50)
    monkeypatch.setattr(
        "openclaw_memd.index.passes.PreparingProcess", partial(PreparingProcess, command=command)
    )
    for path in notes.state.iterdir():
        path.unlink()
    async with open_notes(notes) as index:
        with trio.fail_after(90):
            report = await index.indexer.sync()
        assert report.added == 300
        assert answers == [answering] * 6  # the last is prepared here
        found = [await index.chunks(f"memory/{number:03}.md") for number in range(300)]
        assert [[row._replace(id=0) for row in rows] for rows in found] == [
            [row._replace(id=0) for row in rows] for rows in wanted
        ]
        assert await index.damage() == "none"
