"""What was noted and said of late, read at the start of a night. Nobody asked for any of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from hashlib import blake2b
from math import ceil
from typing import Final

import structlog
import trio

from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.recall_signals import DAILY_SCORE, SESSION_SCORE, Signal, hash_source
from openclaw_memd.domain.short_term import is_quarantine
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.said_claims import own_claims
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.sources import Found, ReadSource, Sources
from openclaw_memd.files.catalog import Stamp
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.session_corpus import add_lines
from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.index.ledger.signal_upkeep import Cursor, keep_cursors, put_cursors, read_cursors
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.sessions.paths import parse_path
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.signals")

LOOKBACK_DAYS: Final = 14  # OpenClaw's value for notes; sessions of a missed night are not lost either
DAILY_CLAIMS: Final = 400  # OpenClaw's values from here on
LEAST_PER_NOTE: Final = 6
SESSION_LINES: Final = 240
LEAST_PER_SESSION: Final = 12
MOST_PER_SESSION: Final = 80

_NOBODY: Final = ("", "")
_PROOF_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Ingested:
    """How much was read: notes, and lines that were said."""

    notes: int = 0
    session_lines: int = 0


@dataclass(frozen=True, slots=True)
class _News:
    """A part of a session that is another than at the last time, and the ``first`` line to be read."""

    source: ReadSource
    first: int

    @property
    def numbers(self) -> range:
        return range(self.first, len(self.source.lines) + 1)

    def is_trusted(self, number: int) -> bool:
        return is_trusted(self.source.attribution.of_lines(number, number).origin)


@dataclass(slots=True)
class _Heard:
    """What was said since the last time."""

    sightings: list[Sighting] = field(default_factory=list)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    days: dict[date, list[str]] = field(default_factory=dict)
    lines: int = 0
    outside_lines: int = 0


class Ingestion:
    """Reads the notes and sessions of one workspace for its signals. Done twice on a day it is done once."""

    def __init__(
        self, state: Store, signals: SignalStore, *, roots: Roots, analyzer: Analyzer, zone: Zone
    ) -> None:
        self._state = state
        self._signals = signals
        self._sources: Sources = signals.sources
        self._roots = roots
        self._analyzer = analyzer
        self._zone = zone

    async def ingest(
        self, now: datetime, lookback_days: int = LOOKBACK_DAYS, *, most_claims: int = DAILY_CLAIMS
    ) -> Ingested:
        """Read the notes of the last days, at least fourteen, and what was said in them since the last time.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used now; what was read is not lost by it.
        """
        await self._signals.settle()
        since = self._zone.day(now) - timedelta(days=max(lookback_days, LOOKBACK_DAYS) - 1)
        noted, notes = await trio.to_thread.run_sync(self._read_notes, now, since, most_claims)
        await self._signals.record(noted)
        cursors = await self._state.read(read_cursors)
        heard = await trio.to_thread.run_sync(self._read_sessions, now, since, cursors)
        await trio.to_thread.run_sync(self._write_corpus, heard)
        await self._signals.record(heard.sightings, partial(_move_on, heard=heard))
        return Ingested(notes, heard.lines)

    def _read_notes(self, now: datetime, since: date, most: int) -> tuple[list[Sighting], int]:
        """The claims of notes, a share of each; what nobody vouches for takes no place of the others."""
        today = self._zone.day(now)
        until = today + timedelta(days=1)  # of which other zones write; what is for later days tells of none
        files = [file for file in self._sources.list_notes(since, until) if not is_quarantine(file.path)]
        question = hash_source("daily", today.isoformat())
        read = [(source, source.claims()) for file in files if (source := self._sources.read(file))]
        found: list[Sighting] = []
        for trusted in (True, False):
            wanted = [
                (source, own)
                for source, claims in read
                if (own := [it for it in claims if is_trusted(it.provenance.origin) is trusted])
            ]
            each = max(LEAST_PER_NOTE, ceil(most / max(1, len(wanted))))
            room = most
            for source, claims in wanted:
                for claim in claims[: min(each, room)]:
                    day = source.day_of(claim.source.start_line) or today
                    found.append(_sighting(claim, Signal("daily", question, _NOBODY, day, DAILY_SCORE, now)))
                room -= min(each, room, len(claims))
        return found, len(files)

    def _read_sessions(self, now: datetime, since: date, cursors: Mapping[str, Cursor]) -> _Heard:
        """What was said, a share of each session; what nobody vouches for takes no place of the others."""
        heard = _Heard()
        news: list[_News] = []
        for file in self._sources.list_sessions():
            heard.paths.append(file.path)
            cursor = cursors.get(file.path)
            if cursor is not None and cursor.stamp == _show(file.stamp):
                continue
            source = self._sources.read(file)
            if source is not None:
                news.append(_look_for_news(source, cursor, since))
        trusted = sum(any(map(one.is_trusted, one.numbers)) for one in news)
        each = min(MOST_PER_SESSION, max(LEAST_PER_SESSION, ceil(SESSION_LINES / max(1, trusted))))
        for one in news:
            self._hear(one, heard, now=now, each=each)
        return heard

    def _hear(self, news: _News, heard: _Heard, *, now: datetime, each: int) -> None:
        """Read on where the last time ended, as far as there is room; the rest is for the next time."""
        source = news.source
        path, name = source.file.path, parse_path(source.file.path)
        room = min(each, SESSION_LINES - heard.lines)
        outside_room = min(each, SESSION_LINES - heard.outside_lines)
        last = news.first - 1
        claims: list[Found] = []
        for number in news.numbers:
            if not news.is_trusted(number):
                if outside_room > 0:
                    outside_room -= 1
                    heard.outside_lines += 1
                    claims += source.said(number, number)
            elif room > 0:
                room -= 1
                heard.lines += 1
                claims += source.said(number, number)
            else:
                break
            last = number
        stamp = _show(source.file.stamp) if last == len(source.lines) else None
        heard.cursors[path] = Cursor(last, _prove(source.lines[:last]), stamp)
        if name is None:
            return
        for claim in own_claims(claims, self._analyzer):
            day = claim.source.noted_on or self._zone.day(now)
            signal = Signal("said", hash_source("said", ""), name.key, day, SESSION_SCORE, _instant(day, now))
            heard.sightings.append(_sighting(claim, signal))
            if is_trusted(claim.provenance.origin):
                line = f"[{path}#L{claim.source.start_line}] {claim.text}"
                heard.days.setdefault(day, []).append(line)

    def _write_corpus(self, heard: _Heard) -> None:
        if not heard.days:
            return
        try:
            add_lines(self._roots, heard.days)
        except OSError as error:  # it is for people to read, and nothing depends on it
            log.warning("session corpus not written", errno=error.errno)


def _move_on(connection: Connection, heard: _Heard) -> None:
    put_cursors(connection, heard.cursors)
    keep_cursors(connection, heard.paths)


def _sighting(claim: Found, signal: Signal) -> Sighting:
    return Sighting(claim.key, claim.text, claim.provenance, claim.source, signal)


def _look_for_news(source: ReadSource, cursor: Cursor | None, since: date) -> _News:
    """What was said after the last time, or everything where that is not what it was.

    What is too old is passed over.
    """
    lines = source.lines
    done = 0 if cursor is None or _prove(lines[: cursor.lines]) != cursor.proof else cursor.lines
    days = ((number, source.day_of(number)) for number in range(done + 1, len(lines) + 1))
    first = next((number for number, day in days if day is not None and day >= since), len(lines) + 1)
    return _News(source, first)


def _show(stamp: Stamp | None) -> str | None:
    return None if stamp is None else f"{stamp.size} {stamp.mtime_ns} {stamp.ctime_ns} {stamp.inode}"


def _instant(day: date, now: datetime) -> datetime:
    """When something that is known by its day was said, about."""
    return min(now, datetime.combine(day, time(12), tzinfo=UTC))


def _prove(lines: Sequence[str]) -> bytes:
    text = "\n".join(lines)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_PROOF_BYTES).digest()
