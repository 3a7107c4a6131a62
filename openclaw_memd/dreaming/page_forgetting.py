"""Forgetting on the pages of dreaming: DREAMS.md and the reports."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import trio

from openclaw_memd.domain.backfill_pages import drop_entries as drop_backfill
from openclaw_memd.domain.dream_cuts import count_gone, cut_page, cut_report
from openclaw_memd.domain.dream_pages import drop_entries
from openclaw_memd.dreaming.pages import SETTLE_S, Pages
from openclaw_memd.dreaming.rendering import plain
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.errors import UnavailableError

Takes = Callable[[str], bool]


def _takes_none(_source: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ForgottenPages:
    """How many lines went, or would go, and codes of what could not be done."""

    lines: int
    problems: tuple[str, ...] = ()


class PageForgetting:
    """Takes out what the pages show of claims, and what the diary tells of them in other words."""

    def __init__(self, pages: Pages, runs: Runs) -> None:
        self._pages = pages
        self._runs = runs
        self._settles_at = 0.0

    async def forget(
        self,
        texts: Collection[str],
        keys: Collection[str],
        takes_text: Takes,
        cut_other: Callable[[str], str],
        *,
        takes_source: Takes = _takes_none,
        dry_run: bool,
    ) -> ForgottenPages:
        """Forget what says one of ``texts`` or is taken, and entries of the diary that tell of ``keys``, or
        of a source that goes.

        ``cut_other`` gives what is left of what people wrote into DREAMS.md. With ``dry_run`` nothing is
        written.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        needles = {needle for text in texts if (needle := plain(text))}
        told = await self._runs.that_told(keys) if keys else ()
        page_lines = 0
        report_lines = 0

        def takes(text: str) -> bool:
            return any(needle in text for needle in needles) or takes_text(text)

        def page(text: str) -> str:
            nonlocal page_lines
            nights = drop_backfill(drop_entries(text, told), lambda _day, source: takes_source(source))
            left = cut_page(nights, takes, cut_other)
            page_lines = count_gone(text, left)
            return text if dry_run else left

        def report(text: str) -> str:
            nonlocal report_lines
            left = cut_report(text, takes)
            report_lines += count_gone(text, left)
            return text if dry_run else left

        problems = await self._pages.rewrite(page, report)
        self._settles_at = trio.current_time() + SETTLE_S
        return ForgottenPages(page_lines + report_lines, tuple(problems))

    async def settle(self) -> None:
        """Let earlier versions of DREAMS.md go, once nobody writes to them any more.

        Raises:
            UnavailableError: the disk cannot be written.
        """
        if self._pages.files.has_asides:
            await trio.sleep_until(self._settles_at)
        try:
            await self._pages.settle()
        except OSError as error:
            raise UnavailableError("DREAMS.md cannot be written", reason="disk_error") from error
