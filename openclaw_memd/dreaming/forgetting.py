"""Forgetting what is known of claims: by session, by text, and where a source holds a claim no longer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.alike import Alike
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.session_corpus import cut_lines
from openclaw_memd.index.ledger import signal_upkeep as upkeep
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.signal_rows import CandidateRow
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.sessions.paths import parse_path

Takes = Callable[[str], bool]


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

    async def forget(
        self, sessions: frozenset[SessionKey], takes_path: Takes, takes_text: Takes, *, dry_run: bool
    ) -> ForgottenSignals:
        """Forget what ``sessions`` asked and said, what is taken, and what stands nowhere any more.

        Raises:
            UnavailableError, DamagedError: the ledger or the corpus cannot be used now.
        """
        rows = await self._state.read(upkeep.load_candidates)
        standing = await trio.to_thread.run_sync(self._find_standing, rows, sessions, takes_path)
        unwanted = {row.key for row in rows if takes_text(row.text)}
        whole = {row.key for row in rows if not standing[row.key]}
        signals = await self._state.read(partial(upkeep.count_sessions, sessions=sessions))
        lines = await trio.to_thread.run_sync(self._cut_corpus, sessions, takes_text, dry_run)
        if not dry_run:
            lost = [(row.key, s.path) for row in rows for s in row.sources if s.path not in standing[row.key]]
            texts = {
                row.key: next(iter(standing[row.key].values()))
                for row in rows
                if standing[row.key] and row.text not in standing[row.key].values()
            }
            await self._state.write(
                partial(_forget, lost=lost, unwanted=unwanted, sessions=sessions, texts=texts)
            )
        return ForgottenSignals(len(whole | unwanted), signals, lines)

    def _find_standing(
        self, rows: Sequence[CandidateRow], sessions: frozenset[SessionKey], takes_path: Takes
    ) -> dict[str, dict[str, str]]:
        """For each candidate the sources that still hold it, and in which words."""
        claims: dict[str, dict[str, str]] = {}
        standing: dict[str, dict[str, str]] = {}
        for row in rows:
            alike = Alike({row.key: row.text}, self._analyzer)
            found = standing.setdefault(row.key, {})
            for one in row.sources:
                name = parse_path(one.path)
                if takes_path(one.path) or (name is not None and name.key in sessions):
                    continue
                if one.path not in claims:
                    source = self._sources.find(one.path)
                    claims[one.path] = {} if source is None else {it.key: it.text for it in source.claims()}
                text = claims[one.path].get(row.key)
                if text is None and one.is_session:
                    said = claims[one.path].items()
                    text = next((text for key, text in said if alike.find_key(key, text) == row.key), None)
                if text is not None:
                    found[one.path] = text
        return standing

    def _cut_corpus(self, sessions: frozenset[SessionKey], takes: Takes, dry_run: bool) -> int:
        texts: dict[str, frozenset[str]] = {}

        def keeps(line: str) -> bool:
            reference, _, said = line.removeprefix("[").partition("] ")
            path = reference.rpartition("#L")[0]
            name = parse_path(path)
            if name is None:
                return True  # somebody else's
            if name.key in sessions or takes(said):
                return False
            if path not in texts:
                source = self._sources.find(path)
                texts[path] = frozenset(() if source is None else (it.text for it in source.claims()))
            return said in texts[path]

        try:
            return cut_lines(self._roots, keeps, dry_run=dry_run)
        except OSError as error:
            raise UnavailableError("the session corpus cannot be changed", reason="disk_error") from error


def _forget(
    connection: Connection,
    *,
    lost: Collection[tuple[str, str]],
    unwanted: Collection[str],
    sessions: Collection[SessionKey],
    texts: Mapping[str, str],
) -> None:
    upkeep.drop_sources(connection, lost)
    upkeep.put_texts(connection, texts)
    upkeep.drop_sources(connection, upkeep.sources_of(connection, unwanted))
    upkeep.drop_sessions(connection, sessions)
    upkeep.drop_homeless(connection, verdicts=True)
    upkeep.drop_silent(connection)
