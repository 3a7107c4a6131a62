"""What a night works on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from openclaw_memd.domain.consolidation import Contradiction
from openclaw_memd.domain.promotion_score import Score, Signals
from openclaw_memd.domain.provenance import Provenance
from openclaw_memd.index.ledger.signal_rows import SourceRow


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim that was of use and may come into MEMORY.md.

    ``key`` is that of the claim and its trust. ``text`` is what it says, ``path`` and lines where it stands
    or was said last; ``is_session`` for what was said in a conversation, ``elsewhere`` where else it was met.
    ``projects`` are keys of projects. ``promoted_at`` and ``rejected_at`` tell what became of it before,
    ``noted_on`` when it was noted, ``considered_at`` when REM last looked at it.
    """

    key: str
    text: str
    path: str
    start_line: int
    end_line: int
    is_session: bool
    provenance: Provenance
    signals: Signals
    tags: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    supersedes_key: str | None = None
    noted_on: date | None = None
    promoted_at: datetime | None = None
    rejected_at: datetime | None = None
    considered_at: datetime | None = None
    elsewhere: tuple[SourceRow, ...] = ()

    def places(self) -> Iterator["Candidate"]:
        """The candidate at each place where it was met, beginning with itself."""
        yield self
        for one in self.elsewhere:
            yield replace(
                self,
                path=one.path,
                start_line=one.start_line,
                end_line=one.end_line,
                is_session=one.is_session,
                noted_on=one.noted_on,
            )

    @property
    def source(self) -> str:
        """Where it stands, as ``memory/2026-01-11.md#L3-L5``."""
        lines = (
            f"L{self.start_line}"
            if self.start_line == self.end_line
            else f"L{self.start_line}-L{self.end_line}"
        )
        return f"{self.path}#{lines}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate that passed every gate, with its score."""

    candidate: Candidate
    score: Score


@dataclass(frozen=True, slots=True)
class Change:
    """What was done with one claim, for the history: it took the place of ``replaced``."""

    key: str
    action: str
    file: str
    text: str
    source: str
    replaced: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """What a night wrote, or put up for review.

    ``promoted`` has what was done by key: ``added``, ``merged``, ``superseded``, or ``reconciled`` for what
    was in the file already since an earlier run. ``rejected`` has a reason by key. ``preimage_ids`` are those
    of the files that were rewritten, by which all of it can be undone; ``proposed`` the keys that wait for
    the owner, ``late`` those that the limit of a night did not reach. ``contradictions`` name what may say
    otherwise than what was added, ``compacted`` the sections that made room, and ``fallback`` says in a plain
    phrase why a model's plan was not followed.
    """

    promoted: Mapping[str, str]
    rejected: Mapping[str, str]
    preimage_ids: Sequence[int] = ()
    proposed: Sequence[str] = ()
    late: frozenset[str] = frozenset()
    changes: Sequence[Change] = ()
    contradictions: Sequence[Contradiction] = ()
    compacted: Sequence[str] = ()
    fallback: str | None = None
