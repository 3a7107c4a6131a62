"""Deep recall: what of the memory bears on a message, by its deadline, with a chat model or without one."""

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import Final, Literal

import trio

from openclaw_memd.deep.answers import RecentAnswers
from openclaw_memd.deep.breaker import Breaker
from openclaw_memd.deep.gathering import Evidence, Gatherer
from openclaw_memd.deep.inquiry import Getting, Inquiry, Searching, citations
from openclaw_memd.deep.types import MOST_HITS, DeepAnswer, DeepReason, DeepRequest
from openclaw_memd.domain.audience import Injection
from openclaw_memd.domain.escalation import EscalationReason, EscalationRules, decide_escalation
from openclaw_memd.domain.framing import frame_summary, summarize
from openclaw_memd.domain.recall_query import RecallQuery, make_query
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.errors import DeadlineError, UnavailableError
from openclaw_memd.ports import ChatModel, ChatModelError, Clock
from openclaw_memd.recall.hits import frame_hits
from openclaw_memd.recall.types import SearchRequest
from openclaw_memd.zones import Zone

ANSWER_S: Final = 0.03
ANSWER_SHARE: Final = 0.1
"""How much of the time is kept for writing the answer, up to ``ANSWER_S``."""

FAIR_S: Final = 0.25
"""A model that was given less time than this is not blamed for its silence."""

EVIDENCE_SHARE: Final = 0.5
"""How much of the time gathering evidence may take where a model is to look at it."""

TRIGGERS_SHARE: Final = 0.1
TRIGGERS_S: Final = 0.25  # as long as lane 1 has
"""How much of the time may go by until it is known whether lane 1 answers the message, up to
``TRIGGERS_S``.
"""

ChooseModel = Callable[[], ChatModel | None]
BringsUp = Callable[[str, tuple[str, ...], float], Awaitable[bool]]
"""Whether lane 1 injects something for a message in these projects, as known by a time of trio's."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is looked through: one workspace as an agent sees it.

    ``version`` changes whenever an answer may be another. ``chat_model`` gives the model of now, or None.
    ``brings_up`` is asked of messages for which lane 1 works.
    """

    gatherer: Gatherer
    searching: Searching
    getting: Getting
    version: Callable[[], Hashable]
    chat_model: ChooseModel
    brings_up: BringsUp


class DeepRecall:
    """The second lane of one agent. Never writes."""

    def __init__(self, memory: Memory, rules: EscalationRules, clock: Clock, zone: Zone) -> None:
        self._memory = memory
        self._rules = rules
        self._clock = clock
        self._zone = zone
        self._breaker = Breaker()
        self._answers = RecentAnswers()

    async def recall(self, request: DeepRequest) -> DeepAnswer:
        """What bears on the request's message, by its deadline; never an error."""
        started_s = self._clock.monotonic()
        answer = await self._recall(request, started_s)
        return replace(answer, took_ms=(self._clock.monotonic() - started_s) * 1000)

    async def _recall(self, request: DeepRequest, started_s: float) -> DeepAnswer:
        text = spoken_text(request.text)
        decision = decide_escalation(self._rules, request.caller, text)
        if not decision.run:
            return DeepAnswer("skipped", decision.reason)
        if decision.reason is EscalationReason.RECALL_INTENT and await self._is_answered(request, text):
            return DeepAnswer("skipped", EscalationReason.STRONG_HIT)
        query = make_query(text, request.recent, request.query_mode)
        if not query.text:
            return DeepAnswer("none", "no_terms")
        today = self._zone.day(self._clock.now())
        model = self._memory.chat_model()
        model_id = None if model is None else model.model_id
        version = self._memory.version()
        self._answers.follow(version)
        key = self._key(request, query, today, model_id)
        kept = self._answers.get(key, started_s)
        if kept is not None:
            return kept
        work = _Work(request, query, today, _cutoff(request.deadline_at))
        if model is None or model_id is None:
            answer = await self._without_model(work)
        else:
            answer = await self._with_model(work, model, f"{request.view.agent}:{model_id}")
        if self._memory.version() == version:  # else it may show what is no longer there
            self._answers.put(key, answer, self._clock.monotonic())
        return answer

    async def _is_answered(self, request: DeepRequest, text: str) -> bool:
        """Whether lane 1 injects something for the message; a lane that is down or slow does not."""
        if request.view.injection is not Injection.ALL:
            return False
        now = trio.current_time()
        until_at = now + min(TRIGGERS_S, max(0.0, request.deadline_at - now) * TRIGGERS_SHARE)
        with trio.move_on_at(until_at):
            try:
                return await self._memory.brings_up(text, request.project_keys, until_at)
            except UnavailableError:
                pass
        return False

    def _key(self, request: DeepRequest, query: RecallQuery, today: date, model_id: str | None) -> Hashable:
        """Whoever may see something else gets another answer."""
        session_id = None if request.caller is None else request.caller.session_id
        asked = "\0".join((query.text, query.message, *(f"{turn.role}:{turn.text}" for turn in query.before)))
        digest = sha256(asked.encode("utf-8", "surrogatepass")).digest()
        return (request.view, session_id, digest, request.project_keys, today, model_id)

    async def _without_model(self, work: "_Work") -> DeepAnswer:
        evidence = await self._gather(work, work.cutoff_at)
        return evidence if isinstance(evidence, DeepAnswer) else _hand_over(evidence)

    async def _with_model(self, work: "_Work", model: ChatModel, breaker_key: str) -> DeepAnswer:
        evidence = await self._gather(work, work.share_at(EVIDENCE_SHARE))
        if isinstance(evidence, DeepAnswer):
            return evidence
        if not self._breaker.admits(breaker_key, self._clock.monotonic()):
            return _with_evidence("timeout", "breaker", evidence)
        inquiry = Inquiry(
            query=work.query,
            scope=replace(work.scope, deadline_at=work.cutoff_at),
            today=work.today,
            hits=list(evidence.hits),
            steps=list(evidence.steps),
            searching=self._memory.searching,
            getting=self._memory.getting,
        )
        began_at = trio.current_time()
        failure: ChatModelError | None = None
        said: str | None = None
        in_time = False
        with trio.move_on_at(work.cutoff_at):
            try:
                said = await inquiry.run(model, work.cutoff_at)
                in_time = True
            except ChatModelError as error:
                failure = error
                in_time = error.failure != "timeout"
            except DeadlineError:  # of a search that the model asked for: not the model's silence
                return _with_evidence("timeout", "deadline", _found(evidence, inquiry))
            except UnavailableError as error:
                return DeepAnswer("unavailable", _reason_of(error), steps=tuple(inquiry.steps))
        if in_time:
            self._breaker.note_answer(breaker_key)
        elif work.cutoff_at - began_at >= FAIR_S:
            self._breaker.note_timeout(breaker_key, self._clock.monotonic())
        return _judge(said, failure, evidence, inquiry, in_time=in_time)

    async def _gather(self, work: "_Work", until: float) -> Evidence | DeepAnswer:
        try:
            scope = replace(work.scope, deadline_at=until)
            return await self._memory.gatherer.gather(work.query.text, scope, work.today)
        except UnavailableError as error:
            return DeepAnswer("unavailable", _reason_of(error))


@dataclass(frozen=True, slots=True)
class _Work:
    """One deep recall on its way. ``cutoff_at`` is when to stop, in trio's time."""

    request: DeepRequest
    query: RecallQuery
    today: date
    cutoff_at: float

    @property
    def scope(self) -> SearchRequest:
        """A search of everything that the caller may see."""
        request = self.request
        return SearchRequest("", corpus="all", project_keys=request.project_keys, view=request.view)

    def share_at(self, share: float) -> float:
        """When this share of the time that is left will have passed."""
        now = trio.current_time()
        return now + max(0.0, self.cutoff_at - now) * share


def _found(evidence: Evidence, inquiry: Inquiry) -> Evidence:
    """``evidence`` with what the inquiry added to it."""
    return replace(evidence, hits=tuple(inquiry.hits), steps=tuple(inquiry.steps))


def _judge(
    said: str | None, failure: ChatModelError | None, evidence: Evidence, inquiry: Inquiry, *, in_time: bool
) -> DeepAnswer:
    """The answer that an inquiry comes to."""
    found = _found(evidence, inquiry)
    if not in_time:
        return _with_evidence("timeout", "model", found)
    if failure is not None and failure.failure in ("off", "unavailable"):
        return _with_evidence("unavailable", "model", found)
    if not inquiry.origins:  # it was shown nothing, so nothing that it says rests on the memory
        return _hand_over(replace(evidence, steps=found.steps))
    if said == "":
        return DeepAnswer("none", "nothing_relevant", steps=found.steps)
    summary = "" if said is None else summarize(said)
    if said is None or not summary:
        rest = tuple(hit for hit in found.hits if hit not in evidence.hits)
        return _hand_over(replace(found, hits=(*evidence.hits, *rest)[:MOST_HITS]), "model_unusable")
    return DeepAnswer(
        "ok",
        summary=summary,
        context=_escape_quotes(frame_summary(said, citations(found.hits))),
        hits=found.hits,
        steps=found.steps,
        origins=frozenset(inquiry.origins),
    )


def _hand_over(evidence: Evidence, reason: DeepReason | None = None) -> DeepAnswer:
    """The answer without a model: the best line of the evidence, and all of it."""
    if evidence.late:
        return _with_evidence("timeout", "deadline", evidence)
    if not evidence.hits:
        return DeepAnswer("none", "no_match", steps=evidence.steps)
    return replace(_with_evidence("ok", reason, evidence), summary=summarize(evidence.gist))


def _with_evidence(
    outcome: Literal["ok", "timeout", "unavailable"], reason: DeepReason | None, found: Evidence
) -> DeepAnswer:
    """An answer with what was found and no judgement of it."""
    return DeepAnswer(
        outcome,
        reason,
        context=frame_hits(found.hits),
        hits=found.hits,
        steps=found.steps,
        origins=frozenset(hit.origin for hit in found.hits),
    )


def _reason_of(error: UnavailableError) -> DeepReason:
    match error.reason:
        case "damaged" | "embedding":
            return error.reason
        case _:
            return "memory"


def _escape_quotes(text: str) -> str:
    return text.replace('"', "&quot;").replace("'", "&#39;")


def _cutoff(deadline_at: float) -> float:
    left_s = max(0.0, deadline_at - trio.current_time())
    return deadline_at - min(ANSWER_S, left_s * ANSWER_SHARE)
