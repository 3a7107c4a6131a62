"""What the curated files were before: shown, compared and brought back."""

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from functools import partial

import trio

from openclaw_memd.curated.revisions import Author, Draft, Rewritten
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.provenance import Provenance
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.errors import ConflictError, InvalidParamsError, NotFoundError
from openclaw_memd.files.names import CURATED
from openclaw_memd.index.ledger.preimages import (
    Preimage,
    PreimageRow,
    find_unrecorded,
    list_preimages,
    load_preimage,
)
from openclaw_memd.index.store import Store

NO_END = "\\ No newline at end of file"


class History:
    """The rewrites of the curated files of one workspace.

    Every method raises UnavailableError or DamagedError when the ledger cannot be used.
    """

    def __init__(self, state: Store, writer: CuratedWriter) -> None:
        self._state = state
        self._writer = writer

    async def list(self, file: str | None, *, before_id: int | None, limit: int) -> list[PreimageRow]:
        """The last rewrites, of one file or both, the newest first; older than ``before_id`` if given.

        Raises:
            InvalidParamsError: the file is no curated one.
        """
        if file is not None and file not in CURATED:
            raise InvalidParamsError("not a curated file", field="file", reason="value")
        work = partial(list_preimages, file=file, before_id=before_id, limit=limit)
        return await self._state.read(work)

    async def diff(self, preimage_id: int) -> str:
        """What one rewrite changed, as a unified diff.

        Raises:
            NotFoundError: there is none of this id.
        """
        preimage = await self._load(preimage_id)
        return await trio.to_thread.run_sync(_format_diff, preimage, abandon_on_cancel=True)

    async def undo(self, preimage_id: int, *, unedited: bool = False) -> Rewritten:
        """Make the file what it was before one rewrite, byte for byte, and keep what it is now.

        A line that comes back is as little trusted as it was. A file that was not there is empty then.
        ``unedited``: only if the file is as the rewrite left it (else ConflictError, ``edited``).

        Raises:
            NotFoundError: there is none of this id.
            ConflictError, DeniedError, TooLargeError: as in ``CuratedWriter.rewrite``.
        """
        preimage = await self._load(preimage_id)
        work = partial(find_unrecorded, file=preimage.file, origins=preimage.origins)
        unrecorded = dict(await self._state.read(work))

        def draft(present: bytes | None) -> Draft | None:
            if unedited and present != preimage.after:
                raise ConflictError("the file was changed since", reason="edited")
            if present is None and preimage.before is None:
                return None
            before = preimage.before or b""
            return Draft(before, tuple(_returning(before, present or b"", unrecorded)))

        return await self._writer.redraft(preimage.file, draft, cause="undo", author=Author())

    async def _load(self, preimage_id: int) -> Preimage:
        preimage = await self._state.read(partial(load_preimage, preimage_id=preimage_id))
        if preimage is None:
            raise NotFoundError("no such pre-image", field="id")
        return preimage


def _returning(
    before: bytes, present: bytes, origins: Mapping[bytes, Provenance]
) -> Iterator[tuple[str, Provenance]]:
    """The lines that come back of which the ledger no longer says who is behind them."""
    left = Counter(decode_stored(before).split("\n")) - Counter(decode_stored(present).split("\n"))
    for line in left.elements():
        provenance = origins.get(hash_line(line))
        if provenance is not None:
            yield line, provenance


def _format_diff(preimage: Preimage) -> str:
    name = preimage.file
    lines = unified_diff(
        _lines(preimage.before or b""),
        _lines(preimage.after),
        "/dev/null" if preimage.before is None else f"a/{name}",
        f"b/{name}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    lines = [line + "\n" for line in decode_stored(data).split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
