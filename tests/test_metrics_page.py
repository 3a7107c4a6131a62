"""docs/metrics.md against what there is, and the page of a real daemon."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.gateway.metric_kinds import KINDS
from tests.daemon.clients import PATIENT, page
from tests.daemons import DaemonError, RunningDaemon, short_folder
from tests.gateway.exposition import parse

DOCS = Path(__file__).parents[1] / "docs/metrics.md"
ROW = re.compile(r"\| `(\w+)` \| (\w+) \| (.*?) ?\| (.+) \|")
SECRET = "zebra-quince"


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123. <!-- trigger: gateway -->\n")
        running.write(f"memory/{SECRET}.md", f"- {SECRET}\n")
        running.write("memory/2026-01-11.md", "x" * 20_000_000)
        running.settle()
        running.wait_until(lambda: running.agent()["watch"]["mode"] == "events")
        yield running


def test_every_metric_is_documented_with_its_type_and_labels() -> None:
    rows = [row.groups() for row in ROW.finditer(DOCS.read_text(encoding="utf-8"))]
    told = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels, _ in rows}
    assert told == {name: (kind.type, kind.labels) for name, kind in KINDS.items()}
    assert len(rows) == len(told)


def test_the_page_is_valid_and_tells_what_happened_and_no_text(daemon: RunningDaemon) -> None:
    daemon.call("recall.search", query=f"{SECRET} gateway")
    daemon.call("recall.deep", text=f"what did we say about {SECRET} last week?")
    context = {"agent": "main", "session_kind": "interactive", "sender": {"is_owner": True, "id": SECRET}}
    daemon.call("inject.turn", text=f"the gateway {SECRET}", turn_id=SECRET, context=context)
    for method in (SECRET, "recall.get"):
        with pytest.raises(DaemonError):
            daemon.call(method)

    text = page(daemon, "/metrics").text
    families = parse(text)
    assert SECRET not in text
    assert str(daemon.workspace) not in text
    assert {name: one.type for name, one in families.items()}.items() <= {
        name: kind.type for name, kind in KINDS.items()
    }.items()
    for sample in (
        'memd_calls_total{method="recall.get",outcome="invalid_params"} 1',
        'memd_requests_refused_total{kind="method_not_found"} 1',
        'memd_state{state="ok"} 1',
        'memd_files{agent="main"} 2',
        'memd_skipped{agent="main",reason="too_large"} 1',
        'memd_watch{agent="main",mode="events"} 1',
        "memd_healthy 1",
    ):
        assert sample in text.splitlines()
    assert families["memd_searches_total"].samples
    assert families["memd_deep_recalls_total"].samples
    assert families["memd_escalations_total"].samples
    assert families["process_resident_memory_bytes"].samples
