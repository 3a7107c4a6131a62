"""Claims whose note was moved or renamed: where they stand now. Everything here blocks: use a thread."""

from collections.abc import Collection, Sequence
from datetime import date

from openclaw_memd.domain.short_term import note_day
from openclaw_memd.dreaming.sources import Found, Sources
from openclaw_memd.index.ledger.signal_rows import CandidateRow, MovedRow


def find_moved(rows: Sequence[CandidateRow], gone: Collection[str], sources: Sources) -> list[MovedRow]:
    """For each place of ``rows`` in a note that is ``gone`` the one where the same claim stands now, if any.

    That is another note of the same day, wherever it is and whatever else is in its name. The claim has to be
    there whole and as trusted as it was.
    """
    wanted = {
        (row.key, day): (row.key, one.path)
        for row in rows
        for one in row.sources
        if one.path in gone and not one.is_session and (day := note_day(one.path)) is not None
    }
    there = _find_claims(frozenset(day for _, day in wanted), sources)
    return [
        MovedRow(key, path, there[key, day].source)
        for (key, day), (_, path) in wanted.items()
        if (key, day) in there
    ]


def _find_claims(days: Collection[date], sources: Sources) -> dict[tuple[str, date], Found]:
    """The claims of notes of these days, each where it stands first."""
    found: dict[tuple[str, date], Found] = {}
    for day, file in sources.notes_of(days):
        source = sources.read(file)
        for claim in () if source is None else source.claims():
            found.setdefault((claim.key, day), claim)
    return found
