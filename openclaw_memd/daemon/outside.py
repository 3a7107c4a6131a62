"""What a workspace is given: everything that is not its own."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_memd.events import Events
from openclaw_memd.jobs import Jobs
from openclaw_memd.ports import Clock, Embedder, Rng


@dataclass(frozen=True, slots=True)
class Outside:
    """What all workspaces of a daemon share. ``archives`` is the folder of backups."""

    clock: Clock
    rng: Rng
    embedder: Embedder
    jobs: Jobs
    events: Events
    archives: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
