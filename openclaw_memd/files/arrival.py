"""What a start finds: a first run, a known workspace, a clone, a copy, a move, or a lost state. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from openclaw_memd.files.identity import Identity


@dataclass(frozen=True, slots=True)
class Marker:
    """What a workspace carries inside: the id that its state has, and the host that gave it."""

    id: str
    host: str


@dataclass(frozen=True, slots=True)
class FirstRun:
    """No marker and no state: nothing was here before."""


@dataclass(frozen=True, slots=True)
class Known:
    """The workspace has a state, under ``id``."""

    id: str


@dataclass(frozen=True, slots=True)
class Clone:
    """The marker comes from another host, or from a workspace that is still where it was: a copy of it."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The state of ``previous_id`` belongs to this workspace, which lay elsewhere. Whether to take it over
    is the owner's choice; the marker stays as it is until then.
    """

    previous_id: str


@dataclass(frozen=True, slots=True)
class LostState:
    """This host marked the workspace once, and the state is gone: what it knew of origins is lost."""


Arrival = FirstRun | Known | Clone | Moved | LostState


def loses_origins(arrival: Arrival) -> bool:
    """Whether a state that begins now begins in a workspace that had one: what that one knew is not here."""
    match arrival:
        case LostState() | Moved():
            return True
        case FirstRun() | Known() | Clone():
            return False


def judge_arrival(
    own: Identity,
    marker: Marker | None,
    host: str,
    recorded: Callable[[str], Identity | None],
    is_there: Callable[[Identity], bool],
) -> Arrival:
    """Decide from the workspace's ``marker`` and from the states on this ``host``.

    ``recorded`` gives the workspace that the state of an id was made for, None without such a state;
    ``is_there`` tells whether that workspace is still in its place.
    """
    before = recorded(marker.id) if marker is not None and marker.host == host else None
    if marker is not None and before is not None:
        if (
            before.path == own.path
        ):  # also after a restore, or when the device has a new number since a reboot
            return Known(marker.id)
        if not is_there(before):
            return Moved(marker.id)
    if recorded(own.id) is not None:
        return Known(own.id)
    if marker is None:
        return FirstRun()
    return LostState() if marker.host == host and before is None else Clone()
