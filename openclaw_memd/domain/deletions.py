"""Which entries of the curated files were deleted, told from what is known of them: hashes, never words."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from openclaw_memd.domain.curated_files import is_memory, scope_of
from openclaw_memd.domain.keys import join_parts
from openclaw_memd.domain.line_hashes import HASH_BYTES
from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import Trace, Traces, trace_text


@dataclass(frozen=True, slots=True)
class Step:
    """What memd itself did to a file: what it held ``before`` and ``after``."""

    before: Sequence[Trace]
    after: Sequence[Trace]


def trace_entries(file: str, entries: Iterable[Entry], analyzer: Analyzer) -> list[Trace]:
    """The traces of those that say something."""
    return [trace_text(entry.text, analyzer, _subject(file, entry)) for entry in entries if is_memory(entry)]


def find_deleted(
    known: Iterable[Trace], steps: Iterable[Step], now: Sequence[Trace], elsewhere: Sequence[Trace]
) -> list[Trace]:
    """What somebody deleted from a file that held ``known`` and holds ``now``, ``steps`` of memd in between.

    What was edited, or stands ``elsewhere`` now, is not deleted.
    """
    vanished: dict[bytes, Trace] = {}
    current = {trace.hash: trace for trace in known}
    for step in steps:
        vanished |= _without(current, step.before)
        current = {trace.hash: trace for trace in step.after}
    vanished |= _without(current, now)
    if not vanished:
        return []
    present = Traces((*now, *elsewhere))
    return [trace for trace in vanished.values() if not present.has_of(trace)]


def find_returned(deleted: Iterable[Trace], present: Collection[Trace]) -> list[Trace]:
    """Those of ``deleted`` that are said again."""
    wanted = Traces(present)
    return [trace for trace in deleted if wanted.has_like(trace)]


def _without(traces: dict[bytes, Trace], others: Iterable[Trace]) -> dict[bytes, Trace]:
    left = {other.hash for other in others}
    return {key: trace for key, trace in traces.items() if key not in left}


def _subject(file: str, entry: Entry) -> bytes | None:
    said = entry.annotations
    if said.key is None:
        return None
    parts = join_parts(said.key, *sorted(scope_of(file, said)))
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
