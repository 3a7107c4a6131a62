"""The SQL function ``vec_distance_L2``: sqlite-vec's where it runs, else the same in numpy."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import apsw
import structlog

_log = structlog.get_logger("memd.vectors")


def provide_distance(connection: apsw.Connection) -> bool:
    """Give ``connection`` the function ``vec_distance_L2(blob, blob)``; whether it is sqlite-vec's."""
    if _load_extension(connection):
        return True
    connection.create_scalar_function("vec_distance_L2", _distance, 2, deterministic=True)
    return False


def _load_extension(connection: apsw.Connection) -> bool:
    path = _extension_path()
    if path is None:
        return False
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
        # A library for another processor can load and still not run.
        return bool(connection.execute("SELECT vec_version()").get)
    except apsw.Error:
        _log.warning("sqlite-vec cannot be used")
        return False
    finally:
        connection.enable_load_extension(False)


@cache
def _extension_path() -> str | None:
    """Where the library lies, without importing the package, which would import numpy."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return None
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def _distance(*blobs: "apsw.SQLiteValue") -> float | None:
    import numpy as np

    left, right = blobs
    if not isinstance(left, bytes) or not isinstance(right, bytes) or len(left) != len(right):
        return None
    difference = np.frombuffer(left, dtype="<f4") - np.frombuffer(right, dtype="<f4")
    distance = float(np.sqrt(difference @ difference))
    return distance if np.isfinite(distance) else None
