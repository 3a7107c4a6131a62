"""What a curated file is to become, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Author:
    """For whom a curated file is rewritten; both are None for the operator."""

    agent: str | None = None
    session_id: str | None = None

    @classmethod
    def of(cls, caller: Caller | None) -> Self:
        """The facts of a call."""
        return cls() if caller is None else cls(caller.agent, caller.session_id)


@dataclass(frozen=True, slots=True)
class Revision:
    """The whole new text of a file, with ``\\n`` line ends and no byte order mark.

    ``added`` are the lines that are new in it, without their ends, and who is behind each; lines of the new
    text that are in neither the old one nor here count as handwritten.
    """

    text: str
    added: tuple[tuple[str, Provenance], ...] = ()


Plan = Callable[[str | None], Revision | None]
"""From the present text (None: there is no file) to what it is to become; None: it stays as it is. Pure, and
asked again when the file was changed meanwhile."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The bytes of a version, and who is behind which of its lines."""

    after: bytes
    added: tuple[tuple[str, Provenance], ...] = ()


Drafting = Callable[[bytes | None], Draft | None]
"""From the bytes of a file to those that it is to have; None: it stays as it is."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of a file.

    ``hash`` is SHA-256 of its bytes in hex, of no bytes when there is no file. ``preimage_id`` names what it
    was before; None when nothing changed.
    """

    file: str
    hash: str
    preimage_id: int | None
    changed: bool
