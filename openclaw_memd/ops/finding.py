"""Finding what a call that forgets takes, by what is known when it begins."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time
from functools import partial

import trio

from openclaw_memd.domain.forgetting import Selectors, Wanted
from openclaw_memd.domain.short_term import short_term_note
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.dreaming.promoted_forgetting import PromotedForgetting
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.index import readers
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.ledger import forgetting as ledger
from openclaw_memd.index.ledger.scopes import Scope
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.store import Store
from openclaw_memd.ops.choosing import choose_files, read_paths
from openclaw_memd.ops.scrubbing import Scrubber
from openclaw_memd.ops.work import Work
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.forgetting import SaidToForget
from openclaw_memd.sessions.paths import parse_path
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone


class Finder:
    """Finds it in one workspace. Nothing is written."""

    def __init__(
        self,
        *,
        state: Store,
        indexer: Indexer,
        sessions: Sessions,
        signals: SignalStore,
        promoted: PromotedForgetting,
        scrubber: Scrubber,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
    ) -> None:
        self._state = state
        self._indexer = indexer
        self._sessions = sessions
        self._signals = signals
        self._promoted = promoted
        self._scrubber = scrubber
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone

    async def find(self, agent: str, selectors: Selectors) -> Work:
        """What ``selectors`` take.

        Raises:
            InvalidParamsError: nothing is selected, or the query has no words.
            DeniedError: a path is none of a memory file.
            UnavailableError, DamagedError: a database cannot be read.
        """
        work = await self._begin(agent, selectors)
        notes = [path for path in work.chosen.paths if short_term_note(path) is not None]
        going = (await self._scrubber.look(notes, work.wanted_of)).going
        said = await trio.to_thread.run_sync(self._lines_said, work.said, work.documents)
        work.going = {**going, **said}
        work.lost = await self._signals.find_lost(work.unwanted_soon())
        work.promoted = await self._promoted.find(work.takes_source, work.lost)
        paths = sorted({*work.chosen.paths, *work.promoted.heads})
        work.chosen = replace(work.chosen, paths=tuple(paths))
        return work

    async def _begin(self, agent: str, selectors: Selectors) -> Work:
        selectors.check()
        last = await self._state.read(ledger.last_recorded)
        now = self._clock.now()
        until = now if last is None else max(now, last)
        chosen = read_paths(selectors.paths)
        keys = {SessionKey(agent, session_id) for session_id in selectors.session_ids} | chosen.sessions
        if selectors.participant is not None:
            keys |= await self._sessions.forgetting.of_participant(agent, selectors.participant)
        wanted = self._wanted(selectors, frozenset(keys), until)
        scope = Scope(frozenset(keys), frozenset(), wanted.is_everything, since=wanted.since, until=until)
        recorded = await self._state.read(partial(ledger.paths_in, scope=scope))
        choose = partial(choose_files, recorded=recorded)
        chosen = await trio.to_thread.run_sync(choose, chosen, self._indexer.corpus, wanted, self._analyzer)
        said = await self._sessions.forgetting.find(
            frozenset(keys),
            wanted.since,
            partial(wanted.takes_text, analyzer=self._analyzer) if wanted.terms else None,
            is_everything=wanted.is_everything,
        )
        whole = frozenset(path for path in chosen.paths if chosen.takes(path))
        return Work(
            self._analyzer,
            wanted,
            chosen,
            said,
            replace(scope, paths=whole),
            await self._indexer.store.read(readers.chunk_counts),
            documents=tuple(self._sessions.forgetting.paths(said)),
            kept=list(chosen.kept),
        )

    def _wanted(self, selectors: Selectors, keys: frozenset[SessionKey], now: datetime) -> Wanted:
        terms: tuple[Term, ...] = ()
        if selectors.query is not None:
            terms = tuple(self._analyzer.query_terms(selectors.query))
            if not terms:
                raise InvalidParamsError("the query has no words", field="query", reason="value")
        since = selectors.since
        if since is not None and not isinstance(since, datetime):
            since = datetime.combine(since, time(), self._zone.at(now).tzinfo)
        others = selectors.session_ids or selectors.paths or terms or selectors.participant
        return Wanted(
            sessions=frozenset(keys),
            terms=terms,
            since=since,
            since_day=None if since is None else self._zone.day(since),
            is_everything=not others,
        )

    def _lines_said(self, said: SaidToForget, documents: tuple[str, ...]) -> Mapping[str, frozenset[int]]:
        """The lines of single messages that go, in the documents of their sessions."""
        found: dict[str, frozenset[int]] = {}
        for path in documents:
            name = parse_path(path)
            numbers = () if name is None else said.messages.get(name.key, ())
            if lines := self._sessions.every_document.lines_of(path, numbers):
                found[path] = lines
        return found
