"""What people should look at in their curated files, for calls and for ``status``."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.curated.looking import HARD_LINK
from openclaw_memd.domain.curated_files import CURATED_FILES, MOST_ENTRIES
from openclaw_memd.domain.lint import Finding, lint_text
from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

_NAMES: Final = frozenset(file.upper() for file in CURATED_FILES)

Budget = Callable[[str], int]
"""How long a curated file may be, in code points."""


class Linting:
    """Looks at the curated files of one workspace, at one version of them once.

    A long file may take longer than a caller waits: the next one finds what was found.
    """

    def __init__(self, core: CuratedCore, roots: Roots, analyzer: Analyzer, clock: Clock, zone: Zone) -> None:
        self._core = core
        self._roots = roots
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone
        self._thread = trio.CapacityLimiter(1)
        self._kept: tuple[object, Sequence[Finding]] = (None, ())

    async def lint(self, file: str | None, budget: Budget) -> list[Finding]:
        """What is to be looked at, in one file or in both."""
        state = await self._core.refresh()
        work = partial(self._look, state, self._zone.day(self._clock.now()), budget)
        findings = await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._thread)
        return [finding for finding in findings if file is None or finding.file.lower() == file.lower()]

    def _look(self, state: CuratedState, today: date, budget: Budget) -> Sequence[Finding]:
        names = [name for name in list_names(self._roots) if name.upper() in _NAMES]
        key = state.version, today, names, [budget(file) for file in CURATED_FILES]
        if self._kept[0] != key:
            found = lint_files(
                state.files,
                state.problems,
                names,
                today=today,
                budget=budget,
                analyzer=self._analyzer,
            )
            self._kept = key, found
        return self._kept[1]

    def warnings(self) -> list[str]:
        """What ``status`` says of the files as they were last seen, as plain sentences."""
        return list(_warnings(self._core.state, self._zone.day(self._clock.now())))


def lint_files(
    files: Mapping[str, CuratedText],
    problems: Mapping[str, str],
    names: Collection[str],
    *,
    today: date,
    budget: Budget,
    analyzer: Analyzer,
) -> list[Finding]:
    """What is to be looked at in the curated files.

    ``problems`` are reasons why one cannot be used; ``names`` are those of what lies in the workspace.
    """
    findings: list[Finding] = []
    for file in CURATED_FILES:
        if file in problems:
            what = "is read, and there is something about it" if file in files else "cannot be used"
            findings.append(Finding(file, 1, Rule.UNREADABLE, f"{what}: {problems[file]}"))
        if file in files:
            findings += lint_text(
                file,
                files[file].text,
                today=today,
                budget_chars=budget(file),
                analyzer=analyzer,
                like=[one.entry for one in files[file].entries],
            )
        for name in sorted(names):
            if name != file and name.lower() == file.lower():
                findings.append(Finding(name, 1, Rule.NAME_CASE, f"not read: only {file} is"))
    return findings


def list_names(roots: Roots) -> list[str]:
    """The names of what lies in the workspace; none while it is not there."""
    try:
        with roots.anchored(WORKSPACE) as folder, os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError:
        return []


def _warnings(state: CuratedState, today: date) -> Iterable[str]:
    for file, found in state.files.items():
        if state.problems.get(file) == HARD_LINK:
            yield (
                f"{file} has a second name (a hard link): it is read, and memd does not write to it until"
                " it has one name"
            )
        if len(found.entries) > MOST_ENTRIES:
            yield (
                f"{file} has more than {MOST_ENTRIES:,} entries: those after them are not shown, nothing can"
                " be remembered in it, and what is deleted from it may come back; shorten it"
            )
            continue
        due = sum(
            entry.entry.annotations.review is not None
            and entry.entry.annotations.review <= today
            and entry.entry.annotations.status != "superseded"
            for entry in found.entries
        )
        if due:
            yield f"{file} has {due} {'entry' if due == 1 else 'entries'} to be reviewed: see `memd lint`"
