"""What the doctor looks at: one agent's memory in a daemon that runs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from openclaw_memd.config.schema import Config
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.earlier_state import EarlierState
from openclaw_memd.index.fill_progress import FillProgress
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.store import Store
from openclaw_memd.injection.given_files import CuratedFigures
from openclaw_memd.ports import ChatModelStatus, Clock, Embedder
from openclaw_memd.zones import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """The parts of it, and what they can be asked.

    ``is_read_only``: memory/.dreams in the workspace could not be written at the start, so that no lock is
    there. ``turn`` is held by all who write to the workspace, ``rebuild_turn`` while an index is built.
    ``mend`` checks and repairs the index; ``differences`` are names of what it was made with otherwise.
    ``figures`` tells what sessions are given of the curated files. ``drift_s`` is how far the clock ran
    ahead of the time that passed, in seconds. ``earlier`` is the state that the workspace had before it was
    moved. ``advice`` are sentences on the configuration.
    """

    agent: str
    config: Config
    env: Mapping[str, str]
    workspace: Path
    state_folder: Path
    socket: Path | None
    earlier: EarlierState | None
    pid: int
    is_read_only: bool
    state: Store
    vectors: Store
    indexer: Indexer
    curated: CuratedWriter
    core: CuratedCore
    signals: SignalStore
    embedder: Embedder
    clock: Clock
    zone: Zone
    turn: trio.Lock
    rebuild_turn: trio.Lock
    figures: Callable[[], Awaitable[Sequence[CuratedFigures]]]
    chat: Callable[[], ChatModelStatus]
    watch_warning: Callable[[], str | None]
    waiting: Callable[[], int]
    filling: Callable[[], FillProgress]
    failures: Callable[[], Mapping[str, UnavailableError]]
    differences: Callable[[], Awaitable[tuple[str, ...]]]
    mend: Callable[[], Awaitable[object]]
    drift_s: Callable[[], float]
    advice: Sequence[str] = ()
