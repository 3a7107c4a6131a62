"""Naming what a call leaves: what is not memd's to change, or is not known to belong to it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import trio

from openclaw_memd.files.names import IMPORTS, WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.forgotten_sessions import transcripts_of
from openclaw_memd.index.ledger.imports import imported_among
from openclaw_memd.index.store import Store
from openclaw_memd.ops.kept import Kept
from openclaw_memd.ops.work import Work
from openclaw_memd.sessions.paths import PartName, format_path
from openclaw_memd.sessions.service import Sessions

_TRANSCRIPT: Final = "a transcript that somebody else writes; nothing of it is taken in again"
_KIN: Final = "it descends from a forgotten session; name it to forget it"
_SOURCE: Final = "what it was imported from is not changed, and a new import would bring it again"
_REPLACED: Final = f"{_SOURCE}; what the import replaced lies in the data folder"
_GIT: Final = Kept(".git", "git may still hold earlier versions of the files")
_BACKUPS: Final = Kept("backups", "archives that were made before hold what was there then")


class Remains:
    """Names it for one workspace. ``backups`` is the folder of archives."""

    def __init__(self, state: Store, sessions: Sessions, roots: Roots, backups: Path | None) -> None:
        self._state = state
        self._sessions = sessions
        self._roots = roots
        self._backups = backups

    async def name(self, work: Work) -> tuple[Kept, ...]:
        """Everything that stays, each once."""
        forgetting = self._sessions.forgetting
        from_folders = forgetting.from_folders(work.said.keys)
        transcripts = await self._state.read(partial(transcripts_of, keys=from_folders))
        found = [
            *work.files.kept,
            *work.kept,
            *(Kept(path, _TRANSCRIPT) for path in transcripts),
            *(Kept(format_path(PartName(key, 1)), _KIN) for key in forgetting.kin(work.scope.sessions)),
            *await trio.to_thread.run_sync(lambda: list(self._copies(work))),
            *await self._imported(work),
        ]
        return tuple(dict.fromkeys(found))

    async def _imported(self, work: Work) -> list[Kept]:
        if not any(path.startswith(IMPORTS) for path in work.files.going):
            return []
        found = await self._state.read(partial(imported_among, paths=work.files.going))
        return [Kept(path, _REPLACED if replaced else _SOURCE) for path, replaced in found.items()]

    def _copies(self, work: Work) -> Iterator[Kept]:
        place = self._roots.place(WORKSPACE)
        if work.files.going and any((folder / ".git").exists() for folder in (place, *place.parents)):
            yield _GIT
        touched = work.files.going or work.said.keys
        if touched and self._backups is not None and self._backups.is_dir():
            yield from (_BACKUPS for _ in list(self._backups.glob("*.tar.gz"))[:1])
