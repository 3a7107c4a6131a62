"""Opening the databases of a workspace: what cannot be used is named."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from structlog.testing import capture_logs

from openclaw_memd.daemon.databases import open_databases
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.index.rows import IndexIdentity

IDENTITY = IndexIdentity(chunking=1, analysis="a", chunk_tokens=400, chunk_overlap=80)


@pytest.mark.parametrize("name", ["state.db", "index-1.db", "vectors.db"])
def test_a_database_that_cannot_be_used_is_named_and_the_others_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Such as one that a start with ``sudo`` left. Root may open everything, so it is faked here."""
    opened = apsw.Connection

    def refuse(path: str, *args: Any, **options: Any) -> apsw.Connection:
        if path.endswith(f"/{name}"):
            raise apsw.CantOpenError("unable to open database file")
        return opened(path, *args, **options)

    place = tmp_path / "ws"
    place.mkdir()
    with open_workspace(place, state_dir=tmp_path / "state", host="here") as workspace:
        monkeypatch.setattr("openclaw_memd.index.database.apsw.Connection", refuse)

        with pytest.raises(UnavailableError, match=f"^{name}: ") as caught:
            open_databases(workspace, IDENTITY, lambda: datetime.now(UTC))
        assert str(tmp_path) not in caught.value.message
        assert {path.name for path in workspace.state.glob("*.open")} <= {f"{name}.open"}


@pytest.mark.parametrize("name", ["state.db", "index-1.db", "vectors.db"])
async def test_a_damaged_one_is_set_aside_and_told_in_the_log(tmp_path: Path, name: str) -> None:
    place = tmp_path / "ws"
    place.mkdir()
    with open_workspace(place, state_dir=tmp_path / "state", host="here") as workspace:
        await open_databases(workspace, IDENTITY, lambda: datetime.now(UTC)).aclose()
        (workspace.state / name).write_bytes(b"no database" * 400)
        with capture_logs() as events:
            databases = open_databases(workspace, IDENTITY, lambda: datetime.now(UTC))
        await databases.aclose()
        assert [(event["event"], event["database"]) for event in events] == [("database set aside", name)]
