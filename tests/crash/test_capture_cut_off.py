"""The process ends between the note about a session and the end of that session."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.sessions.book import SessionBook
from openclaw_memd.sessions.outcomes import CaptureWish
from tests.sessions.test_with_notes import open_with_notes
from tests.sessions.worlds import caller, user

pytestmark = pytest.mark.crash


class EndError(Exception):
    """The process ends here."""


async def end_after_the_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One session with one message, whose note is written, but whose end is not."""

    async def end(*_given: Any, **_named: Any) -> None:
        raise EndError

    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(caller(), [user("1", "where is the boiler")])
        with monkeypatch.context() as patched:
            patched.setattr(SessionBook, "change", end)
            with pytest.raises(EndError):
                await world.sessions.end(caller(), wish=CaptureWish(), capture=writer)


def captured(tmp_path: Path) -> list[str]:
    files = sorted((tmp_path / "workspace/memory").glob("*.md"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line.startswith(">")]


async def test_the_same_end_again_writes_no_second_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await end_after_the_note(tmp_path, monkeypatch)
    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.end(caller(), wish=CaptureWish(), capture=writer)

    assert captured(tmp_path) == ["> User: where is the boiler"]


async def test_a_later_end_does_not_write_the_same_messages_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await end_after_the_note(tmp_path, monkeypatch)
    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(caller(), [user("2", "in the cellar")])
        await world.sessions.end(caller(), wish=CaptureWish(), capture=writer)

    assert sorted(captured(tmp_path)) == ["> User: in the cellar", "> User: where is the boiler"]


async def test_an_end_that_fails_after_the_note_writes_no_second_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def end(*_given: Any, **_named: Any) -> None:
        raise EndError

    async with open_with_notes(tmp_path) as (world, writer):
        await world.sessions.append(caller(), [user("1", "where is the boiler")])
        with monkeypatch.context() as patched:
            patched.setattr(SessionBook, "change", end)
            with pytest.raises(EndError):
                await world.sessions.end(caller(), wish=CaptureWish(), capture=writer)
        await world.sessions.append(caller(), [user("2", "in the cellar")])
        await world.sessions.end(caller(), wish=CaptureWish(), capture=writer)

    assert sorted(captured(tmp_path)) == ["> User: in the cellar", "> User: where is the boiler"]
