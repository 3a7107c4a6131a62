"""What a night would write, kept until the owner decides."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

import msgspec

from openclaw_memd.domain.annotations import format_annotations, parse_annotations
from openclaw_memd.domain.consolidation import Step
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.promoted_lines import Fact, format_fact
from openclaw_memd.domain.promotion_score import Score, Signals
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.dreaming.types import Candidate, Ranked
from openclaw_memd.index.ledger import proposals as ledger
from openclaw_memd.index.ledger.proposals import ProposalRow, ProposalState
from openclaw_memd.index.store import Store


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a proposal. ``edited`` says that its text is in the owner's words."""

    action: str
    file: str
    text: str
    lines: str
    sources: tuple[str, ...]
    replaces: tuple[str, ...]
    said: str
    origin: str
    session_kind: str
    writer: str | None
    path: str
    start_line: int
    end_line: int
    is_session: bool
    candidate_text: str
    tags: tuple[str, ...]
    projects: tuple[str, ...]
    subject_key: str | None
    noted_on: date | None
    score: float
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal: what would be written into ``file`` and in the place of what."""

    id: str
    run_id: str
    proposed_at: datetime
    content: Content

    @property
    def fact(self) -> Fact:
        """The fact as it is proposed."""
        c = self.content
        provenance = Provenance(Origin(c.origin), SessionKind(c.session_kind), c.writer)
        return Fact((self.id,), c.text, c.sources[0], provenance, parse_annotations(f"x {c.said}"))

    @property
    def ranked(self) -> Ranked:
        """The candidate, so that its source can be looked at again."""
        c = self.content
        candidate = Candidate(
            key=self.id,
            text=c.candidate_text,
            path=c.path,
            start_line=c.start_line,
            end_line=c.end_line,
            is_session=c.is_session,
            provenance=Provenance(Origin(c.origin), SessionKind(c.session_kind), c.writer),
            signals=Signals(),
            tags=c.tags,
            projects=c.projects,
            supersedes_key=c.subject_key,
            noted_on=c.noted_on,
        )
        return Ranked(candidate, Score(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, c.score))


class Proposals:
    """The proposals of one workspace, by the keys of their claims.

    Every method raises UnavailableError or DamagedError when the ledger cannot be used.
    """

    def __init__(self, state: Store) -> None:
        self._state = state

    async def put(
        self, steps: Sequence[Step], selected: Sequence[Ranked], *, run_id: str, at: datetime
    ) -> list[str]:
        """Put up for review what would be written; the keys of those that wait. What was decided stays so."""
        ranked = {one.candidate.key: one for one in selected}
        contents = [
            (step.fact.key, msgspec.json.encode(_content(step, ranked[step.fact.key])).decode())
            for step in steps
            if step.action != "merged"
        ]
        return await self._state.write(partial(ledger.put_proposals, run_id=run_id, contents=contents, at=at))

    async def list(self, ids: Collection[str] | None = None) -> list[Proposal]:
        """Those that wait, oldest first; all, or those with these ids."""
        rows = await self._state.read(partial(ledger.open_proposals, keys=ids))
        return [_proposal(row) for row in rows]

    async def edit(self, proposal: Proposal, text: str, provenance: Provenance) -> Proposal:
        """Give a proposal the owner's words, which are the owner's from then on."""
        content = msgspec.structs.replace(
            proposal.content,
            text=text,
            origin=provenance.origin.value,
            session_kind=provenance.session_kind.value,
            writer=provenance.writer,
            edited=True,
        )
        edited = Proposal(proposal.id, proposal.run_id, proposal.proposed_at, content)
        fact = edited.fact
        content = msgspec.structs.replace(content, file=fact.file, lines="\n".join(format_fact(fact)))
        encoded = msgspec.json.encode(content).decode()
        await self._state.write(partial(ledger.edit_proposal, key=proposal.id, content=encoded))
        return Proposal(proposal.id, proposal.run_id, proposal.proposed_at, content)

    async def decide(self, ids: Collection[str], state: ProposalState) -> None:
        """Note what the owner decided."""
        await self._state.write(partial(ledger.decide_proposals, keys=ids, state=state))


def _content(step: Step, ranked: Ranked) -> Content:
    fact, candidate = step.fact, ranked.candidate
    path = fact.source.rpartition("#L")[0]
    place = next((one for one in candidate.places() if one.path == path), candidate)
    return Content(
        action=step.action,
        file=fact.file,
        text=fact.text,
        lines="\n".join(format_fact(fact)),
        sources=(fact.source,),
        replaces=tuple(bare_text(prior.entry.text) for prior in step.gone),
        said=format_annotations(fact.said),
        origin=fact.provenance.origin.value,
        session_kind=fact.provenance.session_kind.value,
        writer=fact.provenance.writer,
        path=place.path,
        start_line=place.start_line,
        end_line=place.end_line,
        is_session=place.is_session,
        candidate_text=candidate.text,
        tags=tuple(candidate.tags),
        projects=tuple(candidate.projects),
        subject_key=candidate.supersedes_key,
        noted_on=place.noted_on,
        score=ranked.score.shown,
    )


def _proposal(row: ProposalRow) -> Proposal:
    return Proposal(row.key, row.run_id, row.proposed_at, msgspec.json.decode(row.content, type=Content))
