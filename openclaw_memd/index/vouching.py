"""Deciding how far lines of an indexed memory file are trusted; blocks, so it is used in worker threads."""

from dataclasses import dataclass

from openclaw_memd.domain.provenance import Origin, is_trusted
from openclaw_memd.errors import ConflictError, NotFoundError, UnavailableError
from openclaw_memd.files.catalog import FileText, Skipped
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.read_lines import Selection


@dataclass(frozen=True, slots=True)
class Vouching:
    """Changes the origin of lines of the files of ``corpus``."""

    corpus: Corpus
    attributor: LedgerAttributor

    def trust(self, path: str, selection: Selection, origin: Origin, indexed_hash: bytes | None) -> int:
        """Give lines of a memory file this origin; how many changed.

        ``indexed_hash`` is SHA-256 of what the index shows of the file, None when it shows nothing: lines
        that nobody was shown are not raised without a hash of theirs.

        Raises:
            NotFoundError: no memory file has this path, or no lines of it this hash.
            InvalidParamsError: the lines are none of the file.
            ConflictError: the file is to be trusted more, and is not what the index shows or the hash says.
            UnavailableError: the file or the ledger cannot be used now.
        """
        file = next((file for file in self.corpus.list_files().files if file.path == path), None)
        if file is None:
            raise NotFoundError("no such memory file", field="path")
        match self.corpus.read(file):
            case FileText() as read:
                is_seen = selection.hash is not None or indexed_hash == read.state.hash
                if is_trusted(origin) and not is_seen:
                    raise ConflictError("the file was changed: look at it again", reason="changed")
                return self.attributor.trust(file, read, selection, origin)
            case Skipped(reason=reason):
                raise UnavailableError("the file cannot be read", reason=reason, field="path")
