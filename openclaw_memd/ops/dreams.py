"""Forgetting what dreaming made of it, and what it would make."""

from collections.abc import Mapping

from openclaw_memd.domain.forgetting import Wanted, cut_text
from openclaw_memd.dreaming.page_forgetting import PageForgetting
from openclaw_memd.dreaming.promoted_forgetting import PromotedForgetting
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.files.names import REVIEW
from openclaw_memd.ops.kept import Kept
from openclaw_memd.ops.work import Work


class DreamPages:
    """Proposals, DREAMS.md and reports. They come before the files: what is lost is known by these."""

    def __init__(self, promoted: PromotedForgetting, pages: PageForgetting) -> None:
        self._promoted = promoted
        self._pages = pages

    async def count(self, work: Work) -> Mapping[str, int]:
        """Proposals, and lines of the pages."""
        return await self._forget(work, dry_run=True)

    async def forget(self, work: Work) -> Mapping[str, int]:
        """Take them."""
        return await self._forget(work, dry_run=False)

    async def _forget(self, work: Work, *, dry_run: bool) -> Mapping[str, int]:
        proposed = await self._promoted.forget_proposals(
            work.takes_source, work.takes_text, work.lost, dry_run=dry_run
        )
        by_text = Wanted(terms=() if work.wanted.since else work.wanted.terms)

        def cut_other(text: str) -> str:
            return cut_text(text, (), by_text, work.analyzer, None).text if by_text.terms else text

        gone = {path for path, _ in work.lost.places if work.takes_source(path)}
        named = tuple(f"{path}{sign}" for path in gone for sign in ":#")

        def takes(text: str) -> bool:
            return work.takes_text(text) or any(name in text for name in named)

        done = await self._pages.forget(
            {*work.lost.texts, *work.promoted.texts, *proposed},
            {*work.lost.keys, *(key for _, key in work.lost.places)},
            takes,
            cut_other,
            takes_source=work.takes_source,
            dry_run=dry_run,
        )
        work.kept += [
            Kept(REVIEW, f"pages of dreams cannot be changed ({problem})") for problem in done.problems
        ]
        return {"proposals": len(proposed), "page_lines": done.lines}


class Claims:
    """Candidates, signals and the session corpus. They come after files and sessions, by what is left.

    So long an editor may write to the version of DREAMS.md that was replaced; then that goes, too.
    """

    def __init__(self, signals: SignalStore, pages: PageForgetting) -> None:
        self._signals = signals
        self._pages = pages

    async def count(self, work: Work) -> Mapping[str, int]:
        """What would stand nowhere any more."""
        return await self._forget(work, dry_run=True)

    async def forget(self, work: Work) -> Mapping[str, int]:
        """Take it."""
        counts = await self._forget(work, dry_run=False)
        await self._pages.settle()
        return counts

    async def _forget(self, work: Work, *, dry_run: bool) -> Mapping[str, int]:
        unwanted = work.unwanted_soon() if dry_run else work.unwanted()
        done = await self._signals.forget(unwanted, dry_run=dry_run)
        return {
            "candidates": done.candidates,
            "signals": done.signals,
            "corpus_lines": done.corpus_lines,
        }
