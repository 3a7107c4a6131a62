"""A folder of transcripts as it is configured, as the last look found it, and what is known of its files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import msgspec

from openclaw_memd.domain.callers import ChatType
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.index.ledger.transcripts import Transcript
from openclaw_memd.sessions.formats import claude_code, openclaw
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.formats.openclaw_index import SessionFacts
from openclaw_memd.sessions.formats.records import NO_RULES, Rules
from openclaw_memd.sessions.indexes import SessionIndexes
from openclaw_memd.sessions.ingesting import Manner, digest
from openclaw_memd.sessions.listing import (
    FoundFile,
    TranscriptListing,
    list_transcripts,
    missing,
    unreadable,
)
from openclaw_memd.sessions.reading import OpenTranscript, ReadRecord, open_transcript

Format = Literal["openclaw", "claude-code"]

_READ_AS: Final = "1"  # another one when records are read differently: then every transcript is read anew
_UNATTRIBUTED: Final = (
    "some messages of users name nobody, so they are not trusted; if only the owner of this machine writes"
    ' there, set owner = "local-user" for this folder'
)
_READERS: Final[Mapping[Format, ReadRecord]] = {
    "openclaw": openclaw.read_record,
    "claude-code": claude_code.read_record,
}


@dataclass(frozen=True, slots=True)
class TranscriptFolder:
    """A folder as it is configured. A link is followed to the folder itself, never below it."""

    path: Path
    format: Format = "openclaw"
    agent: str = "main"
    rules: Rules = NO_RULES

    @property
    def id(self) -> str:
        """What files of it are known by."""
        return digest(os.path.realpath(self.path.expanduser()), self.format, self.agent)

    @property
    def reading(self) -> str:
        """A name for how its records are read."""
        return digest(_READ_AS, str(self.rules.local_user), *sorted(self.rules.network_tools))


@dataclass(frozen=True, slots=True)
class FolderState:
    """What ``status`` tells of a folder; paths are relative to it.

    ``pending`` files wait to be read. ``broken`` and ``too_long`` count lines. ``unattributed`` messages of
    users name nobody, so they are untrusted; ``warning`` says so.
    """

    agent: str
    format: Format
    files: int
    pending: int
    messages: int
    unattributed: int
    broken: int
    too_long: int
    skipped: tuple[tuple[str, TranscriptSkip], ...]
    warning: str | None


@dataclass(slots=True)
class WatchedFolder:
    """A folder and what is known of it. ``compared`` files were compared in full since this process began."""

    folder: TranscriptFolder
    id: str
    rows: dict[str, Transcript]
    indexes: SessionIndexes = field(default_factory=SessionIndexes)
    found: TranscriptListing = field(default_factory=TranscriptListing)
    due: list[FoundFile] = field(default_factory=list)
    compared: set[str] = field(default_factory=set)
    unreadable: dict[str, TranscriptSkip] = field(default_factory=dict)

    def list(self, *, archives: bool) -> None:
        """Look at the folder. Blocking."""
        try:
            root = self._open_root()
        except (FileNotFoundError, NotADirectoryError):
            self.found = missing()
        except OSError:
            self.found = unreadable()
        else:
            try:
                self.found = list_transcripts(root, archives=archives)
                if self.folder.format == "openclaw":
                    self.indexes.refresh(root, self.found.indexes)
            finally:
                os.close(root)
        reading = self.folder.reading
        self.due = [file for file in self.found.files if self._is_due(file, reading)]

    def open(self, file: FoundFile) -> OpenTranscript | None:
        """Open a file; None when it is none any more. Blocking. Raises OSError."""
        root = self._open_root()
        try:
            return open_transcript(root, file.path)
        finally:
            os.close(root)

    def manner(self, file: FoundFile) -> Manner:
        """How a file's records are read. Who talks to Claude Code sits at this machine."""
        kind = SessionKind.UNKNOWN if file.name.is_archive else SessionKind.INTERACTIVE
        is_direct = self.folder.format == "claude-code"
        return Manner(
            name=self.folder.reading,
            agent=self.folder.agent,
            read_record=_READERS[self.folder.format],
            rules=self.folder.rules,
            session=file.name.session,
            facts=self._facts(file),
            implied=SessionFacts(kind, ChatType.DIRECT if is_direct else ChatType.UNKNOWN),
        )

    def state(self) -> FolderState:
        """What there is to tell."""
        rows = self.rows.values()
        left_out = {row.path: TranscriptSkip(row.left_out) for row in rows if row.left_out}
        unattributed = sum(row.unattributed for row in rows)
        return FolderState(
            agent=self.folder.agent,
            format=self.folder.format,
            files=len(self.found.files),
            pending=len(self.due),
            messages=sum(row.messages for row in rows),
            unattributed=unattributed,
            broken=sum(row.broken for row in rows),
            too_long=sum(row.too_long for row in rows),
            skipped=tuple(sorted((self.found.skipped | left_out | self.unreadable).items())),
            warning=_UNATTRIBUTED if unattributed and not self.folder.rules.local_user else None,
        )

    def _open_root(self) -> int:
        real = os.path.realpath(self.folder.path.expanduser())
        return os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def _is_due(self, file: FoundFile, reading: str) -> bool:
        row = self.rows.get(file.path)
        if row is None or row.fresh or row.stamp != file.stamp:
            return True
        return row.reading != reading or row.facts != self._facts(file)

    def _facts(self, file: FoundFile) -> str | None:
        """What an index says of a file's session. What it said once holds when it forgets the session."""
        said = self.indexes.facts(file)
        if said is not None:
            return msgspec.json.encode(said).decode()
        row = self.rows.get(file.path)
        return None if row is None else row.facts
