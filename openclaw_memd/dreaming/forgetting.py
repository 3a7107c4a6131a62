"""Forgetting what is known of claims: by session, by text, and where a source holds a claim no longer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import trio

from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.alike import Alike
from openclaw_memd.dreaming.lost_claims import LostClaims
from openclaw_memd.dreaming.sources import Found, ReadSource, Sources
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.session_corpus import cut_lines
from openclaw_memd.index.ledger import signal_upkeep as upkeep
from openclaw_memd.index.ledger.grounded import forget_brought, forget_sources
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.signal_rows import CandidateRow, SourceRow
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.sessions.paths import parse_path

Takes = Callable[[str], bool]


def _takes_nothing(_text: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Unwanted:
    """What is to be forgotten: what these sessions asked and said, what paths hold, what has certain words.

    ``sessions`` that are None are all of them. With ``since``, what was asked before then stays, and what is
    noted and said is judged by what is left of it. ``going`` are the numbers of lines that are still there
    and are about to go, by path.
    """

    sessions: frozenset[SessionKey] | None = frozenset()
    takes_path: Takes = _takes_nothing
    takes_text: Takes = _takes_nothing
    since: datetime | None = None
    going: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def takes_place(self, source: SourceRow) -> bool:
        """Whether a claim that stands there now is about to go from there."""
        lines = self.going.get(source.path)
        return lines is not None and not lines.isdisjoint(range(source.start_line, source.end_line + 1))

    def takes_source(self, path: str) -> bool:
        """Whether nothing of what stands there is to stay."""
        if self.since is not None:
            return False
        name = parse_path(path)
        is_session = name is not None and (self.sessions is None or name.key in self.sessions)
        return is_session or self.takes_path(path)

    def takes_claim(self, text: str) -> bool:
        """Whether a claim is to go wherever it stands."""
        return self.since is None and self.takes_text(text)


@dataclass(frozen=True, slots=True)
class ForgottenSignals:
    """How much of the signals went, or would go."""

    candidates: int = 0
    signals: int = 0
    corpus_lines: int = 0


class SignalForgetting:
    """Takes claims, signals and lines of the session corpus out."""

    def __init__(self, state: Store, sources: Sources, roots: Roots, analyzer: Analyzer) -> None:
        self._state = state
        self._sources = sources
        self._roots = roots
        self._analyzer = analyzer

    async def forget(self, wanted: Unwanted, *, dry_run: bool) -> ForgottenSignals:
        """Forget what is ``wanted``, and what stands nowhere any more.

        Raises:
            UnavailableError, DamagedError: the ledger or the corpus cannot be used now.
        """
        rows = await self._state.read(upkeep.load_candidates)
        standing = await trio.to_thread.run_sync(self._find_standing, rows, wanted)
        unwanted = {row.key for row in rows if wanted.takes_claim(row.text)}
        whole = {row.key for row in rows if not standing[row.key]}
        asked = partial(upkeep.count_sessions, sessions=wanted.sessions, since=wanted.since)
        signals = await self._state.read(asked)
        lines = await trio.to_thread.run_sync(self._cut_corpus, wanted, dry_run)
        if not dry_run:
            lost = [(row.key, s.path) for row in rows for s in row.sources if s.path not in standing[row.key]]
            texts = {
                row.key: next(iter(standing[row.key].values()))
                for row in rows
                if standing[row.key] and row.text not in standing[row.key].values()
            }
            await self._state.write(
                partial(_forget, wanted=wanted, lost=lost, unwanted=unwanted, texts=texts)
            )
        return ForgottenSignals(len(whole | unwanted), signals, lines)

    async def find_lost(self, wanted: Unwanted) -> LostClaims:
        """The claims that ``forget`` would take from somewhere now. Errors as in ``forget``."""
        rows = await self._state.read(upkeep.load_candidates)
        return await trio.to_thread.run_sync(self._find_lost, rows, wanted)

    def _find_lost(self, rows: Sequence[CandidateRow], wanted: Unwanted) -> LostClaims:
        touched = [
            row
            for row in rows
            if wanted.takes_claim(row.text)
            or any(wanted.takes_source(one.path) or one.path in wanted.going for one in row.sources)
        ]
        before = self._find_standing(touched, Unwanted())
        after = self._find_standing(touched, wanted)
        left = [
            (path, key, text)
            for key, found in before.items()
            for path, text in found.items()
            if path not in after[key]
        ]
        places = {(path, key) for path, key, _ in left}
        keys = {key for _, key, _ in left}
        texts = {text for _, _, text in left} | {row.text for row in touched if row.key in keys}
        gone = {row.key for row in touched if before[row.key] and not after[row.key]}
        unwanted = {row.key: row.text for row in touched if wanted.takes_claim(row.text)}
        for path in wanted.going:
            source = self._sources.find(path)
            for claim in () if source is None else source.claims():
                if wanted.takes_place(claim.source):
                    places.add((path, claim.key))
                    texts.add(claim.text)
        return LostClaims(
            frozenset(places), frozenset(gone | unwanted.keys()), frozenset(texts | set(unwanted.values()))
        )

    def _find_standing(self, rows: Sequence[CandidateRow], wanted: Unwanted) -> dict[str, dict[str, str]]:
        """For each candidate the sources that still hold it, and in which words."""
        claims: dict[str, dict[str, str]] = {}
        standing: dict[str, dict[str, str]] = {}
        for row in rows:
            alike = Alike({row.key: row.text}, self._analyzer)
            found = standing.setdefault(row.key, {})
            for one in row.sources:
                if wanted.takes_source(one.path):
                    continue
                if one.path not in claims:
                    source = self._sources.find(one.path)
                    claims[one.path] = {it.key: it.text for it in _left(source, wanted)}
                text = claims[one.path].get(row.key)
                if text is None and one.is_session:
                    said = claims[one.path].items()
                    text = next((text for key, text in said if alike.find_key(key, text) == row.key), None)
                if text is not None:
                    found[one.path] = text
        return standing

    def _cut_corpus(self, wanted: Unwanted, dry_run: bool) -> int:
        texts: dict[str, frozenset[str]] = {}

        def keeps(line: str) -> bool:
            reference, _, said = line.removeprefix("[").partition("] ")
            path = reference.rpartition("#L")[0]
            if parse_path(path) is None:
                return True  # somebody else's
            if wanted.takes_source(path) or wanted.takes_claim(said):
                return False
            if path not in texts:
                source = self._sources.find(path)
                texts[path] = frozenset(it.text for it in _left(source, wanted))
            return said in texts[path]

        try:
            return cut_lines(self._roots, keeps, dry_run=dry_run)
        except OSError as error:
            raise UnavailableError("the session corpus cannot be changed", reason="disk_error") from error


def _left(source: ReadSource | None, wanted: Unwanted) -> list[Found]:
    """The claims of a source without those that are about to go."""
    return [] if source is None else [one for one in source.claims() if not wanted.takes_place(one.source)]


def _forget(
    connection: Connection,
    *,
    wanted: Unwanted,
    lost: Collection[tuple[str, str]],
    unwanted: Collection[str],
    texts: Mapping[str, str],
) -> None:
    upkeep.drop_sources(connection, lost)
    forget_brought(connection, lost)
    forget_sources(connection, wanted.takes_source)
    upkeep.put_texts(connection, texts)
    places = upkeep.sources_of(connection, unwanted)
    upkeep.drop_sources(connection, places)
    forget_brought(connection, places)
    upkeep.drop_sessions(connection, wanted.sessions, wanted.since)
    upkeep.drop_homeless(connection, verdicts=True)
    upkeep.drop_silent(connection)
