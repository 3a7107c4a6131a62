from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import Source, Tier, TrustTier
from openclaw_memd.files.beneath import FileText
from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.index import readers
from openclaw_memd.index.database import Durability, migrate, open_writer
from openclaw_memd.index.preparing import PreparedFile
from openclaw_memd.index.publishing import Slice, SliceResult, publish
from openclaw_memd.index.repairing import find_damage
from tests.index.notes import make_preparer

PREPARER = make_preparer(chunk_tokens=8)
STATE = FileState(1, 2, 3, 4, b"h")


def prepare(path: str, text: str, source: Source = Source.MEMORY, tier: Tier = Tier.CURATED) -> PreparedFile:
    return PREPARER.prepare(ListedFile(path, source, tier, "workspace", path, False), FileText(text, STATE))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[apsw.Connection]:
    writer = open_writer(tmp_path / "index.db", Durability.SCRATCH)
    migrate(writer, "index")
    yield writer
    writer.close()


def change(
    writer: apsw.Connection, content: Slice, holds: Callable[[ListedFile, FileState], bool]
) -> SliceResult:
    writer.execute("BEGIN IMMEDIATE")
    result = publish(writer, content, holds)
    writer.execute("COMMIT")
    return result


def put(writer: apsw.Connection, *files: PreparedFile, removed: tuple[str, ...] = ()) -> SliceResult:
    return change(writer, Slice(files, removed), lambda _file, _state: True)


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
    result = put(writer, prepare("MEMORY.md", "- one\n- two\n- three\n"))

    assert ids(writer, "MEMORY.md")[:2] == before
    assert result.published is not None
    assert [len(hashes) for hashes in result.published.added.values()] == [1]
    assert not result.published.removed


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
    first = put(writer, prepare("a.md", "- one\n")).published
    assert first is not None
    assert put(writer, removed=("never.md",)).published is None
    with writer:
        result = publish(writer, Slice(refreshed=(("a.md", replace(STATE, mtime_ns=9)),)), lambda *_: True)
    assert result.published is None
    second = put(writer, removed=("a.md",)).published
    assert second is not None
    assert (first.generation, second.generation) == (1, 2)
    assert second.removed == first.added


def test_a_refreshed_state_is_stored(writer: apsw.Connection) -> None:
    put(writer, prepare("a.md", "- one\n"))
    state = FileState(10, 20, 30, 40, b"new", fresh=True)
    with writer:
        publish(writer, Slice(refreshed=(("a.md", state),)), lambda *_: True)
    found = readers.file(writer, "a.md")
    assert found is not None
    assert found.state == state


def test_a_file_that_is_not_as_it_was_read_is_not_published(writer: apsw.Connection) -> None:
    late = prepare("late.md", "- one\n")
    with writer:
        result = publish(
            writer, Slice((late, prepare("a.md", "- two\n"))), lambda file, _: file.path == "a.md"
        )
    assert result.moved == (late,)
    assert list(readers.files(writer)) == ["a.md"]


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
                result = put(writer, removed=(path,))
                last.pop(path, None)
            else:
                result = put(writer, prepare(path, "\n".join(content)))
                last[path] = content
            if result.published is not None:
                for tier, hashes in result.published.added.items():
                    live[tier].update(hashes)
                for tier, hashes in result.published.removed.items():
                    live[tier].subtract(hashes)
        for path, content in last.items():
            put(fresh, prepare(path, "\n".join(content)))

        for path in ("a.md", "b.md"):
            rows = [replace(row, id=0) for row in readers.file_chunks(writer, path)]
            assert rows == [replace(row, id=0) for row in readers.file_chunks(fresh, path)]
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
