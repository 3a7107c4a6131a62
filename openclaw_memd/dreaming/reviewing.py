"""What the owner decides about proposals."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.claims import CLAIM_CHARS, claim_text
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.dreaming.consolidating import Consolidation
from openclaw_memd.dreaming.live_claims import why_unfit
from openclaw_memd.dreaming.proposals import Proposal
from openclaw_memd.dreaming.undoing import Undoing, Undone
from openclaw_memd.errors import InvalidParamsError, NotFoundError
from openclaw_memd.ports import Clock


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was done by proposal (``added``, ``merged``, ``superseded``), and why others were not written.

    ``files`` are those that were written to.
    """

    accepted: Mapping[str, str]
    rejected: Mapping[str, str] = field(default_factory=dict)
    preimage_ids: tuple[int, ...] = ()
    files: tuple[str, ...] = ()


class Reviewing:
    """The review queue of one workspace. Who calls ``accept`` and ``edit`` has checked that it is the owner.

    Every method raises UnavailableError or DamagedError when the ledger cannot be used.
    """

    def __init__(self, consolidation: Consolidation, undoing: Undoing, clock: Clock) -> None:
        self._consolidation = consolidation
        self._undoing = undoing
        self._clock = clock

    async def waiting(self) -> list[Proposal]:
        """What waits, oldest first."""
        return await self._consolidation.proposals.list()

    async def accept(self, ids: Collection[str]) -> Accepted:
        """Write proposals into the files. One that cannot be written now goes on waiting.

        A source is looked at again, unless the owner gave the words: what nobody can be shown to have said is
        not written.

        Raises:
            NotFoundError: one of them does not wait.
        """
        found = await self._named(ids)
        done: dict[str, str] = {}
        rejected: dict[str, str] = {}
        preimages: list[int] = []
        files: set[str] = set()
        for run_id in sorted({one.run_id for one in found}):
            group = [one for one in found if one.run_id == run_id]
            words = {one.id: one.fact for one in group if one.content.edited}
            wrote = await self._consolidation.accept(
                [one.ranked for one in group], words, run_id=run_id, now=self._clock.now()
            )
            done |= {key: step.action for step in wrote.steps for key in step.fact.keys}
            rejected |= wrote.rejected
            preimages += wrote.preimage_ids
            files |= {step.fact.file for step in wrote.steps}
        await self._consolidation.proposals.decide(list(done), "accepted")
        return Accepted(done, rejected, tuple(preimages), tuple(sorted(files)))

    async def edit(self, caller: Caller | None, proposal_id: str, text: str) -> Proposal:
        """Give a proposal other words. It goes on waiting.

        Raises:
            NotFoundError: it does not wait.
            InvalidParamsError: the text is too long, or no lasting memory (``unfit``).
        """
        (proposal,) = await self._named([proposal_id])
        plain = claim_text(text)
        if len(" ".join(text.split())) > CLAIM_CHARS:
            raise InvalidParamsError(
                f"a memory has at most {CLAIM_CHARS} characters", field="text", reason="value"
            )
        unfit = why_unfit(plain)
        if unfit is not None:
            raise InvalidParamsError(f"this is no lasting memory: {unfit}", field="text", reason="unfit")
        writer = None if caller is None else caller.writer
        owner = Provenance(Origin.OWNER, SessionKind.INTERACTIVE, writer)
        return await self._consolidation.proposals.edit(proposal, plain, owner)

    async def reject(self, ids: Collection[str]) -> int:
        """Keep proposals out, and whatever says the same; how many.

        Raises:
            NotFoundError: one of them does not wait.
        """
        found = await self._named(ids)
        texts = [text for one in found for text in {one.content.text, one.content.candidate_text}]
        await self._undoing.keep_out([one.id for one in found], texts, self._clock.now())
        await self._consolidation.proposals.decide([one.id for one in found], "rejected")
        return len(found)

    async def undo(self, run_id: str | None) -> Undone:
        """Take back what a run wrote. Errors as in ``Undoing.undo``."""
        await self._consolidation.settle(self._clock.now())
        return await self._undoing.undo(run_id, self._clock.now())

    async def _named(self, ids: Collection[str]) -> list[Proposal]:
        found = await self._consolidation.proposals.list(frozenset(ids))
        if {one.id for one in found} != set(ids):
            raise NotFoundError("no proposal of this id waits", field="ids")
        return found
