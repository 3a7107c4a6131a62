"""From what was found to what is written: the rows of the ledger, and which import they belong to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from openclaw_memd.domain.importing import Candidate, ImportReason, Plan, Standing
from openclaw_memd.index.ledger import imports as ledger
from openclaw_memd.index.ledger.imports import ImportedFile, ImportRow
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ops.imports.collecting import Collection
from openclaw_memd.ops.imports.types import FoundFile, Left, Preview

Begun = tuple[ImportRow, Sequence[ImportedFile]]
"""An import that was cut off, with its files as they are known."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a source has, how it stands to what is there, and what has no place."""

    collection: Collection
    candidates: Sequence[Candidate]
    left: Sequence[Left]

    def planned(self, *, replace: bool) -> Plan:
        """The plan for an import of all of it."""
        return Plan(self.candidates, replace)

    def preview(self, plan: Plan, left: Sequence[Left] = ()) -> Preview:
        """What is told of it; ``left`` are files that turned out to be left."""
        collection = self.collection
        return Preview(
            source=collection.source,
            origin=str(collection.origin),
            files=tuple(
                FoundFile(one.target, one.shown, one.size, one.standing(replace=plan.replace))
                for one in plan.candidates
            ),
            conflicts=tuple(Left(one.target, ImportReason.EXISTS) for one in plan.all(Standing.CONFLICT)),
            skipped=(*collection.skipped, *self.left, *left),
            beside=collection.beside,
        )


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the ledger is told before anything is written.

    ``closed`` are imports that were cut off and are not gone on with; ``waiting`` the files of all that were,
    as far as they are not there.
    """

    row: ImportRow
    files: Sequence[ImportedFile]
    closed: Sequence[str]
    waiting: Sequence[tuple[str, str]]
    is_resumed: bool

    @property
    def writes(self) -> bool:
        """Whether there is an import at all."""
        return self.is_resumed or bool(self.files)

    def note(self, connection: Connection) -> None:
        """Tell the ledger."""
        for import_id, path in self.waiting:
            ledger.mark_files(connection, import_id, [(path, "left")])
        for import_id in self.closed:
            ledger.set_state(connection, import_id, "done")
        if self.writes:
            ledger.begin_import(connection, self.row, self.files)


def plan_beginning(fresh: ImportRow, begun: Sequence[Begun], survey: Survey, backups: Path) -> Beginning:
    """Begin a ``fresh`` import, or go on with one of the same source that was cut off.

    That is only done when all of its files are still offered as they were: else one id would stand for two
    versions of a file.
    """
    plan = survey.planned(replace=fresh.replaces)
    files = [ImportedFile(one.target, one.hash, one.present, one.size) for one in plan.to_write]
    offered = {one.target: one.hash for one in survey.collection.offers}
    resumable = [
        row
        for row, known in begun
        if row.replaces == fresh.replaces and all(offered.get(one.path) == one.hash for one in known)
    ]
    row = resumable[-1] if resumable else fresh
    if any(one.before is not None for one in files):
        row = replace(row, backup=str(backups / row.id))
    return Beginning(
        row=row,
        files=files,
        closed=[one.id for one, _ in begun if one.id != row.id],
        waiting=[(one.id, file.path) for one, known in begun for file in known if file.state == "planned"],
        is_resumed=bool(resumable),
    )
