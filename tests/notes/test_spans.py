"""With the real ledger of spans: where each line comes from is stored together with the text."""

from functools import partial

import pytest

from openclaw_memd.domain.sketches import sketch
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files import notes
from openclaw_memd.index.ledger.spans import record_spans
from tests.notes.faulty_os import FaultyOs, Killed
from tests.notes.worlds import GUEST, OUTSIDE, OWNER, TODAY, World


@pytest.fixture
def recording(world: World) -> World:
    world.record = partial(record_spans, sketches=partial(sketch, analyzer=Analyzer()))
    return world


async def test_lines_are_recorded_with_their_origin_and_conversation(recording: World) -> None:
    async with recording.open() as opened:
        await opened.writer.append(OWNER, text="- the first of them\n\n- the second of them")
        await opened.writer.append(GUEST, text="- something from elsewhere")
        rows = opened.rows(
            "SELECT s.path, s.origin, s.writer, count(*) FROM spans s JOIN appends a ON a.id = s.append_id"
            " AND a.path = s.path GROUP BY s.path ORDER BY s.id"
        )
    assert rows == [(TODAY, "agent", OWNER.writer, 3), (OUTSIDE, "untrusted", GUEST.writer, 2)]


async def test_they_are_there_before_the_bytes(recording: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "os", FaultyOs(faults={"write": Killed()}))
    with pytest.raises(Killed):
        async with recording.open() as opened:
            await opened.writer.append(GUEST, text="- something from elsewhere")
    async with recording.open(reconcile=False) as opened:
        assert opened.rows("SELECT state FROM appends") == [("planned",)]
        assert opened.rows("SELECT count(*) FROM spans WHERE origin = 'untrusted'") == [(2,)]
