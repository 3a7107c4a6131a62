"""Which projects each session works in, as far as its calls have told. In memory only; no I/O."""

from collections import OrderedDict
from typing import Final

MOST_PROJECTS: Final = 4  # this and the next are OpenClaw's values
MOST_SESSIONS: Final = 64


class ActiveProjects:
    """The last projects of the last sessions. A session is known by its agent and id."""

    def __init__(self) -> None:
        self._keys: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def touch(self, agent: str, session_id: str, key: str | None) -> tuple[str, ...]:
        """The session's projects, most recent first, with ``key`` as the newest; None changes nothing."""
        session = (agent, session_id)
        keys = self._keys.pop(session, ())
        if key is not None:
            keys = (key, *(other for other in keys if other != key))[:MOST_PROJECTS]
        if keys:
            self._keys[session] = keys
            if len(self._keys) > MOST_SESSIONS:
                self._keys.popitem(last=False)
        return keys
