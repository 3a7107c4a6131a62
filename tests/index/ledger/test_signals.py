"""Candidates in the ledger: what is kept, what gives way, and what no sequence of calls can do."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.claims import claim_key
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, trust_rank
from openclaw_memd.domain.recall_signals import Signal, SignalKind, hash_question
from openclaw_memd.index.ledger import signal_upkeep as upkeep
from openclaw_memd.index.ledger import signals as ledger
from openclaw_memd.index.ledger.grounded import drop_grounded
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.signal_rows import Sighting, SourceRow

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)
OWN = Provenance(Origin.OWNER, SessionKind.INTERACTIVE, "session:1")
WEB = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "session:2")
SOURCE = SourceRow("memory/2026-01-11.md", 3, 3, is_session=False, noted_on=date(2026, 1, 11))


@contextmanager
def opened() -> Iterator[apsw.Connection]:
    """A connection to the tables of a new ledger, in memory."""
    scripts = files("openclaw_memd.index.migrations.state")
    connection = apsw.Connection(":memory:")
    try:
        connection.pragma("foreign_keys", True)
        for name in ("0011_signals.sql", "0014_backfill.sql"):
            connection.execute((scripts / name).read_text())
        yield connection
    finally:
        connection.close()


def met(
    text: str,
    question: str = "q",
    *,
    provenance: Provenance = OWN,
    kind: SignalKind = "recall",
    session: str = "s",
    day: int = 0,
    source: SourceRow = SOURCE,
    score: float = 0.5,
) -> Sighting:
    at = AT + timedelta(days=day)
    signal = Signal(kind, hash_question(question), ("main", session), at.date(), score, at)
    return Sighting(claim_key(text, provenance.origin), text, provenance, source, signal)


def rows(connection: apsw.Connection, *, prefix: str = "") -> list[tuple[object, ...]]:
    tables = ("candidates", "candidate_sources", "signals", "phase_signals")
    found = [row for table in tables for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3")]
    return [row for row in found if str(row[0]).startswith(prefix)]


def texts(connection: apsw.Connection) -> set[str]:
    return set(upkeep.known_texts(connection).values())


def test_the_513th_candidate_takes_the_place_of_the_one_that_was_of_use_longest_ago() -> None:
    with opened() as connection:
        sightings = [met(f"claim {number}", day=number) for number in range(512)]
        ledger.record_sightings(connection, sightings)
        ledger.record_sightings(connection, [met("another", day=600)])
        assert len(texts(connection)) == 512
        assert "claim 0" not in texts(connection)


def test_of_equally_old_ones_that_with_fewer_signals_goes() -> None:
    with opened() as connection:
        many = [met("many", "one"), met("many", "two")]
        ledger.record_sightings(connection, [*many, met("few"), met("new", day=1)], most=2)
        assert texts(connection) == {"many", "new"}


def test_what_nobody_asked_for_gives_way_first() -> None:
    with opened() as connection:
        noted = [met(f"noted {number}", kind="daily", day=9) for number in range(9)]
        said = [met("said", kind="said", session=name) for name in ("a", "b")]
        ledger.record_sightings(connection, [met("asked"), *said, *noted], most=3)
        assert {"asked", "said"} < texts(connection)


def test_outside_claims_take_no_place_that_a_trusted_one_needs() -> None:
    with opened() as connection:
        ledger.record_sightings(connection, [met("owner's")], most=2)
        flood = [met(f"web {number}", provenance=WEB, day=50, score=1.0) for number in range(9)]
        ledger.record_sightings(connection, flood, most=2)
        assert len(texts(connection)) == 2
        ledger.record_sightings(connection, [met("the owner's other")], most=2)
        assert texts(connection) == {"owner's", "the owner's other"}


def test_provenance_is_that_of_the_least_trusted_and_what_all_have_in_common() -> None:
    with opened() as connection:
        agent = Provenance(Origin.AGENT, SessionKind.UNKNOWN)
        keyed, other = replace(SOURCE, supersedes_key="port"), replace(SOURCE, path="memory/2026-01-10.md")
        ledger.record_sightings(
            connection,
            [met("a"), met("a", provenance=agent), met("a"), met("b", source=keyed), met("b", source=other)],
        )
        by_text = {row.text: row for row in upkeep.load_candidates(connection)}
        assert by_text["a"].provenance == agent
        assert by_text["b"].provenance == OWN
        assert {one.supersedes_key for one in by_text["b"].sources} == {"port", None}


def test_a_note_is_named_before_what_was_said() -> None:
    with opened() as connection:
        said = replace(SOURCE, path="sessions/main/one", is_session=True)
        ledger.record_sightings(connection, [met("a", source=said), met("a", day=1)])
        (row,) = upkeep.load_candidates(connection)
        assert [one.path for one in row.sources] == [SOURCE.path, said.path]


def test_the_oldest_of_very_many_signals_go() -> None:
    with opened() as connection:
        many = [met("a", f"question {number}", day=number) for number in range(300)]
        ledger.record_sightings(connection, many)
        while upkeep.prune_signals(connection, AT, 10) == 10:
            pass
        (row,) = upkeep.load_candidates(connection)
        assert len(row.signals) == 256
        assert min(signal.at for signal in row.signals) == AT + timedelta(days=44)


def test_the_oldest_of_very_many_verdicts_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_VERDICTS", 2)
    with opened() as connection:
        for number in range(4):
            ledger.mark_rejected(connection, [f"t{number}"], AT + timedelta(days=number))
        assert ledger.prune_verdicts(connection, AT, 10) == 2
        left = connection.execute("SELECT key FROM candidate_verdicts ORDER BY key").fetchall()
        assert left == [("t2",), ("t3",)]


def test_a_claim_that_comes_again_is_still_rejected() -> None:
    with opened() as connection:
        ledger.record_sightings(connection, [met("a")])
        key = claim_key("a", Origin.OWNER)
        ledger.mark_rejected(connection, [key], AT)
        ledger.drop_candidates(connection, [key])
        ledger.record_sightings(connection, [met("a")])
        (row,) = upkeep.load_candidates(connection)
        assert row.rejected_at == AT


def test_what_only_old_notes_told_is_taken_back_and_what_was_asked_for_stays() -> None:
    with opened() as connection:
        both = [met("asked", kind="grounded"), met("asked")]
        ledger.record_sightings(connection, [met("old", kind="grounded"), *both])
        assert drop_grounded(connection) == 1
        assert texts(connection) == {"asked"}


def test_what_a_session_asked_goes_with_it() -> None:
    with opened() as connection:
        ledger.record_sightings(
            connection, [met("a", session="one"), met("a", session="two"), met("b", session="one")]
        )
        gone = [SessionKey("main", "one")]
        later = AT + timedelta(days=1)
        assert upkeep.count_sessions(connection, None, None) == 3
        assert (
            upkeep.count_sessions(connection, gone, later)
            == upkeep.count_sessions(connection, None, later)
            == 0
        )
        count = upkeep.count_sessions(connection, gone, AT)
        assert upkeep.drop_sessions(connection, gone, None) == count == 2
        assert upkeep.drop_silent(connection) == 1
        assert texts(connection) == {"a"}


origins = st.sampled_from([Origin.OWNER, Origin.AGENT])
kinds = st.sampled_from(list(SessionKind))
words = st.sampled_from(["port", "key", "roof"])


def sightings_of(provenances: st.SearchStrategy[Provenance]) -> st.SearchStrategy[list[Sighting]]:
    one = st.builds(
        lambda text, question, provenance, session, day, kind: met(
            text, question, provenance=provenance, session=session, day=day, kind=kind
        ),
        words,
        words,
        provenances,
        st.sampled_from("ab"),
        st.integers(0, 3),
        st.sampled_from(["recall", "daily", "said"]),
    )
    return st.lists(one, max_size=12)


trusted = sightings_of(st.builds(Provenance, origins, kinds, st.sampled_from(["x", None])))
outside = sightings_of(
    st.builds(
        Provenance, st.sampled_from([Origin.SYSTEM, Origin.UNTRUSTED]), kinds, st.sampled_from(["x", None])
    )
)


@given(trusted)
def test_provenance_only_falls(sightings: Sequence[Sighting]) -> None:
    with opened() as connection:
        known: dict[str, Provenance] = {}
        for sighting in sightings:
            ledger.record_sightings(connection, [sighting])
            for row in upkeep.load_candidates(connection):
                before = known.get(row.key, row.provenance)
                assert trust_rank(row.provenance.origin) <= trust_rank(before.origin)
                assert row.provenance.session_kind in (before.session_kind, SessionKind.UNKNOWN)
                assert row.provenance.writer in (before.writer, None)
                known[row.key] = row.provenance


@given(trusted)
def test_recording_twice_is_recording_once(sightings: Sequence[Sighting]) -> None:
    with opened() as connection:
        ledger.record_sightings(connection, sightings)
        before = rows(connection)
        ledger.record_sightings(connection, sightings)
        ledger.record_sightings(connection, list(reversed(sightings)))
        assert rows(connection) == before


@given(trusted, outside, st.data())
def test_nothing_from_outside_changes_a_trusted_row(
    own: Sequence[Sighting], foreign: Sequence[Sighting], data: st.DataObject
) -> None:
    turns = data.draw(st.permutations([True] * len(own) + [False] * len(foreign)))
    ours, theirs = iter(own), iter(foreign)
    mixed = [next(ours if is_own else theirs) for is_own in turns]
    with opened() as alone, opened() as together:
        for sighting in own:
            ledger.record_sightings(alone, [sighting], most=2)
        for sighting in mixed:
            ledger.record_sightings(together, [sighting], most=2)
        assert rows(together, prefix="t") == rows(alone, prefix="t")
