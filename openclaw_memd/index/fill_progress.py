"""How far embedding is, as ``status`` shows it."""

from dataclasses import dataclass
from enum import StrEnum


class FillState(StrEnum):
    """What the filler does."""

    IDLE = "idle"  # nothing is left to do
    FILLING = "filling"
    WAITING = "waiting"  # something failed and is tried again soon
    PAUSED = "paused"  # the embedder failed in a way that trying again does not mend
    OFF = "off"  # there is no embedder


@dataclass(frozen=True, slots=True)
class FillProgress:
    """``done`` of ``total`` live texts have a vector of the model in use; ``given_up`` more can get none.

    A search is whole when these are all. Beyond that, the lines of ``lines_done`` of ``lines_total`` texts
    have vectors, which only makes passages better. ``reason`` says in a sentence why the state is off,
    waiting or paused.
    """

    state: FillState
    done: int
    total: int
    given_up: int
    reason: str | None
    lines_done: int
    lines_total: int
