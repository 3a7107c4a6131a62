"""The process that prepares files beside the daemon: ``python -m openclaw_memd.index.preparing_child``.

It is started for much work only and is owned by the daemon: it answers one slice of files at a time, in
order, and ends when its input does. It opens no file and no database.

A message is its length in eight bytes, then plain values in ``marshal``'s form, which only holds between two
processes of one interpreter and is many times quicker than others. The first one says how to prepare; the
answer to it is the identity that the rows will have.
"""

import gc
import marshal
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import date
from typing import Any, BinaryIO, Final

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, Source, Tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileState, FileText, ListedFile
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.preparing import ChunkContent, Draft, PreparedFile, Preparer

LENGTH_BYTES: Final = 8
_UNREAD: Final = FileState(0, 0, 0, 0, b"")  # of no file: what is made of a text does not depend on it


def pack(message: Any) -> bytes:
    """A message of plain values."""
    data = marshal.dumps(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def pack_settings(preparer: Preparer) -> bytes:
    """How to prepare as ``preparer`` does."""
    identity = preparer.identity
    return pack((preparer.analyzer.languages, identity.chunk_tokens, identity.chunk_overlap))


def pack_drafts(drafts: Iterable[Draft]) -> bytes:
    """What to prepare."""
    return pack(list(map(_draft_values, drafts)))


def unpack_answer(drafts: Sequence[Draft], data: bytes) -> tuple[PreparedFile, ...]:
    """What became of ``drafts``.

    Raises:
        ValueError, EOFError, TypeError: it is no answer to them.
    """
    answers = marshal.loads(data)
    return tuple(
        PreparedFile(draft.file, draft.read.state, tuple(ChunkContent(*row) for row in rows))
        for draft, rows in zip(drafts, answers, strict=True)
    )


def is_identity(preparer: Preparer, data: bytes) -> bool:
    """Whether the other process prepares as ``preparer`` does: its program may have been replaced since.

    Raises as ``unpack_answer`` does.
    """
    return bool(marshal.loads(data) == astuple(preparer.identity))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every request until there are no more."""
    settings = _read(requests)
    if settings is None:
        return
    languages, tokens, overlap = settings
    preparer = Preparer(Analyzer(languages), chunk_tokens=tokens, chunk_overlap=overlap)
    _write(answers, astuple(preparer.identity))
    while (drafts := _read(requests)) is not None:
        prepared = [preparer.prepare(_draft(values)) for values in drafts]
        _write(answers, [[tuple(content) for content in each.chunks] for each in prepared])


def _draft_values(draft: Draft) -> tuple[Any, ...]:
    file, read = draft.file, draft.read
    runs = [
        (line, found.origin.value, found.session_kind.value, found.writer)
        for line, found in draft.attribution.runs
    ]
    days = [(line, day.toordinal()) for line, day in read.days] if isinstance(read, DocumentText) else None
    return file.path, file.source.value, file.tier.value, file.evergreen, read.text, runs, days


def _draft(values: tuple[Any, ...]) -> Draft:
    path, source, tier, evergreen, text, runs, days = values
    attribution = Attribution(
        tuple(
            (line, Provenance(Origin(origin), SessionKind(kind), writer))
            for line, origin, kind, writer in runs
        )
    )
    read = FileText(text, _UNREAD)
    if days is not None:
        dated = tuple((line, date.fromordinal(day)) for line, day in days)
        read = DocumentText(text, _UNREAD, attribution, dated)
    return Draft(ListedFile(path, Source(source), Tier(tier), "", "", evergreen), read, attribution)


def _read(requests: BinaryIO) -> Any:
    length = requests.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    data = requests.read(int.from_bytes(length, "big"))
    return marshal.loads(data)


def _write(answers: BinaryIO, message: Any) -> None:
    answers.write(pack(message))
    answers.flush()


def main() -> None:
    """Serve the daemon that started this process."""
    gc.disable()  # nothing that is made here refers to itself
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the daemon too, which ends this
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:  # the daemon is gone
        os._exit(0)  # what is left in the buffer has nowhere to go


if __name__ == "__main__":
    main()
