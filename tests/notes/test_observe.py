import hashlib

import pytest

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.errors import DeniedError
from openclaw_memd.notes.writer import NoteWriter
from tests.notes.worlds import GUEST, OWNER, TAINTED, TODAY, Open

OLD, NEW = hashlib.sha256(b"old").hexdigest(), hashlib.sha256(b"new").hexdigest()


@pytest.mark.parametrize(
    ("caller", "origin"),
    [(OWNER, Origin.AGENT), (TAINTED, Origin.UNTRUSTED), (GUEST, Origin.UNTRUSTED), (None, Origin.UNTRUSTED)],
)
async def test_a_reported_write_has_the_origin_of_its_turn(
    opened: Open, caller: Caller | None, origin: Origin
) -> None:
    assert (await opened.writer.observe(caller, TODAY, OLD, NEW)).origin is origin
    assert opened.rows("SELECT path, before_hash, after_hash, origin FROM observed_writes") == [
        (TODAY, OLD, NEW, origin)
    ]


async def test_a_new_file_and_a_write_that_changed_nothing(opened: Open) -> None:
    await opened.writer.observe(OWNER, "MEMORY.md", "", NEW)
    await opened.writer.observe(OWNER, "USER.md", NEW, NEW)
    assert opened.rows("SELECT path, before_hash FROM observed_writes") == [("MEMORY.md", "")]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../MEMORY.md", "outside"),
        ("/etc/passwd", "outside"),
        ("memory//a.md", "outside"),
        ("memory/./a.md", "outside"),
        ("", "outside"),
        ("memory/a\0.md", "outside"),
        ("AGENTS.md", "not_memory"),
        ("memory.md", "not_memory"),
        ("DREAMS.md", "not_memory"),
        ("memory", "not_memory"),
        ("memory/a.txt", "not_memory"),
        ("memory/.a.md", "not_memory"),
        ("memory/.dreams/a.md", "not_memory"),
        ("memory/dreaming/light/2026-01-11.md", "not_memory"),
        ("src/a.md", "not_memory"),
    ],
)
async def test_other_files_are_denied(opened: Open, path: str, reason: str) -> None:
    with pytest.raises(DeniedError) as refused:
        await opened.writer.observe(OWNER, path, OLD, NEW)
    assert refused.value.reason == reason
    assert opened.rows("SELECT * FROM observed_writes") == []


@pytest.mark.parametrize("path", ["MEMORY.md", "USER.md", "memory/a/b/c.md", "memory/imports/x.md"])
async def test_memory_files_are_taken(writer: NoteWriter, path: str) -> None:
    assert (await writer.observe(OWNER, path, OLD, NEW)).origin is Origin.AGENT
