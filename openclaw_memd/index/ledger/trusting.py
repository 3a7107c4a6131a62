"""Changing what the ledger says of lines: by the owner's word, or because a write was reported late."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

import apsw

from openclaw_memd.domain.attribution import to_runs
from openclaw_memd.domain.provenance import Origin, Provenance, is_trusted, least_trusted, trust_rank
from openclaw_memd.domain.records import Lineage, Records
from openclaw_memd.domain.sketches import Sketch
from openclaw_memd.index.ledger.lines import FileLines, ObservedWrite, find_write, write_file
from openclaw_memd.index.ledger.spans import spans_of, store_records


def trust_lines(
    connection: apsw.Connection,
    file: FileLines,
    indexes: Iterable[int],
    origin: Origin,
    *,
    at: datetime,
    sketch: Callable[[bytes], Sketch],
) -> FileLines:
    """Give lines of a file the ``origin`` that the owner decided on: agent to raise, untrusted to lower.

    The decision goes along with the lines wherever they are moved. ``indexes`` count the lines that are not
    blank; ``sketch`` makes the sketch of a line by its hash. Lines that are as trusted as ``origin`` says, or
    more, are not raised.
    """

    def decide(before: Provenance) -> Provenance:
        if is_trusted(origin) and is_trusted(before.origin):
            return before
        return replace(before, origin=origin)

    lineage = Lineage(None, None, None, at)
    return _assign(connection, file, indexes, decide, lineage=lineage, decided=True, sketch=sketch)


def find_late_report(connection: apsw.Connection, file: FileLines) -> ObservedWrite | None:
    """The report of the last write of a file, when it came after its lines had been attributed and its turn
    is less trusted than the lines that only this change explains.
    """
    if file.content_hash is None or not file.changed:
        return None
    write, _ = find_write(connection, file.path, file.before_hash, file.content_hash)
    if write is None:
        return None
    rank = trust_rank(write.provenance.origin)
    provenances = file.lines.provenances
    is_lower = any(rank < trust_rank(provenances[index].origin) for index in _changed_indexes(file))
    return write if is_lower else None


def apply_late_report(
    connection: apsw.Connection, file: FileLines, *, sketch: Callable[[bytes], Sketch]
) -> FileLines:
    """Make the lines that only the last change explains as little trusted as the turn of its late report."""
    write = find_late_report(connection, file)
    if write is None:
        return file
    reported = write.provenance
    return _assign(
        connection,
        file,
        _changed_indexes(file),
        lambda before: least_trusted((before, reported)),
        lineage=write.lineage,
        decided=False,
        sketch=sketch,
    )


def _changed_indexes(file: FileLines) -> list[int]:
    return [index for first, last in file.changed for index in range(first, last + 1)]


def _assign(
    connection: apsw.Connection,
    file: FileLines,
    indexes: Iterable[int],
    decide: Callable[[Provenance], Provenance],
    *,
    lineage: Lineage,
    decided: bool,
    sketch: Callable[[bytes], Sketch],
) -> FileLines:
    before = file.lines.provenances
    after = list(before)
    chosen = [index for index in indexes if decide(before[index]) != before[index]]
    if not chosen:
        return file
    hashes = {file.lines.hashes[index] for index in chosen}
    records = Records(spans_of(connection, hashes, [file.path]))
    for index in chosen:
        line_hash = file.lines.hashes[index]
        after[index] = decide(before[index])
        old = records.vanish(file.path, line_hash, before[index])
        if old is not None:
            records.withdraw(old)
        records.add(
            file.path,
            line_hash,
            sketch(line_hash).words,
            after[index],
            lineage if old is None else old.lineage,
            decided=decided,
        )
    store_records(connection, records.changed.values(), sketch)
    changed = replace(file, lines=replace(file.lines, runs=to_runs(after)))
    write_file(connection, changed)
    return changed
