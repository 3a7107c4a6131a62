"""The texts that sessions are given of the workspace's files, within the budgets."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.curated.looking import UNKNOWN_ORIGINS
from openclaw_memd.domain.audience import Bootstrap
from openclaw_memd.domain.bootstrap_budget import cut_prose
from openclaw_memd.domain.bootstrap_files import BY_NEED
from openclaw_memd.domain.curated_files import CURATED_FILES, MEMORY, USER
from openclaw_memd.domain.eligibility import Ineligible
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.instructions import InstructionText
from openclaw_memd.injection.curated_choice import Limits, choose

LEAST_CHARS: Final = 64
"""With less left of the budget for all, nothing of a file is given (OpenClaw's value)."""

_PASSING: Final = frozenset({UNKNOWN_ORIGINS, *(reason for reason in SkipReason if reason.is_transient)})
_KEPT: Final = 16  # audiences and sets of projects that take turns
_MOST_PROJECTS: Final = 16

Read = Mapping[str, InstructionText | SkipReason]


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits of ``[inject]``, in code points, and how many bytes of text an answer may hold."""

    file_chars: int = 12_000
    total_chars: int = 60_000
    user_chars: int = 4_000
    total_bytes: int = 2**63

    def of(self, file: str) -> int:
        """That of one file."""
        return min(self.file_chars, self.user_chars) if file == USER else self.file_chars


@dataclass(frozen=True, slots=True)
class Asking:
    """What a session's files depend on: their ``names``, both files and ``read``, the others as they were
    read, for whom, in which projects and on which day. ``read`` None: there was no time to look yet.
    """

    names: tuple[str, ...]
    state: CuratedState
    read: Read | None
    audience: Bootstrap
    active_projects: frozenset[str]
    today: date

    @property
    def audience_key(self) -> object:
        """What is the same for the same audience, whatever became of the files."""
        return self.names, self.audience, self.active_projects, self.today

    @property
    def key(self) -> object:
        """The same for the same files."""
        hashes = None if self.read is None else tuple(_identity(self.read.get(name)) for name in self.names)
        version = self.state.version
        return self.names, version, hashes, self.audience, self.active_projects, self.today


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file as a session is given it.

    ``text`` is inert and at most ``budget`` long. ``raw_chars`` is the length of the whole file, without
    byte order mark and carriage returns. ``left_out`` counts entries that did not fit, ``withheld`` those
    that may not be shown. ``problem`` is why it cannot be read, ``is_unknown`` that this may pass: what a
    session has of it is not out of date. ``hash`` is SHA-256 of ``text`` in hex: it changes with all that a
    session would see, be it the file, the trust in a line, the active projects or the day.
    """

    file: str
    text: str
    raw_chars: int
    budget: int
    hash: str
    left_out: int = 0
    is_cut: bool = False
    is_there: bool = True
    is_unknown: bool = False
    problem: str | None = None
    withheld: Mapping[Ineligible, int] = field(default_factory=dict)

    @property
    def is_curated(self) -> bool:
        """Whether its entries are memories."""
        return self.file in CURATED_FILES


@dataclass(frozen=True, slots=True)
class CuratedFigures:
    """How much of a curated file reaches the sessions of its owner.

    ``chars`` is the length of the file, ``injected_chars`` that of what is given of it. ``unvouched`` are the
    places that are never given, since nobody vouches for them, ``left_out_places`` those without room.
    """

    file: str
    chars: int
    budget: int
    injected_chars: int
    left_out: int
    unvouched: tuple[str, ...]
    left_out_places: tuple[str, ...]


class GivenFiles:
    """Chooses the texts; what was chosen is kept while everything that it depends on is the same.

    Safe for use from several threads.
    """

    NO_TEXT: Final = hash_text("")
    """The hash of a file of which nothing is given."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._kept: OrderedDict[object, Mapping[str, GivenFile]] = OrderedDict()
        self._lock = threading.Lock()
        self._last: OrderedDict[object, Mapping[str, GivenFile]] = OrderedDict()
        self._figures: tuple[object, tuple[CuratedFigures, ...]] = (None, ())

    def known(self, asking: Asking) -> Mapping[str, GivenFile] | None:
        """What ``give`` gave for the same before; None when that is not kept."""
        key = asking.key
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
            return known

    def give(self, asking: Asking) -> Mapping[str, GivenFile]:
        """The files of these names, in this order; one that is not there has no text.

        Within the budget for all the curated files come first, then the others in their order. It takes some
        milliseconds when the files changed: use a thread.
        """
        if (known := self.known(asking)) is not None:  # by now: many may ask at once
            return known
        names, state, read = asking.names, asking.state, asking.read
        room, room_bytes = self._budgets.total_chars, self._budgets.total_bytes
        given: dict[str, GivenFile] = {}
        for name in sorted(names, key=BY_NEED.index):
            limits = Limits(
                min(self._budgets.of(name), room if room >= LEAST_CHARS else 0),
                asking.audience,
                asking.active_projects,
                asking.today,
            )
            given[name] = _give(state, read, name, limits)
            while (size := _wire_bytes(given[name].text)) > room_bytes:
                fitting = limits.max_chars * room_bytes // size
                limits = replace(limits, max_chars=max(0, min(fitting, limits.max_chars - 1)))
                given[name] = _give(state, read, name, limits)
            room -= len(given[name].text)
            room_bytes = max(0, room_bytes - size)
        found = {name: given[name] for name in names}
        with self._lock:
            for kept, key in ((self._kept, asking.key), (self._last, asking.audience_key)):
                kept[key] = found
                kept.move_to_end(key)
                if len(kept) > _KEPT:
                    kept.popitem(last=False)
        return found

    def last_known(self, asking: Asking) -> Mapping[str, GivenFile]:
        """What was given last on this day to this audience in these projects, if ``give`` takes too long.

        A curated file that is gone, that changed in a way that nobody can judge yet, or that somebody does
        not vouch for all of, is not known, nor is one that was not given yet.
        """
        with self._lock:
            found = self._last.get(asking.audience_key, {})
        return {
            name: found[name]
            if name in found and (name not in CURATED_FILES or _is_sure(asking.state, name))
            else _missing(name, self._budgets.of(name), None, is_unknown=True)
            for name in asking.names
        }

    @property
    def last_figures(self) -> tuple[CuratedFigures, ...]:
        """What ``figures`` found last."""
        return self._figures[1]

    def figures(self, state: CuratedState, today: date) -> tuple[CuratedFigures, ...]:
        """What a session of the owner would be given, in the project in which the most is left out.

        It takes some milliseconds a project when the files changed: use a thread.
        """
        if self._figures[0] != (state.version, today):
            found = tuple(self._figure(state, name, today) for name in CURATED_FILES if name in state.files)
            self._figures = ((state.version, today), found)
        return self._figures[1]

    def _figure(self, state: CuratedState, name: str, today: date) -> CuratedFigures:
        text = state.files[name]
        budget = self._budgets.of(name)
        scopes = dict.fromkeys([(), *(one.entry.annotations.projects for one in text.entries)])
        everywhere = {key for scope in scopes for key in scope}
        worst = choose(text, Limits(budget, Bootstrap.ALL, everywhere, today))
        if name == MEMORY and everywhere and worst.choice.left_out:  # no session has them all
            each = list(scopes)[:_MOST_PROJECTS]
            found = (choose(text, Limits(budget, Bootstrap.ALL, scope, today)) for scope in each)
            worst = max(found, key=lambda one: one.choice.left_out)
        return CuratedFigures(
            file=name,
            chars=len(text.text),
            budget=budget,
            injected_chars=len(worst.choice.text),
            left_out=worst.choice.left_out,
            unvouched=worst.unvouched,
            left_out_places=worst.left_out,
        )


def _give(state: CuratedState, read: Read | None, name: str, limits: Limits) -> GivenFile:
    if name in CURATED_FILES:
        return _give_curated(state, name, limits)
    if read is None:
        return _missing(name, limits.max_chars, None, is_unknown=True)
    return _give_prose(name, read.get(name), limits.max_chars)


def _give_curated(state: CuratedState, name: str, limits: Limits) -> GivenFile:
    text = state.files.get(name)
    if text is None:
        problem = state.problems.get(name)
        is_unknown = problem in _PASSING or state.version == 0
        return _missing(name, limits.max_chars, problem, is_unknown=is_unknown)
    found = choose(text, limits)
    shown = found.choice.text
    return GivenFile(
        file=name,
        text=shown,
        raw_chars=len(text.text),
        budget=limits.max_chars,
        hash=hash_text(shown),
        left_out=found.choice.left_out,
        is_cut=found.choice.left_out > 0,
        is_unknown=state.problems.get(name) == UNKNOWN_ORIGINS,
        withheld=found.withheld,
    )


def _is_sure(state: CuratedState, name: str) -> bool:
    text = state.files.get(name)
    return text is not None and not text.unvouched and state.problems.get(name) != UNKNOWN_ORIGINS


def _give_prose(name: str, found: InstructionText | SkipReason | None, budget: int) -> GivenFile:
    if not isinstance(found, InstructionText):
        return _missing(name, budget, found, is_unknown=found in _PASSING)
    prose = cut_prose(found.text, budget, name=name)
    return GivenFile(
        file=name,
        text=prose.text,
        raw_chars=len(found.text),
        budget=budget,
        hash=hash_text(prose.text),
        is_cut=prose.is_cut,
    )


def _missing(name: str, budget: int, problem: str | None, *, is_unknown: bool) -> GivenFile:
    return GivenFile(
        name, "", 0, budget, GivenFiles.NO_TEXT, is_there=False, is_unknown=is_unknown, problem=problem
    )


def _wire_bytes(text: str) -> int:
    """What ``text`` takes in an answer, with the escapes of JSON and the marks of a quotation."""
    escaped = sum(map(text.count, '"\\\t'))
    return len(text.encode()) + escaped + 4 * text.count("\n")


def _identity(found: InstructionText | SkipReason | None) -> str | None:
    return found.hash if isinstance(found, InstructionText) else found
