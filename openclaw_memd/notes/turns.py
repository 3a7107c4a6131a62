"""What the writing of notes asks of the sessions: is this turn tainted, and what was said since a flush."""

from dataclasses import dataclass
from typing import Protocol

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin, is_trusted, join


@dataclass(frozen=True, slots=True)
class Cycle:
    """What a flush is made from: everything that a session heard since its previous flush.

    ``origin`` is the worst of its turns, the owner's where nothing was heard. ``clean_texts`` are its
    messages of trusted origin. ``through`` is the number of the last message that it takes up.
    """

    origin: Origin = Origin.OWNER
    clean_texts: tuple[str, ...] = ()
    through: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing of outside is in it."""
        return is_trusted(self.origin)

    @property
    def chars(self) -> int:
        """How much text it holds."""
        return sum(map(len, self.clean_texts))

    def followed_by(self, later: "Cycle") -> "Cycle":
        """Both as one."""
        return Cycle(
            join(self.origin, later.origin),
            (*self.clean_texts, *later.clean_texts),
            max(self.through, later.through),
        )


class Turns(Protocol):
    """The sessions of one workspace, as far as writing notes depends on them."""

    def is_tainted(self, caller: Caller | None) -> bool:
        """Whether the session of ``caller`` saw network content since its last user message."""
        ...

    async def cycle(self, agent: str, session_id: str) -> Cycle:
        """What the session heard since its previous flush; of an unknown session, nothing."""
        ...

    async def flushed(self, agent: str, session_id: str, through: int) -> None:
        """A flush took up the messages up to the number ``through``: the next cycle begins."""
        ...
