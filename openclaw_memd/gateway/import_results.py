"""What the calls about imports take, and what they answer."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, Identifier, WriteParams

if TYPE_CHECKING:  # loaded at the first import: most daemons never see one
    from openclaw_memd.index.ledger.imports import ImportRow
    from openclaw_memd.ops.imports.types import Applied, Left, Preview, Undone

Source = Literal["codex", "claude-code", "openclaw", "path"]
Count = Annotated[int, Meta(ge=0)]
SourceParam = Annotated[Source, Meta(description="whose memories; path: any file or folder of Markdown")]
FromParam = Annotated[
    Annotated[str, Meta(min_length=1, max_length=4096)] | None,
    Meta(description="absolute, or from ~: where they are; without it the usual place of the source"),
]
ReplaceParam = Annotated[
    bool, Meta(description="put files in the place of others with other content, which are backed up")
]
T = TypeVar("T")

LISTED: Final = 200
LISTED_CHARS: Final = 24 * 1024
"""A list of a preview ends after so many items or characters; counts are of all."""

REPORTED_CHARS: Final = 1_536
"""A list of what was done has less: jobs keep their results, and ``status`` shows all jobs."""


class ImportParams(CallParams, frozen=True, kw_only=True, rename={"from_path": "from"}):
    """Params of ``import.preview``."""

    source: SourceParam
    from_path: FromParam = None
    replace: ReplaceParam = False


class ImportApplyParams(WriteParams, frozen=True, kw_only=True, rename={"from_path": "from"}):
    """Params of ``import.apply``."""

    source: SourceParam
    from_path: FromParam = None
    replace: ReplaceParam = False
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class ImportUndoParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``import.undo``."""

    id: Identifier


class ImportFile(Result, frozen=True, kw_only=True, rename={"origin": "from"}):
    """A file that a source has."""

    path: Annotated[str, Meta(description="in the workspace")]
    origin: Annotated[str, Meta(description="in the source")]
    bytes: Count
    state: Annotated[
        Literal["new", "unchanged", "replace", "conflict"],
        Meta(description="what stands in its place: nothing, the same, or something else"),
    ]


class ImportLeft(Result, frozen=True, kw_only=True):
    """A file that is left out or left alone."""

    path: str
    reason: Annotated[str, Meta(description="a code of the lists of reasons")]


class ForeignIntent(Result, frozen=True, kw_only=True):
    """A standing intent of another installation. It does not fire here."""

    agent: str
    description: str
    keywords: tuple[str, ...]
    status: str
    fires: str
    command: Annotated[str, Meta(description="what the owner may run to make it anew")]


class ForeignRecalls(Result, frozen=True, kw_only=True):
    """What another installation counted of what was recalled; nothing of it is taken over."""

    entries: Count
    promoted: Count


class ImportReceipt(Result, frozen=True, kw_only=True):
    """An import that was made before."""

    id: str
    source: str
    at: str
    state: Annotated[
        Literal["begun", "done", "undoing", "undone"], Meta(description="begun, undoing: cut off, or running")
    ]
    backup: str | None


class ImportPreview(Result, frozen=True, kw_only=True, rename={"origin": "from"}):
    """What an import finds, and what it would do. Lists are of the first ones, counts of all."""

    source: Source
    origin: str
    files: tuple[ImportFile, ...]
    file_count: Count
    bytes: Annotated[int, Meta(ge=0, description="of what would be written")]
    new: Count
    unchanged: Count
    replaced: Count
    conflicts: Annotated[tuple[ImportLeft, ...], Meta(description="files with other content, which stay")]
    conflict_count: Count
    skipped: tuple[ImportLeft, ...]
    skipped_count: Count
    intents: tuple[ForeignIntent, ...]
    intent_count: Count
    recalls: ForeignRecalls | None
    sessions: Annotated[
        tuple[str, ...], Meta(description="sections of the configuration that make memd read the transcripts")
    ]
    doubted: Annotated[
        tuple[str, ...],
        Meta(description="files of this workspace that the installation recorded as text from outside"),
    ]
    doubted_count: Count


class ImportPreviewResult(ImportPreview, frozen=True, kw_only=True, rename={"origin": "from"}):
    """A preview, and what was imported before."""

    imports: tuple[ImportReceipt, ...]


class ImportResult(Written, frozen=True, kw_only=True):
    """What an import did."""

    id: Annotated[str | None, Meta(description="for the undo; null: there was nothing to write")]
    copied: Annotated[int, Meta(ge=0, description="files that are there by this import")]
    replaced: Annotated[int, Meta(ge=0, description="those that had another's place")]
    backup: Annotated[str | None, Meta(description="where what was replaced lies")]
    resumed: Annotated[bool, Meta(description="it went on with one that was cut off")]
    report: Annotated[ImportPreview, Meta(description="as it was found before it was written")]


class ImportUndoResult(Written, frozen=True, kw_only=True):
    """What an undo did."""

    id: str
    restored: Annotated[int, Meta(ge=0, description="places that are what they were before")]
    removed: Annotated[int, Meta(ge=0, description="those of them where there was nothing")]
    kept: tuple[ImportLeft, ...]
    kept_count: Count


def show_preview(found: "Preview", most_chars: int = LISTED_CHARS) -> ImportPreview:
    """A preview with lists of at most ``most_chars`` characters each."""
    states = [one.state.value for one in found.files]
    beside = found.beside
    return ImportPreview(
        source=found.source,
        origin=found.origin,
        files=_first(
            (
                ImportFile(path=one.path, origin=one.origin, bytes=one.bytes, state=one.state.value)
                for one in found.files
            ),
            most_chars,
        ),
        file_count=len(states),
        bytes=sum(one.bytes for one in found.files if one.state in ("new", "replace")),
        new=states.count("new"),
        unchanged=states.count("unchanged"),
        replaced=states.count("replace"),
        conflicts=_show_left(found.conflicts, most_chars),
        conflict_count=len(found.conflicts),
        skipped=_show_left(found.skipped, most_chars),
        skipped_count=len(found.skipped),
        intents=_first(
            (msgspec.convert(one, ForeignIntent, from_attributes=True) for one in beside.intents), most_chars
        ),
        intent_count=len(beside.intents),
        recalls=msgspec.convert(beside.recall_store, ForeignRecalls | None, from_attributes=True),
        sessions=_first(beside.sessions, most_chars),
        doubted=_first(beside.doubted, most_chars),
        doubted_count=len(beside.doubted),
    )


def show_applied(done: "Applied") -> ImportResult:
    """What an import did, short enough for a job to keep."""
    return ImportResult(
        id=done.id,
        copied=done.copied,
        replaced=done.replaced,
        backup=done.backup,
        resumed=done.resumed,
        report=show_preview(done.preview, REPORTED_CHARS),
    )


def show_undone(done: "Undone") -> ImportUndoResult:
    """What an undo did, short enough for a job to keep."""
    return ImportUndoResult(
        id=done.id,
        restored=done.restored,
        removed=done.removed,
        kept=_show_left(done.kept, REPORTED_CHARS),
        kept_count=len(done.kept),
    )


def show_receipt(row: "ImportRow") -> ImportReceipt:
    """One import as the ledger has it."""
    return ImportReceipt(
        id=row.id, source=row.source, at=row.at.isoformat(), state=row.state, backup=row.backup
    )


def _show_left(items: "Iterable[Left]", most_chars: int) -> tuple[ImportLeft, ...]:
    return _first((ImportLeft(path=one.path, reason=one.reason) for one in items), most_chars)


def _first(items: Iterable[T], most_chars: int) -> tuple[T, ...]:
    """As many items as an answer has room for."""
    found: list[T] = []
    chars = 0
    for item in items:
        chars += len(msgspec.json.encode(item))
        if len(found) >= LISTED or chars > most_chars:
            break
        found.append(item)
    return tuple(found)
