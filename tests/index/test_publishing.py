from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import Source, Tier, TrustTier
from openclaw_memd.files.catalog import FileState, FileText, ListedFile
from openclaw_memd.index import publishing, readers
from openclaw_memd.index.database import Durability, migrate, open_writer
from openclaw_memd.index.origins import BY_PLACE
from openclaw_memd.index.preparing import Draft, PreparedFile
from openclaw_memd.index.publishing import Published, Slice, publish
from openclaw_memd.index.repairing import find_damage
from tests.index.notes import make_preparer

PREPARER = make_preparer(chunk_tokens=8)
STATE = FileState(1, 2, 3, 4, b"h")


def prepare(path: str, text: str, source: Source = Source.MEMORY, tier: Tier = Tier.CURATED) -> PreparedFile:
    file = ListedFile(path, source, tier, "workspace", path, False)
    return PREPARER.prepare(Draft(file, FileText(text, STATE), BY_PLACE.peek(file, ())))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[apsw.Connection]:
    writer = open_writer(tmp_path / "index.db", Durability.SCRATCH)
    migrate(writer, "index")
    yield writer
    writer.close()


def put(writer: apsw.Connection, *files: PreparedFile, removed: tuple[str, ...] = ()) -> Published | None:
    writer.execute("BEGIN IMMEDIATE")
    published, left = publish(writer, Slice(files, removed))
    writer.execute("COMMIT")
    assert not left
    return published


def texts(writer: apsw.Connection, path: str) -> list[str]:
    return [row.text for row in readers.file_chunks(writer, path)]


def ids(writer: apsw.Connection, path: str) -> list[int]:
    return [row.id for row in readers.file_chunks(writer, path)]


def test_chunks_whose_text_stays_keep_their_id(writer: apsw.Connection) -> None:
    put(writer, prepare("MEMORY.md", "- one\n- two\n- three\n"))
    before = {row.text.strip(): row.id for row in readers.file_chunks(writer, "MEMORY.md")}
    put(writer, prepare("MEMORY.md", "- zero\n- one\n- three\n"))

    rows = readers.file_chunks(writer, "MEMORY.md")
    now = {row.text.strip(): row.id for row in rows}
    assert now["- three"] == before["- three"]
    assert before["- two"] not in now.values()
    assert [row.ordinal for row in rows] == list(range(len(rows)))
    assert readers.chunk_count(writer, TrustTier.CURATED) == len(rows)
    assert find_damage(writer) == "none"


def test_appending_writes_no_text_again(writer: apsw.Connection) -> None:
    put(writer, prepare("MEMORY.md", "- one\n- two\n"))
    before = ids(writer, "MEMORY.md")
    published = put(writer, prepare("MEMORY.md", "- one\n- two\n- three\n"))

    assert ids(writer, "MEMORY.md")[:2] == before
    assert published is not None
    assert [len(hashes) for hashes in published.added.values()] == [1]
    assert not published.removed


def test_moved_lines_are_updated_in_place(writer: apsw.Connection) -> None:
    put(writer, prepare("MEMORY.md", "- one\n"))
    [before] = readers.file_chunks(writer, "MEMORY.md")
    put(writer, prepare("MEMORY.md", "\n\n- one\n"))
    [after] = readers.file_chunks(writer, "MEMORY.md")

    assert after.id == before.id
    assert (before.start_line, after.start_line) == (1, 3)


def test_ids_are_never_given_twice(writer: apsw.Connection) -> None:
    put(writer, prepare("a.md", "- one\n- two\n"))
    gone = ids(writer, "a.md")
    put(writer, removed=("a.md",))
    put(writer, prepare("a.md", "- one\n- two\n"))
    assert min(ids(writer, "a.md")) > max(gone)


def test_each_change_has_a_generation_and_nothing_has_none(writer: apsw.Connection) -> None:
    first = put(writer, prepare("a.md", "- one\n"))
    assert first is not None
    assert put(writer, removed=("never.md",)) is None
    with writer:
        assert publish(writer, Slice(refreshed=(("a.md", replace(STATE, mtime_ns=9)),))) == (None, Slice())
    second = put(writer, removed=("a.md",))
    assert second is not None
    assert (first.generation, second.generation) == (1, 2)
    assert second.removed == first.added


def test_a_refreshed_state_is_stored(writer: apsw.Connection) -> None:
    put(writer, prepare("a.md", "- one\n"))
    state = FileState(10, 20, 30, 40, b"new", fresh=True)
    with writer:
        publish(writer, Slice(refreshed=(("a.md", state),)))
    found = readers.file(writer, "a.md")
    assert found is not None
    assert found.state == state


@pytest.mark.parametrize("number", [1, 63, 64, 65, 200])
def test_new_and_known_files_in_one_slice_are_each_in_the_index_once(
    writer: apsw.Connection, number: int
) -> None:
    paths = [f"{i}.md" for i in range(number)]
    put(writer, *(prepare(path, f"- was {path}\n") for path in paths[::3]))
    known = {path: row.file for path, row in readers.files(writer).items()}
    put(writer, *(prepare(path, f"- is {path}\n- too\n") for path in paths))

    assert {path: row.file for path, row in readers.files(writer).items() if path in known} == known
    assert sorted(readers.files(writer)) == sorted(paths)
    for path in paths:
        assert texts(writer, path) == [f"- is {path}", "- too"]
    assert readers.chunk_count(writer, TrustTier.CURATED) == 2 * number
    assert find_damage(writer) == "none"


def test_new_files_are_written_in_few_statements_so_that_others_have_the_interpreter(
    writer: apsw.Connection,
) -> None:
    files = [prepare(f"{i}.md", "- one\n- two\n- three\n") for i in range(200)]
    statements: list[dict[str, Any]] = []
    writer.trace_v2(apsw.SQLITE_TRACE_STMT, statements.append)
    put(writer, *files)
    writer.trace_v2(0, None)

    # A fulltext table runs statements of its own inside that of the caller, with no turn between.
    assert sum(not event["trigger"] for event in statements) < 40


def test_a_file_that_loses_trust_leaves_the_trusted_table(writer: apsw.Connection) -> None:
    put(writer, prepare("a.md", "- secret plan\n"))
    put(writer, prepare("a.md", "- secret plan\n", Source.EXTRA, Tier.EXTRA))

    assert readers.keyword(writer, TrustTier.CURATED, '"secret"', 5) == []
    assert len(readers.keyword(writer, TrustTier.UNTRUSTED, '"secret"', 5)) == 1
    assert readers.chunk_count(writer, TrustTier.CURATED) == 0
    assert find_damage(writer) == "none"


lines = st.lists(
    st.sampled_from(["- one", "- two", "- three", "- four <!-- importance: 3 -->", "", "# head"])
)
edits = st.lists(st.tuples(st.sampled_from(["a.md", "b.md"]), st.none() | lines), max_size=8)


@given(edits)
def test_any_history_ends_in_the_same_rows_as_the_last_state_alone(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, list[str] | None]]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    writer = open_writer(folder / "a.db", Durability.SCRATCH)
    fresh = open_writer(folder / "b.db", Durability.SCRATCH)
    live: dict[TrustTier, Counter[bytes]] = {tier: Counter() for tier in TrustTier}
    last: dict[str, list[str]] = {}
    try:
        migrate(writer, "index")
        migrate(fresh, "index")
        for path, content in history:
            if content is None:
                published = put(writer, removed=(path,))
                last.pop(path, None)
            else:
                published = put(writer, prepare(path, "\n".join(content)))
                last[path] = content
            if published is not None:
                for tier, hashes in published.added.items():
                    live[tier].update(hashes)
                for tier, hashes in published.removed.items():
                    live[tier].subtract(hashes)
        for path, content in last.items():
            put(fresh, prepare(path, "\n".join(content)))

        for path in ("a.md", "b.md"):
            rows = [row._replace(id=0) for row in readers.file_chunks(writer, path)]
            assert rows == [row._replace(id=0) for row in readers.file_chunks(fresh, path)]
        for tier, counts in live.items():
            assert +counts == Counter(readers.live_hashes(writer, tier))
            assert min(counts.values(), default=0) >= 0
        assert find_damage(writer) == "none"
        for tier in TrustTier:
            assert readers.chunk_count(writer, tier) == readers.chunk_count(fresh, tier)
            assert readers.document_frequency(writer, tier, ["one", "two"]) == readers.document_frequency(
                fresh, tier, ["one", "two"]
            )
    finally:
        writer.close()
        fresh.close()


def publish_once(writer: apsw.Connection, change: Slice) -> tuple[Published | None, Slice]:
    writer.execute("BEGIN IMMEDIATE")
    found = publish(writer, change)
    writer.execute("COMMIT")
    return found


def many_words(name: str, lines: int = 400) -> str:
    return "".join(f"- {name}{number}a {name}{number}b\n" for number in range(lines))


@pytest.mark.parametrize("instead", [None, many_words("new"), many_words("old")[:200]])
def test_a_big_file_goes_in_steps_of_few_words(
    writer: apsw.Connection, monkeypatch: pytest.MonkeyPatch, instead: str | None
) -> None:
    monkeypatch.setattr(publishing, "DROPPED_TERMS", 50)
    put(writer, prepare("MEMORY.md", many_words("old")), prepare("b.md", "- other\n"))
    chunks = len(ids(writer, "MEMORY.md"))
    change = (
        Slice(removed=("MEMORY.md",)) if instead is None else Slice(files=(prepare("MEMORY.md", instead),))
    )
    steps = 0
    while change:
        before = len(ids(writer, "MEMORY.md"))
        published, change = publish_once(writer, change)
        steps += 1
        assert published is not None
        assert find_damage(writer) == "none"
        if change:
            row = readers.file(writer, "MEMORY.md")
            assert row is not None
            assert row.state.hash != STATE.hash  # whatever comes between, it counts as changed
            assert 0 < before - row.chunks < 30
            assert row.chunks == len(ids(writer, "MEMORY.md"))
    assert steps > chunks / 30
    wanted = [] if instead is None else [chunk.text for chunk in prepare("MEMORY.md", instead).chunks]
    assert texts(writer, "MEMORY.md") == wanted
    assert texts(writer, "b.md") == ["- other"]
    row = readers.file(writer, "MEMORY.md")
    assert (row is None) if instead is None else (row is not None and row.state == STATE)


def test_files_that_lose_nothing_go_with_the_first_step(
    writer: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "DROPPED_TERMS", 50)
    put(writer, prepare("MEMORY.md", many_words("old")))
    _, left = publish_once(writer, Slice((prepare("MEMORY.md", "- new\n"), prepare("b.md", "- other\n"))))

    assert [prepared.file.path for prepared in left.files] == ["MEMORY.md"]
    assert texts(writer, "b.md") == ["- other"]
