"""What was measured of embedding models, kept beside their vectors."""

from datetime import datetime

import apsw

from openclaw_memd.index.store import Store
from openclaw_memd.ports import Calibration


class Calibrations:
    """Measurements in the database behind ``store``, whose errors every method may raise."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, model: str) -> Calibration | None:
        """What was measured of ``model``, if it was."""

        def read(connection: apsw.Connection) -> Calibration | None:
            found = connection.execute(
                "SELECT floor, ceiling, weight FROM models WHERE model = ? AND measured_at IS NOT NULL",
                (model,),
            ).fetchone()
            return None if found is None else Calibration(*found)

        return await self._store.read(read)

    async def put(self, model: str, dims: int, calibration: Calibration, at: datetime) -> None:
        """Keep a measurement of ``model``, whose vectors have ``dims`` values; it replaces an earlier one."""

        def write(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT INTO models (model, dims, floor, ceiling, weight, measured_at, last_used_at)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (model) DO UPDATE SET"
                " floor = excluded.floor, ceiling = excluded.ceiling, weight = excluded.weight,"
                " measured_at = excluded.measured_at",
                (model, dims, calibration.floor, calibration.ceiling, calibration.weight, at.timestamp()),
            )

        await self._store.write(write)

    async def mark_used(self, model: str, at: datetime) -> None:
        """Note that ``model`` is in use now, if anything is stored of it."""

        def write(connection: apsw.Connection) -> None:
            connection.execute("UPDATE models SET last_used_at = ? WHERE model = ?", (at.timestamp(), model))

        await self._store.write(write)
