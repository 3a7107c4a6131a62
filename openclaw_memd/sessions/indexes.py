"""The session indexes of a folder, read again when they change."""

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from openclaw_memd.files.openat import open_beneath
from openclaw_memd.index.ledger.transcripts import FileStamp
from openclaw_memd.sessions.formats.openclaw_index import INDEX_BYTES, INDEX_NAME, SessionFacts, read_index
from openclaw_memd.sessions.lines import pread
from openclaw_memd.sessions.listing import FoundFile

_TOPIC = "-topic-"  # a thread of a session has a file of its own


@dataclass(slots=True)
class SessionIndexes:
    """What the indexes say, by the folder that each is in."""

    _read: dict[str, tuple[FileStamp, Mapping[str, SessionFacts]]] = field(default_factory=dict)

    def refresh(self, root: int, found: Mapping[str, FileStamp]) -> None:
        """Read those that changed, beneath the folder ``root``. One that is half-written stays as it was."""
        for folder in self._read.keys() - found.keys():
            del self._read[folder]
        for folder, stamp in found.items():
            known = self._read.get(folder)
            if known is None or known[0] != stamp:
                facts = _read_file(root, posixpath.join(folder, INDEX_NAME), stamp.size)
                if facts is not None:
                    self._read[folder] = (stamp, facts)

    def facts(self, file: FoundFile) -> SessionFacts | None:
        """What is said of the session whose transcript ``file`` is; None when nothing is."""
        known = self._read.get(posixpath.dirname(file.path))
        if known is None:
            return None
        session = file.name.session
        return known[1].get(session) or known[1].get(session.partition(_TOPIC)[0])


def _read_file(root: int, path: str, size: int) -> Mapping[str, SessionFacts] | None:
    if size > INDEX_BYTES:
        return None
    try:
        descriptor = open_beneath(root, path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
    try:
        return read_index(pread(descriptor)(0, INDEX_BYTES))
    except OSError:
        return None
    finally:
        os.close(descriptor)
