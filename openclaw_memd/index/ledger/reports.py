"""What reported writes say of a change of a file."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import apsw

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, least_trusted
from openclaw_memd.domain.records import Lineage
from openclaw_memd.index.ledger.instants import from_stamp

_COLUMNS: Final = "id, before_hash, origin, session_kind, writer, agent, session_id, observed_at"


@dataclass(frozen=True, slots=True)
class ObservedWrite:
    """A write that a runtime reported: whose turn it was made in."""

    id: int
    provenance: Provenance
    lineage: Lineage


@dataclass(frozen=True, slots=True)
class Reports:
    """The least trusted of the writes that were reported of a change, None when none was; ``last_id`` is the
    id of the newest.

    ``is_whole`` says that they account for all of it: where they have a hole there is room for a write that
    nobody reported.
    """

    worst: ObservedWrite | None
    last_id: int
    is_whole: bool

    @property
    def provenance(self) -> Provenance | None:
        """What they say of lines that nothing else explains.

        Nobody knows whose conversation a line is from that may have come through a hole.
        """
        if self.worst is None or self.is_whole:
            return None if self.worst is None else self.worst.provenance
        return replace(self.worst.provenance, writer=None)


def find_chain(
    connection: apsw.Connection, path: str, before_hash: bytes | None, after_hash: bytes | None
) -> Reports:
    """The reports that lead from one content of a file to another, as far as they go. None: no file."""
    found: list[ObservedWrite] = []
    before, wanted = _hex(before_hash), _hex(after_hash)
    passed = {wanted}
    while wanted != before:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM observed_writes WHERE path = ? AND after_hash = ? ORDER BY id DESC",
            (path, wanted),
        ).fetchall()
        found += [_observed(row) for row in rows]
        onward = [str(row[1]) for row in rows if row[1] not in passed]
        if not onward:
            return _sum_up(found, is_whole=False)
        wanted = before if before in onward else onward[0]
        passed.add(wanted)
    return _sum_up(found, is_whole=True)


def find_reports(
    connection: apsw.Connection,
    path: str,
    before_hash: bytes | None,
    after_hash: bytes | None,
    *,
    since: int,
) -> Reports:
    """What was reported of a change: the chain, and untrusted writes after the report with the id ``since``.

    Another write may have followed one of those before anybody looked, so that no chain leads to it.
    """
    chain = find_chain(connection, path, before_hash, after_hash)
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM observed_writes"
        " WHERE path = ? AND id > ? AND origin IN ('system', 'untrusted')",
        (path, since),
    )
    writes = [_observed(row) for row in rows]
    if chain.worst is not None:
        writes.append(chain.worst)
    return _sum_up(writes, is_whole=chain.is_whole)


def _sum_up(writes: Sequence[ObservedWrite], *, is_whole: bool) -> Reports:
    if not writes:
        return Reports(None, 0, is_whole)
    worst = least_trusted(write.provenance for write in writes)
    return Reports(
        next(write for write in writes if write.provenance == worst),
        max(write.id for write in writes),
        is_whole,
    )


def read_last_reports(connection: apsw.Connection, paths: Collection[str]) -> dict[str, int]:
    """The id of the newest report of each of ``paths`` that has any."""
    rows = connection.execute(
        "SELECT path, max(id) FROM observed_writes WHERE path IN (SELECT value FROM carray(?)) GROUP BY path",
        (apsw.carray(tuple(paths)),),
    )
    return dict(rows)


def _hex(content_hash: bytes | None) -> str:
    return "" if content_hash is None else content_hash.hex()


def _observed(row: tuple[Any, ...]) -> ObservedWrite:
    report_id, _, origin, kind, writer, agent, session_id, observed_at = row
    return ObservedWrite(
        report_id,
        Provenance(Origin(origin), SessionKind(kind), writer),
        Lineage(None, agent, session_id, from_stamp(observed_at)),
    )
