"""Where a piece of text came from: closed sets that only classification code assigns, never text itself."""

from enum import StrEnum


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

    BM25 uses the statistics of a whole table, so text of different trust never shares one.
    """

    CURATED = "curated"
    EPISODIC = "episodic"
    UNTRUSTED = "untrusted"


_RANK = {Origin.OWNER: 3, Origin.AGENT: 2, Origin.SYSTEM: 1, Origin.UNTRUSTED: 0}


def join(*origins: Origin) -> Origin:
    """The origin of a text made from texts of ``origins``: the least trusted one.

    Raises:
        ValueError: with no origins, since nothing is known then.
    """
    return min(origins, key=_RANK.__getitem__)


def is_trusted(origin: Origin) -> bool:
    """Whether text of this origin may be injected, promoted, or ranked among trusted hits."""
    return _RANK[origin] >= _RANK[Origin.AGENT]


def trust_tier(tier: Tier, origin: Origin) -> TrustTier:
    """The full-text table for a chunk of ``tier`` and ``origin``."""
    if not is_trusted(origin):
        return TrustTier.UNTRUSTED
    return TrustTier.CURATED if tier is Tier.CURATED else TrustTier.EPISODIC
