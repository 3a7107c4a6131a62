"""Forgetting in one workspace, wired when it is first asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from openclaw_memd.zones import Zone

if TYPE_CHECKING:
    from openclaw_memd.daemon.outside import Outside
    from openclaw_memd.daemon.workspace import WorkspaceMemory
    from openclaw_memd.ops.forgetting import Forgetting


def open_forgetting(
    memory: "WorkspaceMemory", outside: "Outside", zone: Zone, on_forgotten: Callable[[], None]
) -> "Forgetting":
    """Forgetting over all that ``memory`` keeps; ``on_forgotten`` drops what is remembered of texts."""
    from openclaw_memd.dreaming.page_forgetting import PageForgetting
    from openclaw_memd.ops.forgetting import Forgetting

    return Forgetting(
        state=memory.state,
        indexer=memory.indexer,
        vectors=memory.vectors.database,
        rebuild_turn=memory.rebuild_turn,
        notes=memory.write_path.notes,
        curated=memory.write_path.curated,
        core=memory.lanes.injecting.core,
        sessions=memory.write_path.sessions,
        signals=memory.lanes.signalling.store,
        pages=PageForgetting(memory.dreaming.pages, memory.dreaming.dreams.runs),
        intents=memory.lanes.turning.forgetting(memory.analyzer),
        roots=memory.roots,
        analyzer=memory.analyzer,
        clock=outside.clock,
        zone=zone,
        backups=outside.archives,
        on_forgotten=on_forgotten,
    )
