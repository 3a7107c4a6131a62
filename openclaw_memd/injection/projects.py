"""Which projects a session works in."""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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


@dataclass(slots=True, eq=False)
class _Look:
    """A look at a folder that goes on; calls wait for it ``until_at``, in trio's time."""

    until_at: float
    has_begun: bool = False
    ended: trio.Event = field(default_factory=trio.Event)


class ProjectScopes:
    """The projects of sessions, in memory only: a restart forgets them, and the next call tells again."""

    def __init__(self, repositories: GitRepositories | None = None) -> None:
        self._repositories = repositories or GitRepositories()
        self._active = ActiveProjects()
        self._keys: OrderedDict[str, str | None] = OrderedDict()
        self._looks: dict[str, _Look] = {}
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
        look = self._looks.get(folder)
        if look is not None:  # one that hangs is not asked twice
            with trio.move_on_at(look.until_at):
                await look.ended.wait()
            return self._keys.get(folder)
        look = self._looks[folder] = _Look(trio.current_time() + LOOK_S)
        try:
            with trio.move_on_at(look.until_at):
                work = partial(self._look, folder, look)
                await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        finally:
            if not look.has_begun:  # as many as may hang do
                self._end(folder, look, ())
        return self._keys.get(folder)

    def _look(self, folder: str, look: _Look) -> None:
        """Look, in a thread. What comes too late for one call is there for the next."""
        look.has_begun = True
        found: list[str | None] = []
        try:
            found.append(self._repositories.project_key(folder))
        finally:
            with suppress(trio.RunFinishedError):
                trio.from_thread.run_sync(self._end, folder, look, found)

    def _end(self, folder: str, look: _Look, found: Sequence[str | None]) -> None:
        if self._looks.get(folder) is look:
            del self._looks[folder]
        look.ended.set()
        for key in found:
            self._keys.pop(folder, None)
            self._keys[folder] = key if key is None else tidy_project_key(key)
            while len(self._keys) > MOST_ROOTS:
                self._keys.popitem(last=False)
