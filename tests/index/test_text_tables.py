"""The full-text tables as the schema makes them, apart from what fills them."""

import string
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.database import Durability, migrate, open_writer
from openclaw_memd.index.repairing import find_damage
from tests.index.notes import quote

MARK = "zebrafish"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[apsw.Connection]:
    writer = open_writer(tmp_path / "index.db", Durability.DERIVED)
    migrate(writer, "index")
    writer.execute(
        "INSERT INTO files VALUES (1, 'p', 'memory', 'episodic', 'w', 'p', 0, 1, 1, 1, 1, x'', 0, 1)"
    )
    yield writer
    writer.close()


def put(writer: apsw.Connection, chunk_id: int, tier: TrustTier, terms: str, context: str = "") -> None:
    writer.execute(
        "INSERT INTO chunks VALUES (?, 1, 1, ?, 'agent', 'unknown', 1, 1, '', ?, ?, x'', '', NULL, 0, NULL,"
        " '[]', '[]', 1, NULL, NULL, NULL, NULL, 0, 0)",
        (chunk_id, tier.value, terms, context),
    )
    table = f"{tier.value}_text"
    writer.execute(
        f"INSERT INTO {table} (rowid, terms, context) VALUES (?, ?, ?)", (chunk_id, terms, context)
    )


def found(writer: apsw.Connection, tier: TrustTier, match: str) -> list[int]:
    return [hit.chunk_id for hit in readers.keyword(writer, tier, match, 50)]


@pytest.mark.parametrize("sign", string.punctuation)
def test_every_punctuation_character_is_part_of_a_form(writer: apsw.Connection, sign: str) -> None:
    forms = [sign, sign * 3, f"a{sign}", f"{sign}a", f"a{sign}b", f"{sign}é{sign}"]
    for number, form in enumerate(forms, start=1):
        put(writer, number, TrustTier.EPISODIC, f"first {form}\nlast")

    for number, form in enumerate(forms, start=1):
        assert found(writer, TrustTier.EPISODIC, quote(form)) == [number]
        assert readers.document_frequency(writer, TrustTier.EPISODIC, [form]) == {form: 1}
    assert found(writer, TrustTier.EPISODIC, quote("b")) == []
    assert find_damage(writer) == "none"


@pytest.mark.parametrize("form", ["仓库", "привет", "é", "e\u0301", "😀", "กุญแจ", "ß"])
def test_forms_of_other_scripts_are_kept_as_they_are(writer: apsw.Connection, form: str) -> None:
    put(writer, 1, TrustTier.CURATED, f"x {form} y")
    assert found(writer, TrustTier.CURATED, quote(form)) == [1]
    assert readers.document_frequency(writer, TrustTier.CURATED, [form, "nothing"]) == {form: 1, "nothing": 0}


def test_text_of_another_trust_tier_does_not_move_a_rank(writer: apsw.Connection) -> None:
    put(writer, 1, TrustTier.EPISODIC, "backup disk")
    put(writer, 2, TrustTier.EPISODIC, "other words")
    before = readers.keyword(writer, TrustTier.EPISODIC, quote("backup"), 10)
    for number in range(3, 203):
        put(writer, number, TrustTier.UNTRUSTED, "backup backup backup")

    assert readers.keyword(writer, TrustTier.EPISODIC, quote("backup"), 10) == before
    assert readers.document_frequency(writer, TrustTier.EPISODIC, ["backup"]) == {"backup": 1}


def test_more_matches_in_less_text_rank_higher(writer: apsw.Connection) -> None:
    put(writer, 1, TrustTier.EPISODIC, "backup " + "word " * 399)
    put(writer, 2, TrustTier.EPISODIC, "backup " * 9 + "word " * 11)
    hits = readers.keyword(writer, TrustTier.EPISODIC, quote("backup"), 10)

    assert [hit.chunk_id for hit in hits] == [2, 1]
    assert hits[0].bm25 < hits[1].bm25 < 0


def test_the_weight_of_the_context_counts(writer: apsw.Connection) -> None:
    put(writer, 1, TrustTier.EPISODIC, "backup words here", "other things")
    put(writer, 2, TrustTier.EPISODIC, "other words here", "backup things")
    put(writer, 3, TrustTier.EPISODIC, "nothing words here", "other things")

    def best(weight: float) -> int:
        return readers.keyword(writer, TrustTier.EPISODIC, quote("backup"), 1, context_weight=weight)[
            0
        ].chunk_id

    assert (best(0.1), best(10.0)) == (1, 2)


def test_a_text_table_that_lacks_a_chunk_or_has_too_much_is_found_out(writer: apsw.Connection) -> None:
    put(writer, 1, TrustTier.CURATED, MARK)
    assert find_damage(writer) == "none"
    writer.execute("UPDATE chunks SET terms = 'another'")
    assert find_damage(writer) == "text"
    writer.execute("DELETE FROM chunks")
    assert find_damage(writer) == "text"


def test_nothing_of_a_deleted_text_stays_in_the_files(writer: apsw.Connection, tmp_path: Path) -> None:
    for number in range(1, 200):
        put(writer, number, TrustTier.EPISODIC, f"common words {number} " + (MARK if number == 100 else ""))
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert MARK.encode() in (tmp_path / "index.db").read_bytes()

    writer.execute(
        "INSERT INTO episodic_text (episodic_text, rowid, terms, context)"
        " SELECT 'delete', id, terms, context FROM chunks WHERE id = 100"
    )
    writer.execute("DELETE FROM chunks WHERE id = 100")
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    for path in tmp_path.iterdir():
        assert MARK.encode() not in path.read_bytes()
        assert MARK[1:].encode() not in path.read_bytes()  # the index stores words without a common beginning
