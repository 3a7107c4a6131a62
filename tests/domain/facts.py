"""Facts and entries of curated files for tests of consolidation."""

from datetime import date

from openclaw_memd.domain.annotations import Annotations
from openclaw_memd.domain.consolidation import Prior
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind

OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
TODAY = date(2026, 1, 12)
NOTED = date(2026, 1, 11)


def make_fact(
    text: str,
    *,
    key: str | None = None,
    noted: date | None = NOTED,
    projects: tuple[str, ...] = (),
    provenance: Provenance = HANDWRITTEN,
    name: str | None = None,
    expires: date | None = None,
) -> Fact:
    said = Annotations(importance=8, key=key, observed=noted, projects=projects, expires=expires)
    return Fact((name or f"t:{text}",), text, "memory/2026-01-11.md#L1", provenance, said)


def make_priors(text: str, file: str = "MEMORY.md", origin: Origin | None = Origin.AGENT) -> list[Prior]:
    return [Prior(file, entry, origin) for entry in parse_entries(text)]
