"""Where a piece of text came from: closed sets that only classification code assigns, never text itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ATTRIBUTION_VERSION: Final = 1
"""Raised whenever the lines of unchanged files would be attributed otherwise."""


class Origin(StrEnum):
    """Who is behind a text, from most to least trusted."""

    OWNER = "owner"
    AGENT = "agent"
    SYSTEM = "system"
    UNTRUSTED = "untrusted"


class SessionKind(StrEnum):
    """What kind of session produced a text."""

    INTERACTIVE = "interactive"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    SUBAGENT = "subagent"
    UNKNOWN = "unknown"


class Source(StrEnum):
    """Which corpus a file or chunk belongs to (the contract's ``source``)."""

    MEMORY = "memory"
    SESSIONS = "sessions"
    IMPORTS = "imports"
    EXTRA = "extra"


class Tier(StrEnum):
    """What a file or chunk is for (the contract's ``tier``)."""

    CURATED = "curated"
    EPISODIC = "episodic"
    SESSION = "session"
    IMPORT = "import"
    EXTRA = "extra"


class TrustTier(StrEnum):
    """Which full-text table holds a chunk.

    BM25 uses the statistics of a whole table, so text of different trust never shares one. Trusted text of
    sessions is apart from notes, since there is so much more of it.
    """

    CURATED = "curated"
    EPISODIC = "episodic"
    SESSION = "session"
    UNTRUSTED = "untrusted"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one text comes from.

    ``writer`` is the key of the conversation that it was written in (see ``Caller.writer``), None for no
    conversation that is known.
    """

    origin: Origin
    session_kind: SessionKind
    writer: str | None = None


HANDWRITTEN = Provenance(Origin.AGENT, SessionKind.UNKNOWN)
"""What nobody recorded in a memory file: whoever edits the files is inside the trust boundary."""

FOREIGN = Provenance(Origin.UNTRUSTED, SessionKind.UNKNOWN)
"""What came from outside and nobody knows more of."""

_TRUSTED_TIERS = {Tier.CURATED: TrustTier.CURATED, Tier.SESSION: TrustTier.SESSION}

_RANK = {Origin.OWNER: 3, Origin.AGENT: 2, Origin.SYSTEM: 1, Origin.UNTRUSTED: 0}


def trust_rank(origin: Origin) -> int:
    """A number that is higher the more trusted an origin is."""
    return _RANK[origin]


def join(*origins: Origin) -> Origin:
    """The origin of a text made from texts of ``origins``: the least trusted one.

    Raises:
        ValueError: with no origins, since nothing is known then.
    """
    return min(origins, key=_RANK.__getitem__)


def least_trusted(provenances: Iterable[Provenance]) -> Provenance:
    """The first of those with the least trusted origin.

    Raises:
        ValueError: with none, since nothing is known then.
    """
    return min(provenances, key=lambda provenance: _RANK[provenance.origin])


def is_trusted(origin: Origin) -> bool:
    """Whether text of this origin may be injected, promoted, or ranked among trusted hits."""
    return _RANK[origin] >= _RANK[Origin.AGENT]


def trust_tier(tier: Tier, origin: Origin) -> TrustTier:
    """The full-text table for a chunk of ``tier`` and ``origin``."""
    if not is_trusted(origin):
        return TrustTier.UNTRUSTED
    return _TRUSTED_TIERS.get(tier, TrustTier.EPISODIC)
