"""What few daemons ever need is read in when it is first asked for, and takes no memory before."""

import re

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

SELDOM = (
    "deep.recall",
    "domain.grounding",
    "dreaming.backfill",
    "dreaming.old_sources",
    "files.foreign",
    "files.import_asides",
    "files.imported",
    "files.legacy",
    "index.foreign",
    "index.snapshots",
    "ops.backup.creating",
    "ops.backup.restoring",
    "ops.backup.schedule",
    "ops.doctor",
    "ops.forgetting",
    "ops.imports",
    "ops.service",
)


def loaded(daemon: RunningDaemon) -> set[str]:
    """The modules of memd that the daemon has read in so far."""
    lines = daemon.log.read_text(encoding="utf-8", errors="replace")
    return set(re.findall(r"^import time:.*\| +openclaw_memd\.([\w.]+)$", lines, re.MULTILINE))


@pytest.mark.slow
def test_a_daemon_reads_in_what_is_seldom_used_when_it_is_used() -> None:
    env = {**PATIENT, "PYTHONPROFILEIMPORTTIME": "1"}
    with short_folder() as folder, RunningDaemon(folder, env=env) as daemon:
        daemon.write("memory/2026-01-11.md", "- Repaired the bicycle.\n")
        daemon.settle()
        assert daemon.search_paths("bicycle") == ["memory/2026-01-11.md"]
        daemon.call("status")
        found = loaded(daemon)
        assert "daemon.workspace" in found
        assert [name for name in SELDOM if any(one.startswith(name) for one in found)] == []

        daemon.call("doctor.check")
        daemon.call("import.preview", source="codex")
        daemon.call("backup.create")
        daemon.call("forget", query="bicycle")
        daemon.call("dream.backfill", source="notes")
        found = loaded(daemon)
        assert {"ops.doctor.doctor", "ops.imports.service", "ops.backup.creating"} <= found
        assert {"ops.forgetting", "dreaming.backfill"} <= found
