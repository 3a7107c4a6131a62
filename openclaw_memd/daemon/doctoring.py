"""The doctor of one agent in a daemon. Loaded when it is first asked for."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.files.workspace import READ_ONLY_WARNING
from openclaw_memd.ops.doctor.doctor import Doctor
from openclaw_memd.ops.doctor.patient import Patient
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.zones import Zone

FIGURES_S: Final = 10.0
"""How long is waited for what sessions are given of long files."""


def open_doctor(
    agent_id: str,
    one: AgentMemory,
    *,
    embedder: Embedder,
    clock: Clock,
    drift_s: Callable[[], float],
    socket: str,
    advice: Sequence[str],
) -> Doctor:
    """The doctor of an agent; ``advice`` are sentences on the configuration."""
    memory = one.memory
    write_path = memory.write_path
    return Doctor(
        Patient(
            agent=agent_id,
            config=memory.config,
            env=os.environ,
            workspace=memory.workspace.path,
            state_folder=memory.workspace.state,
            socket=Path(socket),
            earlier=memory.workspace.earlier,
            pid=os.getpid(),
            is_read_only=READ_ONLY_WARNING in memory.workspace.warnings,
            state=memory.state,
            vectors=memory.vectors.database,
            indexer=memory.indexer,
            curated=write_path.curated,
            core=memory.lanes.injecting.core,
            signals=memory.lanes.signalling.store,
            embedder=embedder,
            clock=clock,
            zone=Zone(memory.config.time.zone),
            turn=write_path.notes.turn,
            rebuild_turn=memory.rebuild_turn,
            figures=partial(one.bootstrap.figures, FIGURES_S),
            chat=one.chat_model.status,
            watch_warning=lambda: memory.watcher.state.warning,
            waiting=lambda: write_path.notes.waiting,
            filling=memory.vectors.filler.progress,
            failures=lambda: memory.databases.write_failures,
            differences=memory.differences,
            mend=memory.check,
            drift_s=drift_s,
            advice=advice,
        )
    )
