"""Which part of the ledger is meant."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.session_rows import SessionKey


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to go of what was recorded between ``since`` (None: ever) and ``until``.

    ``sessions`` are what these sessions wrote; ``paths`` whole files; ``is_everything`` stands for all that
    any call wrote or reported. Files in ``failed`` could not be changed: what is known of them stays.
    """

    sessions: frozenset[SessionKey]
    paths: frozenset[str]
    is_everything: bool
    since: datetime | None
    until: datetime
    failed: frozenset[str] = frozenset()

    @property
    def first(self) -> str:
        """The least stamp."""
        return "" if self.since is None else to_stamp(self.since)

    @property
    def last(self) -> str:
        """The greatest stamp."""
        return to_stamp(self.until)


def path_array(values: Collection[str]) -> Any:
    """Paths to be bound; none are as one that no file has."""
    return apsw.carray(tuple(values) or ("",))
