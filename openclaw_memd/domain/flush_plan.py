"""Whether a conversation that grows towards its limit should save notes now, and with which prompts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from openclaw_memd.domain.provenance import SessionKind

DEFAULT_WINDOW_TOKENS = 200_000
SILENT_TOKEN = "NO_REPLY"
DATE_PLACEHOLDER = "YYYY-MM-DD"
TIME_PREFIX = "Current time:"

DEFAULT_SYSTEM_PROMPT = (
    "This is a silent turn before the conversation is compacted. Save what is worth keeping; nobody reads the"
    " answer."
)
DEFAULT_PROMPT = (
    "The conversation will soon be compacted. Write down what should outlive it as Markdown bullets:"
    " decisions and their reasons, facts about people and projects, open tasks with their conditions. Each"
    " bullet must make sense by itself. Leave out secrets, small talk, and what is in memory already."
)


class FlushReason(StrEnum):
    """Why a flush is due or not."""

    TOKENS = "tokens"
    TRANSCRIPT_BYTES = "transcript_bytes"
    BELOW_THRESHOLD = "below_threshold"
    ALREADY_FLUSHED = "already_flushed"
    DISABLED = "disabled"
    HEARTBEAT = "heartbeat"
    CRON = "cron"
    SELF_COMPACTING = "self_compacting"
    READ_ONLY_SANDBOX = "read_only_sandbox"


FLUSH_REASONS: Mapping[FlushReason, str] = MappingProxyType(
    {
        FlushReason.TOKENS: "Due: the projected tokens come within `flush.soft_tokens` of the limit.",
        FlushReason.TRANSCRIPT_BYTES: "Due: the transcript is at least `flush.force_bytes` long.",
        FlushReason.BELOW_THRESHOLD: "Not due: there is room.",
        FlushReason.ALREADY_FLUSHED: "Not due: this cycle was flushed.",
        FlushReason.DISABLED: "Not due: `flush.enabled` is false.",
        FlushReason.HEARTBEAT: "Not due: a heartbeat has nothing to save.",
        FlushReason.CRON: "Not due: a scheduled run has nothing to save.",
        FlushReason.SELF_COMPACTING: "Not due: the runtime compacts, and saves, by itself.",
        FlushReason.READ_ONLY_SANDBOX: "Not due: the sandbox may not write.",
    }
)
"""What each reason means, for the reference page."""

_DUE = frozenset({FlushReason.TOKENS, FlushReason.TRANSCRIPT_BYTES})


@dataclass(frozen=True, slots=True)
class FlushRules:
    """The configured thresholds: distances and reserve in tokens, the transcript's size in bytes."""

    enabled: bool = True
    soft_tokens: int = 4_000
    reserve_tokens: int = 20_000
    force_bytes: int = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FlushState:
    """What a host tells of a conversation. What it leaves out is None."""

    projected_tokens: int
    context_window: int | None = None
    reserve_tokens: int | None = None
    transcript_bytes: int | None = None
    session_kind: SessionKind = SessionKind.UNKNOWN
    is_flushed: bool = False
    self_compacting: bool = False
    read_only_sandbox: bool = False


def judge_flush(state: FlushState, rules: FlushRules) -> FlushReason:
    """The reason for which a flush is due or not; see ``is_due``.

    Due are ``projected >= window - reserve - soft`` and a transcript of ``force_bytes``, once a cycle. A
    window that leaves nothing after the reserve never makes one due by tokens.
    """
    if refusal := _refusal(state, rules):
        return refusal
    reserve = rules.reserve_tokens if state.reserve_tokens is None else state.reserve_tokens
    window = DEFAULT_WINDOW_TOKENS if state.context_window is None else state.context_window
    threshold = window - reserve - rules.soft_tokens
    if 0 < threshold <= state.projected_tokens:
        return FlushReason.TOKENS
    if state.transcript_bytes is not None and state.transcript_bytes >= rules.force_bytes:
        return FlushReason.TRANSCRIPT_BYTES
    return FlushReason.BELOW_THRESHOLD


def is_due(reason: FlushReason) -> bool:
    """Whether this reason says that notes should be saved now."""
    return reason in _DUE


def complete_prompt(template: str, *, path: str, day: date) -> str:
    """``template`` for the note of ``day`` at ``path``, with the rules that keep memory safe.

    The date takes the place of ``YYYY-MM-DD``. Each rule is added unless the template has it word for word.
    """
    text = template.replace(DATE_PLACEHOLDER, day.isoformat()).rstrip()
    missing = [hint for hint in _hints(path) if hint not in text]
    return "\n".join([text, *missing]).strip()


def add_time(prompt: str, now: datetime, zone: str) -> str:
    """``prompt`` with a line that tells the local time ``now`` in ``zone``, unless it has such a line."""
    if TIME_PREFIX in prompt:
        return prompt
    return f"{prompt}\n{TIME_PREFIX} {now:%Y-%m-%d %H:%M} ({zone})"


def _hints(path: str) -> tuple[str, ...]:
    return (
        f"Save only to {path}. The memory daemon chose that file; do not name another or a variant of it.",
        "Append only: never rewrite or shorten what is in the file.",
        "MEMORY.md, USER.md, DREAMS.md, AGENTS.md, SOUL.md, TOOLS.md and other reference files are read-only"
        " during this turn.",
        f"When there is nothing to save, answer {SILENT_TOKEN} and nothing else.",
    )


def _refusal(state: FlushState, rules: FlushRules) -> FlushReason | None:
    if not rules.enabled:
        return FlushReason.DISABLED
    if state.session_kind is SessionKind.HEARTBEAT:
        return FlushReason.HEARTBEAT
    if state.session_kind is SessionKind.CRON:
        return FlushReason.CRON
    if state.self_compacting:
        return FlushReason.SELF_COMPACTING
    if state.read_only_sandbox:
        return FlushReason.READ_ONLY_SANDBOX
    return FlushReason.ALREADY_FLUSHED if state.is_flushed else None
