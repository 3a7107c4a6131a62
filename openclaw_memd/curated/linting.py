"""What people should look at in their curated files, for calls and for ``status``."""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import partial

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.domain.curated_files import CURATED_FILES, MOST_ENTRIES
from openclaw_memd.domain.lint import Finding, lint_text
from openclaw_memd.domain.lint_rules import Rule
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import WORKSPACE, Roots
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

Budget = Callable[[str], int]
"""How long a curated file may be, in code points."""


class Linting:
    """Looks at the curated files of one workspace."""

    def __init__(self, core: CuratedCore, roots: Roots, analyzer: Analyzer, clock: Clock, zone: Zone) -> None:
        self._core = core
        self._roots = roots
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone

    async def lint(self, file: str | None, budget: Budget) -> list[Finding]:
        """What is to be looked at, in one file or in both."""
        state = await self._core.refresh()
        work = partial(
            lint_files,
            {name: found.text for name, found in state.files.items()},
            state.problems,
            partial(list_names, self._roots),
            today=self._zone.day(self._clock.now()),
            budget=budget,
            analyzer=self._analyzer,
        )
        findings = await trio.to_thread.run_sync(work, abandon_on_cancel=True)
        return [finding for finding in findings if file is None or finding.file.lower() == file.lower()]

    def warnings(self) -> list[str]:
        """What ``status`` says of the files as they were last seen, as plain sentences."""
        return list(_warnings(self._core.state, self._zone.day(self._clock.now())))


def lint_files(
    texts: Mapping[str, str],
    problems: Mapping[str, str],
    names: Callable[[], Iterable[str]],
    *,
    today: date,
    budget: Budget,
    analyzer: Analyzer,
) -> list[Finding]:
    """What is to be looked at in the curated files with these texts.

    ``problems`` are reasons why one cannot be used; ``names`` are those of what lies in the workspace.
    """
    findings: list[Finding] = []
    for file in CURATED_FILES:
        if file in problems:
            findings.append(Finding(file, 1, Rule.UNREADABLE, f"cannot be used: {problems[file]}"))
        if file in texts:
            findings += lint_text(
                file, texts[file], today=today, budget_chars=budget(file), analyzer=analyzer
            )
        for name in sorted(names()):
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
