import pytest

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
from openclaw_memd.index.origins import BY_PLACE, Attribution

OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
CRON = Provenance(Origin.SYSTEM, SessionKind.CRON)


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        (Source.MEMORY, Origin.AGENT),
        (Source.IMPORTS, Origin.UNTRUSTED),
        (Source.EXTRA, Origin.UNTRUSTED),
        (Source.SESSIONS, Origin.UNTRUSTED),
    ],
)
def test_only_the_memory_files_are_ours(source: Source, origin: Origin) -> None:
    file = ListedFile("x.md", source, Tier.EPISODIC, "workspace", "x.md", evergreen=False)
    attribution = BY_PLACE.peek(file, ["one", "two"])

    assert attribution.breaks == frozenset()
    assert attribution.of_lines(1, 2) == Provenance(origin, SessionKind.UNKNOWN)


def test_lines_of_several_origins_have_the_least_trusted_one() -> None:
    attribution = Attribution(((1, OWNER), (4, FOREIGN), (6, HANDWRITTEN), (9, CRON)))

    assert attribution.breaks == {4, 6, 9}
    assert attribution.of_lines(1, 3) == OWNER
    assert attribution.of_lines(4, 5) == FOREIGN
    assert attribution.of_lines(3, 6) == FOREIGN
    assert attribution.of_lines(6, 8) == HANDWRITTEN
    assert attribution.of_lines(8, 100) == CRON
