"""The names, types and defaults that clients rely on. They may be added to; what is here may not change."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway import forgetting, notes, results, schemas, sessions, trusting
from openclaw_memd.gateway.methods import METHODS, describe_all
from openclaw_memd.gateway.rights import Right
from openclaw_memd.gateway.table import Pace

RIGHTS: dict[str, tuple[Right, Pace]] = {
    "rpc.discover": ("R", "read"),
    "status": ("R", "read"),
    "index.sync": ("R", "sync"),
    "index.rebuild": ("A", "job"),
    "job.list": ("A", "read"),
    "job.cancel": ("A", "write"),
    "recall.search": ("R", "read"),
    "recall.get": ("R", "read"),
    "note.append": ("N", "write"),
    "note.observe": ("N", "write"),
    "flush.plan": ("N", "write"),
    "flush.append": ("N", "write"),
    "session.append": ("N", "write"),
    "session.list": ("A", "read"),
    "session.end": ("N", "write"),
    "memory.trust": ("A", "write"),
    "forget": ("A", "job"),
}
REQUIRED = object()
PARAMS: dict[str, dict[str, object]] = {
    "rpc.discover": {},
    "status": {"deep": False},
    "index.sync": {"force": False, "wait": True},
    "index.rebuild": {"wait": False},
    "job.list": {"limit": 200, "after": None},
    "job.cancel": {"id": REQUIRED},
    "recall.search": {
        "query": REQUIRED,
        "corpus": "memory",
        "max_results": None,  # [search] max_results
        "min_score": None,  # [search] min_score
        "after": None,
        "before": None,
        "explain": False,
    },
    "recall.get": {"path": REQUIRED, "from": 1, "lines": 120, "max_chars": 12_000},
    "note.append": {"text": None, "slug": None, "entries": None, "request_key": None},
    "note.observe": {"path": REQUIRED, "before_hash": REQUIRED, "after_hash": REQUIRED},
    "flush.plan": {
        "projected_tokens": REQUIRED,
        "context_window": None,
        "reserve_tokens": None,
        "transcript_bytes": None,
        "cycle_id": REQUIRED,
        "sandbox": None,
        "self_compacting": False,
    },
    "flush.append": {"text": None, "entries": None, "cycle_id": REQUIRED, "request_key": None},
    "session.append": {"messages": REQUIRED, "request_key": None},
    "session.list": {},
    "session.end": {"reason": "end", "capture": None, "request_key": None},
    "memory.trust": {
        "path": REQUIRED,
        "start_line": None,
        "end_line": None,
        "hash": None,
        "origin": REQUIRED,
    },
    "forget": {
        "session_ids": (),
        "paths": (),
        "query": None,
        "participant": None,
        "since": None,
        "dry_run": True,
    },
}
SHAPES: dict[type[msgspec.Struct], str] = {
    schemas.Context: "agent session_id parent_session_id session_kind chat_type channel sender tainted "
    "project_root project_key",
    schemas.Channel: "provider account conversation_id",
    schemas.Sender: "id is_owner",
    results.StatusReport: "version pid uptime_s state socket agents jobs warnings",
    results.AgentReport: "agent workspace files chunks vectors pending freshness sources skipped excluded "
    "watch embedding model curated spool dreaming intents storage",
    results.SourceCount: "source files chunks",
    results.SkippedFile: "path reason",
    results.Excluded: "what count reason",
    results.WatchReport: "mode last_scan_at restarts",
    results.EmbeddingReport: "provider model dims state reason",
    results.ModelReport: "provider state",
    results.CuratedReport: "file chars budget injected_chars left_out writer",
    results.SpoolReport: "items",
    results.DreamingReport: "mode last_run_at last_outcome next_run_at zone short_term promoted",
    results.IntentsReport: "pending armed fired",
    results.StorageReport: "index_bytes state_bytes vectors_bytes",
    results.JobReport: "id kind state done total result",
    results.SyncReport: "generation added changed removed unchanged skipped took_ms",
    results.JobStarted: "job_id",
    results.JobList: "jobs",
    results.JobCancelled: "cancelled",
    results.Hit: "path start_line end_line text score vector_score text_score exact weak tier source origin "
    "session_kind observed_at importance triggers projects supersedes_key citation why",
    results.SearchResult: "hits context mode freshness pending empty_reason best_below degraded took_ms",
    notes.EntryParams: "text importance triggers supersedes_key project",
    notes.Appended: "path start_line end_line origin hash appended spooled",
    notes.Observed: "origin",
    notes.FlushPlan: "due reason path system_prompt prompt model silent_token append_only",
    sessions.MessageParams: "id role text at sender kind tool",
    sessions.ToolParams: "name network",
    sessions.SessionAppended: "accepted skipped tainted",
    sessions.SkippedMessage: "id reason",
    sessions.CaptureParams: "messages slug",
    sessions.SessionEnded: "ingested note_path follow_ups",
    sessions.SessionList: "sessions",
    sessions.SessionReport: "session_id agent kind messages last_at excluded",
    trusting.Trusted: "changed",
    forgetting.ForgetResult: "dry_run receipt kept",
    forgetting.KeptPlace: "where why",
    results.GetResult: "status path text from lines total_lines truncated next_from origin notice context",
}
MAY_BE_ABSENT = {
    notes.FlushPlan: {"model"},
    sessions.SessionEnded: {"note_path"},
    sessions.SessionReport: {"excluded"},
    results.EmbeddingReport: {"reason"},
    results.JobReport: {"result"},
    results.Hit: {"why"},
    results.SearchResult: {"empty_reason", "best_below", "degraded"},
    results.GetResult: {"next_from", "notice"},
}
CODES = {
    "invalid_params": -32602,
    "internal": -32603,
    "not_found": -32001,
    "conflict": -32002,
    "denied": -32003,
    "unavailable": -32004,
    "too_large": -32005,
    "overloaded": -32006,
    "deadline": -32007,
}


def defaults(shape: type[msgspec.Struct]) -> dict[str, object]:
    return {
        field.encode_name: REQUIRED if field.required else field.default
        for field in fields(shape)
        if field.encode_name not in {"context", "deadline_ms", "agent"}
    }


def test_each_method_has_its_right_and_deadline() -> None:
    assert {method.name: (method.right, method.pace) for method in METHODS} == RIGHTS


@pytest.mark.parametrize("name", PARAMS)
def test_each_method_has_its_params(name: str) -> None:
    (method,) = (method for method in METHODS if method.name == name)
    assert defaults(method.params).items() >= PARAMS[name].items()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_each_shape_has_its_fields(shape: type[msgspec.Struct]) -> None:
    names = {field.encode_name: field.required for field in fields(shape)}
    promised = set(SHAPES[shape].split())
    assert promised <= names.keys()
    if issubclass(shape, results.Result):
        always = promised - MAY_BE_ABSENT.get(shape, set())
        assert all(names[name] for name in always)


def test_every_error_has_its_code() -> None:
    errors: dict[str, Any] = describe_all()["components"]["errors"]
    assert {kind: error["code"] for kind, error in errors.items()} == CODES


def test_the_limits_have_their_defaults() -> None:
    assert msgspec.structs.asdict(Limits()) == {
        "connections": 64,
        "header_bytes": 8192,
        "body_bytes": 1_048_576,
        "read_s": 5,
        "in_flight": 32,
        "queue": 64,
        "batch": 32,
        "depth": 32,
        "query_bytes": 4096,
        "note_bytes": 65_536,
        "file_bytes": 4_194_304,
        "files": 50_000,
        "result_bytes": 262_144,
        "read_ms": 2000,
        "write_ms": 5000,
        "sync_ms": 10_000,
    }
