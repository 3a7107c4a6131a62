"""What a look through old notes or sessions looks at, and what each of them stands for."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal

from openclaw_memd.domain.backfill_pages import BackfillEntry
from openclaw_memd.domain.callers import ChatType
from openclaw_memd.domain.grounding import Ground, Stated, ground, weigh
from openclaw_memd.domain.promotion_gates import Exclusion, why_ineligible
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.recall_signals import SESSION_SCORE, Signal, hash_source
from openclaw_memd.domain.short_term import is_quarantine, is_session_path, note_day
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.ground_text import render_ground
from openclaw_memd.dreaming.said_claims import own_claims
from openclaw_memd.dreaming.sources import Found, ReadSource, Sources, is_source
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.errors import InvalidParamsError, NotFoundError
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.index.origins import Attribution
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.sessions.paths import PREFIX, parse_path

OldKind = Literal["notes", "sessions"]

MOST_FILE_BYTES: Final = 1024 * 1024  # OpenClaw's values from here on
MOST_NOTES: Final = 512
MOST_DAYS: Final = 92
LASTING_SCORE: Final = 0.92
CANDIDATE_SCORE: Final = 0.82
SHOWN_SAID: Final = 5

_LASTING: Final = tuple(hash_source("grounded", f"lasting-update {number}") for number in (1, 2))
_CANDIDATE: Final = hash_source("grounded", "candidate")
_SAID: Final = hash_source("grounded", "session")
_NOBODY: Final = ("", "")
_NOTES: Final = "memory/"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which notes or sessions are meant: at ``path`` or in that folder, of the days ``first`` to ``last``."""

    kind: OldKind
    path: str | None = None
    first: date | None = None
    last: date | None = None

    def has_day(self, day: date | None) -> bool:
        """Whether a day is meant."""
        if day is None:
            return False
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    def has_path(self, path: str) -> bool:
        """Whether what stands there is meant; a session is all of its parts."""
        if is_session_path(path) is not (self.kind == "sessions"):
            return False
        if self.path is None or path == self.path or path.startswith(f"{self.path.rstrip('/')}/"):
            return True
        return self.kind == "sessions" and path.startswith(f"{self.path}~")

    def check(self) -> None:
        """Refuse what can mean nothing.

        Raises:
            InvalidParamsError: the last day is before the first, or the path is no place of this kind.
        """
        if self.first is not None and self.last is not None and self.last < self.first:
            raise InvalidParamsError("`to` is before `from`", field="to", reason="value")
        place = PREFIX if self.kind == "sessions" else _NOTES
        if self.path is not None and not f"{self.path}/".startswith(place):
            told = f"{self.kind} lie in {place}"
            raise InvalidParamsError(told, field="path", reason="value")


@dataclass(frozen=True, slots=True)
class OldDay:
    """What one source says of one day: what may be staged, each claim once, and what the diary shows."""

    day: date
    path: str
    claims: tuple[Found, ...]
    sightings: tuple[Sighting, ...]
    entry: BackfillEntry | None


@dataclass(frozen=True, slots=True)
class OldText:
    """One source. ``left_out`` counts claims by the reason for which they may not be memories.

    ``state`` is another one whenever the source is, or who is behind its lines.
    """

    days: tuple[OldDay, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    state: tuple[bytes, Attribution] | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sources to look at, the oldest first; ``next_from`` is the day of the first that has no room."""

    files: tuple[ListedFile, ...]
    next_from: date | None
    skipped: Counter[str]


class OldSources:
    """The notes and sessions of one workspace. Everything here blocks: use a thread."""

    def __init__(self, sources: Sources, known: KnownSessions, analyzer: Analyzer) -> None:
        self._sources = sources
        self._known = known
        self._analyzer = analyzer

    def choose(self, scope: Scope) -> Chosen:
        """What is to be looked at.

        Raises:
            NotFoundError: nothing of this kind is at the path.
        """
        if scope.kind == "notes":
            return self._choose_notes(scope)
        return self._choose_sessions(scope)

    def read(self, file: ListedFile, scope: Scope, now: datetime, before: OldText | None = None) -> OldText:
        """What a source stands for now; nothing when it is gone, or cannot be read.

        ``before`` is what it stood for when it was last read: the answer, if it is as it was.
        """
        if is_session_path(file.path) and not self._is_private(file.path):
            return OldText()
        state = self._state(file)
        if before is not None and state == before.state:
            return before
        source = self._sources.read(file)
        if source is None:
            return OldText()
        left_out: Counter[str] = Counter()
        days: dict[date, list[Found]] = defaultdict(list)
        for claim in self._claims(source, scope):
            day = source.day_of(claim.source.start_line)
            reason = _why_left_out(claim)
            if reason is not None:
                left_out[reason] += 1
            elif day is not None:
                days[day].append(claim)
        tell = self._tell_said if source.is_session else self._tell_noted
        told = tuple(tell(file.path, day, found, now) for day, found in sorted(days.items()))
        return OldText(told, left_out, state)

    def _state(self, file: ListedFile) -> tuple[bytes, Attribution] | None:
        text = self._sources.corpus.read(file)
        if not isinstance(text, FileText):
            return None
        return text.state.hash, self._sources.corpus.peek(file, text)

    def _claims(self, source: ReadSource, scope: Scope) -> Sequence[Found]:
        if not source.is_session:
            return source.claims()
        numbers = [n for n in range(1, len(source.lines) + 1) if scope.has_day(source.day_of(n))]
        return list(own_claims([one for n in numbers for one in source.said(n, n)], self._analyzer))

    def _choose_notes(self, scope: Scope) -> Chosen:
        listed = [file for file in self._sources.corpus.list_files().files if is_source(file)]
        meant = [file for file in listed if scope.has_path(file.path) and not is_quarantine(file.path)]
        if scope.path is not None and not meant:
            raise NotFoundError("no note of a day is there", field="path")
        by_day: dict[date, list[ListedFile]] = defaultdict(list)
        skipped: Counter[str] = Counter()
        for file in meant:
            day = note_day(file.path)
            if file.stamp is not None and file.stamp.size > MOST_FILE_BYTES and scope.has_day(day):
                skipped["file_bytes"] += 1
            elif day is not None and scope.has_day(day):
                by_day[day].append(file)
        room: list[ListedFile] = []
        for day, files in sorted(by_day.items()):
            if room and len(room) + len(files) > MOST_NOTES:  # a day is looked at as a whole
                return Chosen(tuple(room), day, skipped)
            room += sorted(files, key=lambda file: file.path)
        return Chosen(tuple(room), None, skipped)

    def _choose_sessions(self, scope: Scope) -> Chosen:
        """Sessions in which nobody but the owner could speak; the last day with room is found on reading."""
        listed = [file for file in self._sources.list_sessions() if scope.has_path(file.path)]
        if scope.path is not None and not listed:
            raise NotFoundError("no session is there", field="path")
        private = [file for file in listed if self._is_private(file.path)]
        days = sorted({day for file in private for day in self._days(file) if scope.has_day(day)})
        next_from = days[MOST_DAYS] if len(days) > MOST_DAYS else None
        return Chosen(tuple(private), next_from, +Counter({"not_direct": len(listed) - len(private)}))

    def _days(self, file: ListedFile) -> Iterator[date]:
        text = self._sources.corpus.read(file)
        if isinstance(text, DocumentText):
            yield from (day for _, day in text.days)

    def _is_private(self, path: str) -> bool:
        name = parse_path(path)
        session = None if name is None else self._known.get(name.key)
        return session is not None and all(place.chat_type is ChatType.DIRECT for place in session.places)

    def _tell_noted(self, path: str, day: date, found: Sequence[Found], now: datetime) -> OldDay:
        by_key = {one.key: one for one in _distinct(found)}
        told = ground([_state(one) for one in found], self._analyzer)
        sightings = [
            _sighting(by_key[one.key], Signal("grounded", question, _NOBODY, day, LASTING_SCORE, now))
            for one in told.lasting
            for question in _LASTING
        ]
        sightings += [
            _sighting(
                by_key[one.stated.key], Signal("grounded", _CANDIDATE, _NOBODY, day, CANDIDATE_SCORE, now)
            )
            for one in told.candidates
            if one.lean == "durable"
        ]
        return _day(path, day, told, found, sightings)

    def _tell_said(self, path: str, day: date, found: Sequence[Found], now: datetime) -> OldDay:
        name = parse_path(path)
        assert name is not None
        first = _distinct(found)
        weighed = sorted((weigh(_state(one), self._analyzer) for one in first), key=lambda one: -one.weight)
        shown = {one.stated.key for one in weighed[:SHOWN_SAID]}
        told = Ground(facts=tuple(_state(one) for one in first if one.key in shown))
        sightings = [
            _sighting(one, Signal("grounded", _SAID, name.key, day, SESSION_SCORE, now)) for one in first
        ]
        return _day(path, day, told, found, sightings)


def _day(path: str, day: date, told: Ground, found: Sequence[Found], sightings: Sequence[Sighting]) -> OldDay:
    places: dict[str, list[str]] = defaultdict(list)
    for one in found:
        places[one.key].append(f"{path}:{one.source.start_line}")
    body = render_ground(told, lambda key: places[key])
    staged = {one.key for one in sightings}
    claims = tuple(one for one in _distinct(found) if one.key in staged)
    entry = BackfillEntry(day, path, body) if body else None
    return OldDay(day, path, claims, tuple(sightings), entry)


def _distinct(found: Sequence[Found]) -> list[Found]:
    """Each claim where it stands first."""
    first: dict[str, Found] = {}
    for one in found:
        first.setdefault(one.key, one)
    return list(first.values())


def _state(found: Found) -> Stated:
    above = found.text.removesuffix(found.body) if found.text != found.body else ""
    return Stated(
        found.key,
        found.text,
        found.body,
        section=above,
        title=above.rstrip(" :>"),
        has_key=found.source.supersedes_key is not None,
    )


def _why_left_out(found: Found) -> Exclusion | None:
    """Why a claim may ground nothing: the reasons for which it could never be promoted."""
    source = found.source
    return why_ineligible(
        Candidate(
            key=found.key,
            text=found.text,
            path=source.path,
            start_line=source.start_line,
            end_line=source.end_line,
            is_session=source.is_session,
            provenance=found.provenance,
            signals=Signals(),
        )
    )


def _sighting(found: Found, signal: Signal) -> Sighting:
    return Sighting(found.key, found.text, found.provenance, found.source, signal)
