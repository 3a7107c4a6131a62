"""Are the databases whole? Read in the databases' own threads, beside the calls."""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.inspecting import has_sound_pages, has_sound_words
from openclaw_memd.index.store import Store
from openclaw_memd.ops.doctor.findings import Finding

log = structlog.get_logger("memd.doctor")


async def check_databases(
    *,
    state: Store,
    index: Store,
    vectors: Store,
    differences: Callable[[], Awaitable[tuple[str, ...]]],
    failures: Mapping[str, UnavailableError],
) -> list[Finding]:
    """Read all three through. ``failures`` are those of the last writes, by what people call a database."""
    findings = [
        Finding.of(
            "database-unreadable", f"The last write to {name} failed: {failure.message}.", subject=name
        )
        for name, failure in failures.items()
    ]
    for kind, store in (("ledger-damaged", state), ("index-damaged", index), ("vectors-damaged", vectors)):
        findings += await _check_pages(kind, store)
    if any(finding.kind.id == "index-damaged" for finding in findings):
        return findings
    try:
        for tier in TrustTier:  # one after the other, so that others can write between
            if not await index.maintain(_words_of(tier)):
                findings.append(Finding.of("word-index-damaged"))
                break
        if names := await differences():
            told = f"The index was made with another {', '.join(names)} than would be used now."
            findings.append(Finding.of("index-outdated", told))
    except DamagedError:
        findings.append(Finding.of("index-damaged"))
    except UnavailableError as error:
        findings.append(_unreadable(index, error))
    return findings


async def _check_pages(kind: str, store: Store) -> list[Finding]:
    try:
        is_sound = await store.read(has_sound_pages)
    except DamagedError:
        is_sound = False
    except UnavailableError as error:
        return [_unreadable(store, error)]
    return [] if is_sound else [Finding.of(kind, f"{store.path.name} is damaged.")]


def _unreadable(store: Store, error: UnavailableError) -> Finding:
    return Finding.of("database-unreadable", f"{store.path.name}: {error.message}.", subject=store.path.name)


def _words_of(tier: TrustTier) -> "Callable[..., bool]":
    return lambda connection: has_sound_words(connection, tier)
