"""Changing what the ledger says of lines: by the owner's word, or because a write was reported late."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

import apsw

from openclaw_memd.domain.attribution import to_runs
from openclaw_memd.domain.provenance import Origin, Provenance, is_trusted, least_trusted
from openclaw_memd.domain.records import Lineage, Records
from openclaw_memd.domain.sketches import Sketch
from openclaw_memd.index.ledger.lines import FileLines, write_file
from openclaw_memd.index.ledger.reports import Reports, find_chain
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


def has_late_report(connection: apsw.Connection, file: FileLines) -> bool:
    """Whether the last write of a file was reported after its lines had been attributed."""
    return _find_chain(connection, file).last_id > file.last_report


def apply_late_report(
    connection: apsw.Connection, file: FileLines, *, sketch: Callable[[bytes], Sketch]
) -> FileLines:
    """Make the lines that only the last change explains as little trusted as the turn of its late report.

    They are never raised.
    """
    chain = _find_chain(connection, file)
    write, reported = chain.worst, chain.provenance
    if write is None or reported is None:
        return file
    heard = replace(file, last_report=chain.last_id)
    lowered = _assign(
        connection,
        heard,
        _changed_indexes(file),
        lambda before: least_trusted((before, reported)),
        lineage=write.lineage,
        decided=False,
        sketch=sketch,
    )
    if lowered is heard:
        write_file(connection, heard)
    return lowered


def _find_chain(connection: apsw.Connection, file: FileLines) -> Reports:
    return find_chain(connection, file.path, file.before_hash, file.content_hash)


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
