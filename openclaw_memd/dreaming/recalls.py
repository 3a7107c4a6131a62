"""Recalls: which answers count, and which claims they are credited to.

What is heard is kept in a bounded queue and recorded later, so that no answer waits for it or fails by it.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.crediting import choose_credited
from openclaw_memd.domain.provenance import SessionKind, Source, is_trusted
from openclaw_memd.domain.recall_signals import Signal, hash_question
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.sources import ReadSource, Sources
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.recall.types import GetAnswer, Hit
from openclaw_memd.sessions.known import KnownSessions

OPERATOR: Final = SessionKey("", "operator")
"""The session of calls without context."""

MOST_WAITING: Final = 4096
MOST_ASKING: Final = 256
"""Of so many sessions the last question is known, for what they fetch after it."""

QUESTION_CHARS: Final = 4096


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines that were shown, with their score. Claims of the same trust are credited, and no others.

    ``best_line`` is the one that is near by meaning, if one is.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    is_trusted: bool = True
    best_line: int | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """An answer that counts."""

    session: SessionKey
    question: str
    day: date
    at: datetime
    shown: tuple[Shown, ...]


@dataclass(slots=True)
class _Asked:
    question: str
    scores: dict[tuple[str, bool], float]


class Recalls:
    """Hears of answers, in the event loop; ``take`` gives what was heard.

    ``lost`` counts what found no room.
    """

    def __init__(self, known: KnownSessions) -> None:
        self._known = known
        self._waiting: deque[Recall] = deque()
        self._asked: OrderedDict[SessionKey, _Asked] = OrderedDict()
        self.lost = 0

    def hear(
        self, caller: Caller | None, question: str, hits: Iterable[Hit], *, day: date, at: datetime
    ) -> bool:
        """A question was answered with ``hits``; whether that counts.

        Hits that nobody vouches for give way when many wait, so that they never take a place that another
        one needs.
        """
        session = self.session_of(caller)
        if session is None or not question.strip():
            return False
        kept = [hit for hit in hits if hit.source in (Source.MEMORY, Source.SESSIONS)]
        self._remember(session, question, kept)
        if len(self._waiting) >= MOST_WAITING // 2:
            kept = [hit for hit in kept if is_trusted(hit.origin)]
        shown = tuple(_shown(hit) for hit in kept)
        return self._put(Recall(session, question[-QUESTION_CHARS:], day, at, shown))

    def hear_get(self, caller: Caller | None, answer: GetAnswer, *, day: date, at: datetime) -> bool:
        """Lines of a file were fetched; it counts when the last question of the session had a hit there."""
        session = self.session_of(caller)
        asked = None if session is None else self._asked.get(session)
        if session is None or asked is None or not answer.lines:
            return False
        last = answer.from_line + answer.lines - 1
        shown = tuple(
            Shown(answer.path, answer.from_line, last, score, trusted)
            for (path, trusted), score in asked.scores.items()
            if path == answer.path
        )
        return self._put(Recall(session, asked.question, day, at, shown))

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, most: int) -> list[Recall]:
        """The oldest that wait, at most so many; they wait no longer."""
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def put_back(self, recalls: Sequence[Recall]) -> None:
        """They could not be recorded and wait again, as far as there is room."""
        room = max(0, MOST_WAITING - len(self._waiting))
        self.lost += max(0, len(recalls) - room)
        self._waiting.extendleft(reversed(recalls[len(recalls) - room :] if room else []))

    def forget(self) -> None:
        """Know no question any more, nor what waits."""
        self._waiting.clear()
        self._asked.clear()

    def session_of(self, caller: Caller | None) -> SessionKey | None:
        """The session whose questions count; None for a scheduled run, a sub-agent, one that is not known to
        be interactive, and whatever any of those started.
        """
        if caller is None:
            return OPERATOR
        if caller.session_kind is not SessionKind.INTERACTIVE:
            return None
        if caller.session_id is None:
            return None if caller.writer is None else SessionKey(caller.agent, caller.writer)
        key = SessionKey(caller.agent, caller.session_id)
        kind = self._known.ancestry(key, caller.parent_session_id).kind_of(caller.session_kind)
        return key if kind is SessionKind.INTERACTIVE else None

    def _put(self, recall: Recall) -> bool:
        if not recall.shown:
            return False
        if len(self._waiting) >= MOST_WAITING:
            self.lost += 1
            return False
        self._waiting.append(recall)
        return True

    def _remember(self, session: SessionKey, question: str, hits: Sequence[Hit]) -> None:
        scores: dict[tuple[str, bool], float] = {}
        for hit in hits:
            place = hit.path, is_trusted(hit.origin)
            scores[place] = max(hit.score, scores.get(place, 0.0))
        self._asked.pop(session, None)
        self._asked[session] = _Asked(question[-QUESTION_CHARS:], scores)
        while len(self._asked) > MOST_ASKING:
            self._asked.popitem(last=False)


def find_sightings(recalls: Sequence[Recall], sources: Sources, analyzer: Analyzer) -> list[Sighting]:
    """The claims that recalls are credited to, as the files and sessions are now. Blocks: use a thread.

    What came between a recall and now counts as it is: text that is gone is credited nothing.
    """
    read: dict[str, ReadSource | None] = {}
    sightings: list[Sighting] = []
    for recall in recalls:
        terms = analyzer.query_terms(recall.question)
        question = hash_question(recall.question)
        for shown in recall.shown:
            if shown.path not in read:
                read[shown.path] = sources.find(shown.path)
            source = read[shown.path]
            if source is None:
                continue
            met = [
                claim
                for claim in source.claims_in(shown.start_line, shown.end_line)
                if is_trusted(claim.provenance.origin) is shown.is_trusted
            ]
            nearest = [claim for claim in met if shown.best_line and claim.holds(shown.best_line)]
            credited = choose_credited(met, nearest, terms=terms, analyzer=analyzer)
            signal = Signal("recall", question, recall.session, recall.day, shown.score, recall.at)
            sightings += [
                Sighting(claim.key, claim.text, claim.provenance, claim.source, signal) for claim in credited
            ]
    return sightings


def _shown(hit: Hit) -> Shown:
    best_line = None if hit.vector_score is None else hit.best_line
    return Shown(hit.path, hit.start_line, hit.end_line, hit.score, is_trusted(hit.origin), best_line)
