"""The names, types and defaults that clients rely on. They may be added to; what is here may not change."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway import (
    bootstrap,
    curated,
    deep,
    doctor,
    dream_results,
    forgetting,
    history,
    intent_shapes,
    notes,
    results,
    reviewing,
    schemas,
    sessions,
    status_results,
    trusting,
    turn,
)
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
    "recall.deep": ("R", "deep"),
    "note.append": ("N", "write"),
    "note.observe": ("N", "write"),
    "flush.plan": ("N", "write"),
    "flush.append": ("N", "write"),
    "session.append": ("N", "write"),
    "session.list": ("A", "read"),
    "session.end": ("N", "write"),
    "intent.create": ("O", "write"),
    "intent.list": ("A", "read"),
    "intent.get": ("O", "read"),
    "intent.cancel": ("A", "write"),
    "intent.done": ("O", "write"),
    "intent.match": ("R", "read"),
    "intent.due": ("R", "read"),
    "intent.confirm": ("R", "write"),
    "intent.release": ("R", "write"),
    "inject.turn": ("R", "turn"),
    "memory.trust": ("A", "write"),
    "memory.remember": ("O", "write"),
    "memory.lint": ("R", "read"),
    "tools.describe": ("R", "read"),
    "model.attach": ("N", "read"),
    "model.detach": ("N", "read"),
    "events.subscribe": ("R", "read"),
    "memory.history": ("A", "read"),
    "memory.diff": ("A", "read"),
    "memory.undo": ("A", "write"),
    "inject.bootstrap": ("R", "read"),
    "forget": ("A", "job"),
    "doctor.check": ("R", "job"),
    "doctor.fix": ("A", "job"),
    "backup.create": ("A", "job"),
    "import.preview": ("A", "job"),
    "import.apply": ("A", "job"),
    "import.undo": ("A", "job"),
    "dream.run": ("A", "job"),
    "dream.status": ("R", "read"),
    "dream.report": ("A", "read"),
    "dream.candidates": ("A", "read"),
    "dream.explain": ("A", "read"),
    "dream.diary": ("A", "read"),
    "dream.review": ("A", "read"),
    "dream.accept": ("O", "write"),
    "dream.edit": ("O", "write"),
    "dream.reject": ("O", "write"),
    "dream.undo": ("A", "write"),
    "dream.backfill": ("A", "job"),
    "dream.rollback": ("A", "job"),
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
    "recall.deep": {"text": REQUIRED, "recent": (), "query_mode": "recent", "timeout_ms": None},
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
    "session.end": {"reason": "end", "capture": None, "follow_ups": (), "request_key": None},
    "intent.create": {
        "description": REQUIRED,
        "keywords": (),
        "scope": "conversation",
        "sender_scope": "sender",
        "semantic": False,
        "expires_at": None,
        "max_fires": None,  # [intents] max_fires
        "cooldown_s": None,  # [intents] cooldown_s
        "at": None,
        "cron": None,
        "zone": None,
    },
    "intent.list": {"status": None},
    "intent.get": {"id": REQUIRED},
    "intent.cancel": {"id": REQUIRED},
    "intent.done": {"id": REQUIRED},
    "intent.match": {"text": REQUIRED},
    "intent.due": {},
    "intent.confirm": {"tokens": REQUIRED},
    "intent.release": {"tokens": REQUIRED},
    "memory.history": {"file": None, "limit": 200, "after": None},
    "memory.diff": {"id": REQUIRED},
    "tools.describe": {"format": "openai"},
    "model.attach": {"models": (), "max_parallel": 4},
    "model.detach": {},
    "events.subscribe": {"topics": REQUIRED},
    "memory.undo": {"id": REQUIRED},
    "memory.trust": {
        "path": REQUIRED,
        "start_line": None,
        "end_line": None,
        "hash": None,
        "origin": REQUIRED,
    },
    "memory.remember": {
        "text": REQUIRED,
        "file": "MEMORY.md",
        "importance": None,
        "triggers": (),
        "project": None,
        "supersedes_key": None,
        "replaces": None,
    },
    "memory.lint": {"file": None},
    "inject.bootstrap": {"files": None, "reason": "start"},
    "inject.turn": {"text": REQUIRED, "turn_id": REQUIRED},
    "dream.run": {"phase": "all", "dry_run": False, "wait": False},
    "dream.status": {},
    "dream.report": {"run_id": None},
    "dream.candidates": {},
    "dream.explain": {"query": REQUIRED},
    "dream.diary": {},
    "dream.review": {},
    "dream.accept": {"ids": REQUIRED},
    "dream.edit": {"id": REQUIRED, "text": REQUIRED},
    "dream.reject": {"ids": REQUIRED},
    "dream.undo": {"run_id": None},
    "dream.backfill": {
        "source": REQUIRED,
        "path": None,
        "from": None,
        "to": None,
        "stage": False,
        "dry_run": True,
        "wait": True,
    },
    "dream.rollback": {"what": REQUIRED, "wait": True},
    "backup.create": {"path": None, "wait": True},
    "import.preview": {"source": REQUIRED, "from": None, "replace": False},
    "import.apply": {"source": REQUIRED, "from": None, "replace": False, "wait": True},
    "import.undo": {"id": REQUIRED},
    "doctor.check": {},
    "doctor.fix": {"ids": None, "dry_run": False, "wait": True},
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
    status_results.StatusReport: "version pid uptime_s state socket agents jobs warnings",
    status_results.AgentReport: "agent workspace files chunks vectors pending freshness sources skipped "
    "excluded watch embedding model curated spool dreaming intents storage",
    status_results.SourceCount: "source files chunks",
    status_results.SkippedFile: "path reason",
    status_results.Excluded: "what count reason",
    status_results.WatchReport: "mode last_scan_at restarts",
    status_results.EmbeddingReport: "provider model dims state reason",
    status_results.ModelReport: "provider state",
    status_results.CuratedReport: "file chars budget injected_chars left_out writer",
    status_results.SpoolReport: "items",
    status_results.DreamingReport: "mode last_run_at last_outcome next_run_at zone short_term promoted",
    status_results.IntentsReport: "pending armed fired",
    status_results.StorageReport: "index_bytes state_bytes vectors_bytes",
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
    sessions.FollowUpParams: "text due_from due_to",
    intent_shapes.IntentReport: "id kind description keywords scope sender_scope channel sender creator "
    "status created_at expires_at max_fires fire_count cooldown_s last_fired_at at cron zone due_at",
    intent_shapes.IntentAnswer: "intent",
    intent_shapes.IntentList: "intents",
    intent_shapes.IntentMatched: "intent why",
    intent_shapes.IntentMatches: "matches",
    intent_shapes.ReminderDue: "intent due_at token",
    intent_shapes.IntentsDue: "reminders",
    intent_shapes.IntentsConfirmed: "confirmed",
    intent_shapes.IntentsReleased: "released",
    sessions.SessionList: "sessions",
    sessions.SessionReport: "session_id agent kind messages last_at excluded",
    trusting.Trusted: "changed",
    turn.TurnResult: "context triggers intents reminders project_block refreshed escalate took_ms",
    turn.TriggerFound: "hit trigger_score phrase arm",
    turn.IntentFired: "intent token",
    turn.FileRefreshed: "file text hash",
    turn.Escalate: "run reason",
    deep.DeepResult: "outcome reason summary context hits steps took_ms",
    history.HistoryResult: "preimages",
    history.PreimageReport: "id at cause added removed",
    history.DiffResult: "diff",
    history.UndoResult: "file hash preimage_id",
    curated.RememberResult: "file line hash superseded warning",
    curated.LintResult: "findings",
    curated.LintFinding: "file line rule detail",
    bootstrap.BootstrapResult: "files startup context total_chars",
    bootstrap.BootstrapFile: "file text raw_chars chars truncated left_out hash",
    bootstrap.StartupNotes: "text files",
    dream_results.DreamReport: "run_id outcome phases light rem deep",
    dream_results.DreamStatus: "mode zone last_run_at last_outcome next_run_at phases short_term promoted",
    dream_results.DreamCandidates: "candidates",
    dream_results.CandidateReport: "key text path start_line score components gates excluded",
    dream_results.GateReport: "gate value threshold passed",
    dream_results.DreamExplained: "candidates citation reason",
    dream_results.DreamDiary: "entries",
    reviewing.ReviewResult: "proposals",
    reviewing.DreamUndoResult: "files undone",
    forgetting.ForgetResult: "dry_run receipt kept",
    forgetting.KeptPlace: "where why",
    doctor.DoctorChecked: "findings",
    doctor.DoctorFinding: "id severity detail fix",
    doctor.DoctorOutcome: "fixed plan",
    results.GetResult: "status path text from lines total_lines truncated next_from origin notice context",
}
MAY_BE_ABSENT = {
    dream_results.DreamReport: {"outcome", "phases", "light", "rem", "deep"},
    dream_results.CandidateReport: {"excluded"},
    intent_shapes.IntentReport: {"at", "cron", "zone", "due_at"},
    curated.RememberResult: {"warning"},
    notes.FlushPlan: {"model"},
    sessions.SessionEnded: {"note_path"},
    sessions.SessionReport: {"excluded"},
    status_results.EmbeddingReport: {"reason"},
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
