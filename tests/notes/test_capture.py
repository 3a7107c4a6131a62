from dataclasses import replace
from datetime import date

import pytest

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files import notes
from openclaw_memd.notes.types import CapturedNote
from openclaw_memd.notes.writer import NoteWriter
from tests.notes.faulty_os import FaultyOs
from tests.notes.worlds import OWNER, Open, World

DAY = date(2026, 1, 11)
OWN = Provenance(Origin.OWNER, SessionKind.INTERACTIVE, "session:a")
AGENT = Provenance(Origin.AGENT, SessionKind.INTERACTIVE, "session:a")
WEB = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "session:a")
SYSTEM = Provenance(Origin.SYSTEM, SessionKind.CRON)
TRUSTED = (("- Session: s1", AGENT), ("", AGENT), ("> User: hi", OWN), ("> Assistant: yes\0\n", AGENT))
OUTSIDE = (("> Assistant: from the web", WEB), ("> User: ping", SYSTEM))


NOTE = CapturedNote("k", DAY, "Plans", "# 2026-01-11 13:00 (Europe/Vienna)", TRUSTED, OUTSIDE)


async def test_a_capture_is_two_files_and_each_line_keeps_its_provenance(world: World, opened: Open) -> None:
    done = await opened.writer.capture(OWNER, NOTE)
    assert [part.path for part in done.parts] == [
        "memory/2026-01-11-plans.md",
        "memory/2026-01-11-plans-untrusted.md",
    ]
    assert list(world.files().values()) == [
        "# 2026-01-11 13:00 (Europe/Vienna): from outside, not trusted\n\n"
        "> Assistant: from the web\n> User: ping\n",
        "# 2026-01-11 13:00 (Europe/Vienna)\n\n- Session: s1\n\n> User: hi\n> Assistant: yes\n",
    ]
    spans = {line: origin for _, line, origin in opened.spans()}
    assert spans["> User: hi"] == "owner"
    assert spans["- Session: s1"] == spans["# 2026-01-11 13:00 (Europe/Vienna)"] == "agent"
    assert (spans["> Assistant: from the web"], spans["> User: ping"]) == ("untrusted", "system")


async def test_a_taken_name_is_numbered_for_each_kind_by_itself(world: World, writer: NoteWriter) -> None:
    world.write("memory/2026-01-11-plans.md", "")
    (world.folder / "memory/2026-01-11-plans-2.md").symlink_to("nowhere")
    done = await writer.capture(OWNER, NOTE)
    assert [part.path for part in done.parts] == [
        "memory/2026-01-11-plans-3.md",
        "memory/2026-01-11-plans-untrusted.md",
    ]
    other = await writer.capture(OWNER, replace(NOTE, key="k2", untrusted=()))
    assert other.path == "memory/2026-01-11-plans-4.md"
    assert len(other.parts) == 1
    assert world.read("memory/2026-01-11-plans.md") == ""


async def test_a_capture_comes_once(world: World, writer: NoteWriter) -> None:
    first = await writer.capture(OWNER, NOTE)
    again = await writer.capture(OWNER, replace(NOTE, slug="other"))
    assert (again.repeated, again.path) == (True, first.path)
    assert len(world.files()) == 2


async def test_a_name_that_a_spooled_capture_waits_for_is_taken(
    world: World, writer: NoteWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = FaultyOs(faults={"open": PermissionError(13, "made to fail"), "mkdir": PermissionError(13, "x")})
    with monkeypatch.context() as patched:
        patched.setattr(notes, "os", system)
        first = await writer.capture(OWNER, replace(NOTE, untrusted=()))
        assert first.spooled
    second = await writer.capture(OWNER, replace(NOTE, key="k2", untrusted=()))
    assert (first.path, second.path) == ("memory/2026-01-11-plans.md", "memory/2026-01-11-plans-2.md")
    await writer.reconcile()
    assert len(world.files()) == 2


async def test_only_outside_text(world: World, writer: NoteWriter) -> None:
    done = await writer.capture(OWNER, replace(NOTE, trusted=()))
    assert done.path == "memory/2026-01-11-plans-untrusted.md"
    assert list(world.files()) == [done.path]


async def test_a_slug_of_nothing_is_refused(writer: NoteWriter) -> None:
    with pytest.raises(InvalidParamsError):
        await writer.capture(OWNER, replace(NOTE, slug="..."))
