"""Which projects a session works in."""

from collections import OrderedDict
from contextlib import suppress
from functools import partial
from typing import Final

import trio

from openclaw_memd.domain.active_projects import ActiveProjects
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.project_keys import tidy_project_key
from openclaw_memd.files.git_repository import MOST_ROOTS, GitRepositories

LOOK_S: Final = 0.05
"""How long a call waits to hear which project a folder belongs to; reading it takes less than 1 ms."""

_MOST_LOOKS: Final = 4


class ProjectScopes:
    """The projects of sessions, in memory only: a restart forgets them, and the next call tells again."""

    def __init__(self, repositories: GitRepositories | None = None) -> None:
        self._repositories = repositories or GitRepositories()
        self._active = ActiveProjects()
        self._keys: OrderedDict[str, str | None] = OrderedDict()
        self._looking: set[str] = set()
        self._limiter = trio.CapacityLimiter(_MOST_LOOKS)

    async def active(self, caller: Caller | None) -> tuple[str, ...]:
        """The projects of the caller's session, most recent first: that of this call, and up to three before.

        A call without a session has its own alone.
        """
        if caller is None:
            return ()
        key = await self.current(caller)
        if caller.session_id is None:
            return () if key is None else (key,)
        return self._active.touch(caller.agent, caller.session_id, key)

    async def current(self, caller: Caller | None) -> str | None:
        """The project that this call is made in: what its host says, else that of its folder.

        None when neither tells. A folder that does not answer in time has the key that it had before.
        """
        if caller is None:
            return None
        if caller.project_key is not None and (key := tidy_project_key(caller.project_key)) is not None:
            return key
        return None if caller.project_root is None else await self._key_of(caller.project_root)

    async def _key_of(self, folder: str) -> str | None:
        if folder not in self._looking:  # one that hangs is not asked twice
            with trio.move_on_after(LOOK_S):
                look = partial(self._look, folder)
                await trio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=self._limiter)
        return self._keys.get(folder)

    def _look(self, folder: str) -> None:
        """Look, in a thread. What comes too late for one call is there for the next."""
        self._looking.add(folder)
        try:
            key = self._repositories.project_key(folder)
            with suppress(trio.RunFinishedError):
                trio.from_thread.run_sync(self._note, folder, key)
        finally:
            self._looking.discard(folder)

    def _note(self, folder: str, key: str | None) -> None:
        self._keys.pop(folder, None)
        self._keys[folder] = key if key is None else tidy_project_key(key)
        while len(self._keys) > MOST_ROOTS:
            self._keys.popitem(last=False)
