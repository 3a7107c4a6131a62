"""The reason codes that errors and answers may carry, for the reference page; a test holds them complete."""

from collections.abc import Mapping
from types import MappingProxyType

from openclaw_memd.domain import promotion_gates
from openclaw_memd.domain.admission import Exclusion
from openclaw_memd.domain.eligibility import Ineligible
from openclaw_memd.domain.escalation import ESCALATION_REASONS
from openclaw_memd.domain.flush_plan import FLUSH_REASONS
from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.intents.explaining import BLOCKS
from openclaw_memd.sessions.filters import FilterReason
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.skips import MessageSkip

ERROR_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "syntax": "Not JSON in UTF-8, or it has NaN, Infinity or a lone surrogate.",
        "duplicate_key": "An object has the same key twice.",
        "number_range": "An integer over 64 bits, or a float out of range.",
        "positional": "Params are taken by name only.",
        "missing": "A required parameter is missing, or a folder does not exist.",
        "unknown": "There is no parameter of this name.",
        "value": "The parameter has a wrong type, is out of range, or is none of the allowed values.",
        "past": "The instant has passed, or the window of a follow-up has.",
        "too_far": "The instant lies more than 100 years ahead.",
        "window": "The window of a follow-up ends before it begins.",
        "never": "The cron expression names a day that never comes, or the time is over before it is due.",
        "too_common": "A keyword has nothing but words that most messages have.",
        "no_word": "A keyword holds nothing that can be said.",
        "unfit": "The text is no lasting memory: a secret, a log, a diff, a phone number, talk of a moment.",
        "dreaming_off": "`[dreaming] mode` is `off`, so nothing is written.",
        "edited": "The file was changed since the rewrite that is to be undone.",
        "time_based": "Keywords know no time: give `at` or `cron` instead of keywords.",
        "no_context": "The call needs the owner's authority and has no context.",
        "not_owner": "The context does not say that the sender is the owner.",
        "not_interactive": "The session is not interactive.",
        "not_direct": "The chat is not direct.",
        "tainted": "Network content entered this turn.",
        "line_protocol": "The call is for a connection of the line protocol, not for HTTP.",
        "other_user": "Another user than the daemon's wants to attach a model.",
        "outside": "The path leads out of the memory.",
        "not_memory": "The path does not name a memory file.",
        "connections": "Over limits.connections.",
        "queue_full": "limits.in_flight calls run and limits.queue calls wait.",
        "depth": "JSON is nested deeper than limits.depth.",
        "batch": "A batch has more calls than limits.batch.",
        "body_bytes": "A body or a line is longer than limits.body_bytes.",
        "query_bytes": "A query is longer than limits.query_bytes.",
        "note_bytes": "A note is longer than limits.note_bytes.",
        "file_bytes": "The file is, or would be, larger than limits.file_bytes.",
        "entries": "MEMORY.md or USER.md has more entries than are of use; see `memd status`.",
        "notes": "There are too many notes of this day and name.",
        "spool_full": "Too many notes wait to be written; see [notes](notes.md).",
        "hard_link": "The file has a second name by a hard link, so it is not written to.",
        "symlink": "A symbolic link has the place of the file, so it is not written to.",
        "not_regular": "Something else than a file has its place.",
        "no_entry": "No entry of the file says this or stands there.",
        "ambiguous": "Several entries of the file say this.",
        "no_place": "Nowhere in the file would it be an entry of its own: look at code blocks and indents.",
        "changed": "The file was changed meanwhile.",
        "dreaming": "A night is being dreamt already.",
        "mounted": "The file is a mount of its own, so no other version can take its place.",
        "result_bytes": "The answer would be longer than limits.result_bytes; ask for less.",
        "embedding": "The configured remote embedding provider cannot be used now.",
        "disk_full": "The disk is full.",
        "disk_error": "The disk cannot be read or written.",
        "read_only": "The file, or the database or its folder, is not to be written.",
        "denied": "The system denies access to the state folder.",
        "no_folder": "The state folder, or the ledger in it, is gone, or something else is in its place.",
        "locked": "Another process holds the database.",
        "lock_held": "Another daemon has the workspace.",
        "damaged": "The database is damaged and is being mended.",
        "loading": "The vectors are being loaded.",
        "closed": "The daemon is stopping.",
        "exists": "There is something at the path already.",
        "in_workspace": "The path lies in a workspace or in the state, where no archive may be.",
        "job_cancelled": "Somebody cancelled the job.",
    }
)
"""``data.reason`` of an error. A file that cannot be shown or rewritten for what it is has one of
``SKIP_REASONS`` instead."""

SKIP_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in SkipReason}
)
"""Why a file is not indexed: in ``skipped`` and ``excluded`` of ``status``, errors of ``recall.get`` and of
rewrites."""

IMPORT_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in ImportReason}
)
"""Why a file is not imported or not taken back, beside ``SKIP_REASONS``."""

ANSWER_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "no_terms": "`empty_reason`: the query has no words to search for.",
        "no_match": "`empty_reason`: nothing matches.",
        "below_threshold": "`empty_reason`: everything that matches is below `min_score`; see `best_below`.",
        "stale": "`empty_reason`: nothing matches, and changed files wait to be indexed.",
        "paused": "`empty_reason`: nothing matches, and indexing is paused.",
        "vectors": "`degraded`: vectors are not all there; what is near in meaning only may be missing.",
        "deadline": "`degraded`: the deadline came before everything was looked at.",
    }
)
"""What an answer that is not an error says of itself."""

MESSAGE_REASONS: Mapping[str, str] = MappingProxyType(
    {
        reason.value: reason.description
        for reasons in (FilterReason, MessageSkip, Exclusion)
        for reason in reasons
    }
)
"""Why a message is not kept: in ``skipped`` of ``session.append`` and ``excluded`` of ``session.list``."""

PLAN_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: meaning for reason, meaning in FLUSH_REASONS.items()}
)
"""Why a flush is due or not: ``reason`` of ``flush.plan``."""

TRANSCRIPT_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in TranscriptSkip}
)
"""Why a transcript file is left out: in ``skipped`` of ``status``."""

WITHHELD_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in Ineligible}
)
"""Why a curated entry is not injected: in ``withheld`` of ``inject.bootstrap``."""

EXCLUDED_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in promotion_gates.Exclusion}
)
"""Why a candidate may not be promoted: in ``excluded`` of ``dream.report`` and of candidates."""

SETBACK_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: reason.description for reason in Setback}
)
"""Why a candidate that was chosen is not written: in ``setback`` of ``dream.report``."""

DEEP_REASONS: Mapping[str, str] = MappingProxyType(
    {reason.value: f"`skipped` or `escalate`: {meaning}" for reason, meaning in ESCALATION_REASONS.items()}
    | {
        "no_terms": "`none`: the message has nothing to look for.",
        "no_match": "`none`: nothing was found.",
        "nothing_relevant": "`none`: the chat model found nothing that bears on the message.",
        "model_unusable": "`ok`: the chat model's replies could not be used; the answer is made without it.",
        "deadline": "`timeout` or `escalate`: the time was up before everything was looked at.",
        "breaker": "`timeout`: the chat model kept silent several times and is left alone for a minute.",
        "model": "`timeout` or `unavailable`: the chat model was silent, or failed.",
        "memory": "`unavailable`: the memory cannot be searched now.",
        "damaged": "`unavailable`: the index is damaged and is being mended.",
        "embedding": "`unavailable`: the configured remote embedding provider cannot be used now.",
    }
)
"""``reason`` of ``recall.deep`` and of ``escalate`` in ``inject.turn``."""

TURN_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "projects": "nobody could tell which projects are active; what belongs to one is missing.",
        "triggers": "the memories that the message brings up.",
        "project": "the memories of the projects.",
        "files": "the files that have changed; in `inject.bootstrap` files, or what they say now.",
        "startup": "the last days' notes, in `inject.bootstrap`.",
        "reminders": "what is due.",
        "intents": "the events that the message fires; nothing is spent.",
        "deadline": "all of it: the time was up.",
    }
)
"""What is missing from an answer of ``inject.turn`` or ``inject.bootstrap``, since it failed or was late: in
its ``degraded``."""

INTENT_REASONS: Mapping[str, str] = MappingProxyType(
    {block.value: meaning for block, meaning in BLOCKS.items()}
)
"""Why an event does not fire: in ``blocked`` of ``intent.match``."""
