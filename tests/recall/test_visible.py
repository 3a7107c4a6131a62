from openclaw_memd.domain.audience import OPERATOR, Notes, View
from openclaw_memd.domain.provenance import (
    FOREIGN,
    HANDWRITTEN,
    Origin,
    Provenance,
    SessionKind,
    Source,
    Tier,
)
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index.origins import Attribution
from openclaw_memd.recall.visible import find_visible, may_see_any

OURS = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "ours")
THEIRS = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "theirs")
GROUP = View(notes=Notes.OWN, writer="ours")
NOTE = ListedFile(
    "memory/a.md", Source.MEMORY, Tier.EPISODIC, "workspace", "memory/a.md", evergreen=False, stamp=None
)
MIXED = Attribution(((1, THEIRS), (3, OURS), (4, OURS), (6, HANDWRITTEN), (7, OURS)))


def test_the_operator_sees_every_line() -> None:
    assert find_visible(OPERATOR, NOTE, MIXED, 9) == [range(1, 10)]


def test_others_see_the_lines_of_their_conversation() -> None:
    assert find_visible(GROUP, NOTE, MIXED, 9) == [range(3, 6), range(7, 10)]
    assert find_visible(GROUP, NOTE, Attribution(((1, FOREIGN),)), 9) == []


def test_a_file_may_be_seen_when_some_line_of_it_could() -> None:
    assert may_see_any(GROUP, NOTE)
    assert not may_see_any(View(notes=Notes.NONE), NOTE)
    assert not may_see_any(
        GROUP, ListedFile("MEMORY.md", Source.MEMORY, Tier.CURATED, "w", "MEMORY.md", False)
    )
