"""On which days the lines of a file were recorded; blocks, so it is used in worker threads."""

from collections.abc import Collection, Mapping
from datetime import date
from functools import partial

import apsw
import trio

from openclaw_memd.index.ledger.instants import from_stamp
from openclaw_memd.index.store import Store
from openclaw_memd.zones import Zone


class RecordedDays:
    """The days of the records in the ledger ``state``, in the zone that notes are dated in."""

    def __init__(self, state: Store, zone: Zone) -> None:
        self._state = state
        self._zone = zone

    def of_lines(self, path: str, hashes: Collection[bytes]) -> Mapping[bytes, date]:
        """The last day on which each line of ``path`` was written by memd; one that was not is left out.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read now.
        """
        read = partial(_recorded, path=path, hashes=tuple(hashes))
        found = trio.from_thread.run(self._state.read, read)
        return {line_hash: self._zone.day(from_stamp(stamp)) for line_hash, stamp in found.items()}


def _recorded(connection: apsw.Connection, *, path: str, hashes: tuple[bytes, ...]) -> dict[bytes, str]:
    if not hashes:
        return {}
    rows = connection.execute(
        "SELECT s.hash, max(s.recorded_at) FROM carray(?) AS wanted CROSS JOIN spans AS s"
        " ON s.hash = wanted.value AND s.path = ? WHERE s.append_id IS NOT NULL OR s.agent IS NOT NULL"
        " GROUP BY s.hash",
        (apsw.carray(hashes), path),
    )
    return {bytes(line_hash): stamp for line_hash, stamp in rows}
