"""From texts to the chunks that have them, and back: what a search by vector needs of the index."""

from array import array
from collections.abc import Collection, Sequence
from typing import TypeAlias

import apsw

from openclaw_memd.domain.provenance import TrustTier

Connection: TypeAlias = apsw.Connection
"""What every reader takes, for those who compose readers and open no database themselves."""


def populated_tiers(connection: Connection) -> frozenset[TrustTier]:
    """The trust tiers that hold any chunk."""
    rows = connection.execute("SELECT trust FROM tiers WHERE chunks > 0")
    return frozenset(TrustTier(trust) for (trust,) in rows)


def chunk_ids_of_texts(
    connection: Connection, tier: TrustTier, text_hashes: Collection[bytes]
) -> dict[bytes, list[int]]:
    """The chunks of one trust tier with each of these texts, ascending; texts that have none are left out."""
    found: dict[bytes, list[int]] = {}
    if text_hashes:
        rows = connection.execute(
            "SELECT c.text_hash, c.id FROM carray(?) AS wanted CROSS JOIN chunks AS c"
            " ON c.text_hash = wanted.value WHERE c.trust = ? ORDER BY c.id",
            (apsw.carray(tuple(text_hashes)), tier.value),
        )
        for text_hash, chunk_id in rows:
            found.setdefault(text_hash, []).append(chunk_id)
    return found


def texts_of_chunks(connection: Connection, ids: Sequence[int]) -> frozenset[bytes]:
    """The text hashes of these chunks."""
    if not ids:
        return frozenset()
    rows = connection.execute(
        "SELECT c.text_hash FROM carray(?) AS wanted CROSS JOIN chunks AS c ON c.id = wanted.value",
        (apsw.carray(array("q", ids)),),
    )
    return frozenset(text_hash for (text_hash,) in rows)
