"""Imports into one workspace, wired at the first call: most daemons never see one."""

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from openclaw_memd.config import paths
from openclaw_memd.config.schema import Config
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.workspace import Workspace
from openclaw_memd.index.store import Store
from openclaw_memd.ops.imports.service import Imports
from openclaw_memd.ports import Clock


def open_imports(
    workspace: Workspace,
    config: Config,
    env: Mapping[str, str],
    *,
    scratch: Path,
    state: Store,
    roots: Roots,
    rules: FileRules,
    clock: Clock,
    sync: Callable[[], Awaitable[object]],
) -> Imports:
    """The imports into ``workspace``; what they replace goes to the data folder, copies to ``scratch``."""
    folders = (paths.expand(folder.path, env) for folder in config.sessions.folders)
    return Imports(
        state=state,
        roots=roots,
        rules=rules,
        clock=clock,
        env=env,
        backups=paths.data_dir(env, config.paths.data_dir or None) / "imports" / workspace.id,
        scratch=scratch,
        session_folders=frozenset(Path(os.path.realpath(folder)) for folder in folders),
        sync=sync,
    )
