"""Writes of memory files that runtimes reported: what changed a file between two contents, and for whom."""

from datetime import datetime

import apsw

from openclaw_memd.domain.provenance import Provenance
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.retention import WRITES_KEPT


def add_observation(
    connection: apsw.Connection,
    *,
    path: str,
    before_hash: str,
    after_hash: str,
    provenance: Provenance,
    agent: str,
    session_id: str | None,
    at: datetime,
) -> None:
    """Store a report. Hashes are SHA-256 of the file's bytes in hex, ``""`` where there was no file."""
    connection.execute("DELETE FROM observed_writes WHERE observed_at < ?", (to_stamp(at - WRITES_KEPT),))
    connection.execute(
        "INSERT INTO observed_writes (path, before_hash, after_hash, origin, session_kind, writer, agent,"
        " session_id, observed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            path,
            before_hash,
            after_hash,
            provenance.origin,
            provenance.session_kind,
            provenance.writer,
            agent,
            session_id,
            to_stamp(at),
        ),
    )
