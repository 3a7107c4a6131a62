"""Standing intents of one workspace: made, looked up, ended; and the steps that time alone takes."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Final
from uuid import uuid4

import structlog
import trio

from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intents import RELEASE_WINDOW, Intent, Status, cancel, finish, is_due
from openclaw_memd.domain.keywords import FORMS_VERSION, keyword_forms
from openclaw_memd.domain.stemming import STEMMER_VERSION, Stems
from openclaw_memd.domain.stopwords import LISTS
from openclaw_memd.errors import NotFoundError, UnavailableError
from openclaw_memd.index.ledger import intent_fires, intent_words, intents
from openclaw_memd.index.ledger.intent_rows import IntentRow
from openclaw_memd.index.store import Store
from openclaw_memd.intents.settling import settle_by_clock
from openclaw_memd.intents.wishes import Wish, make_intent
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.intents")

SWEEP_S: Final = 60.0
"""Between two looks at what time alone changes. Whoever asks settles what is shown, so none is late."""

CLOSED_KEPT: Final = timedelta(days=90)
_SLICE_ROWS: Final = 200

Change = Callable[[Intent], Intent | None]


class Intents:
    """The intents of the agents of one workspace, in the ledger ``state``."""

    def __init__(
        self,
        state: Store,
        languages: Sequence[str],
        clock: Clock,
        zone: Zone,
        settings: Callable[[str], Settings],
    ) -> None:
        """Take the languages whose word forms keywords match; ``settings`` are those of an agent.

        ``on_due`` is to be set by whoever wants to hear of each occurrence that comes due, once.
        """
        self.state = state
        self.stems = Stems(languages)
        self.clock = clock
        self.zone = zone
        self.settings = settings
        self.on_due: Callable[[Intent], None] = lambda _intent: None
        self._told: frozenset[tuple[str, datetime | None]] = frozenset()
        self._changed = trio.Event()
        self._stop_words = [LISTS[code] for code in self.stems.languages if code in LISTS]
        self._analysis = f"{FORMS_VERSION} {STEMMER_VERSION} {' '.join(self.stems.languages)}"

    async def load(self) -> None:
        """Make the words of keywords anew when they were made by another analysis.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        if await self.state.read(intent_words.read_analysis) == self._analysis:
            return

        def work(connection: Any) -> None:
            for number, keywords in intent_words.open_events(connection):
                intent_words.set_words(connection, number, keyword_forms(keywords, self.stems))
            intent_words.set_analysis(connection, self._analysis)

        await self.state.write(work)

    async def create(self, caller: Caller, wish: Wish) -> Intent:
        """Make the intent that ``caller`` wishes, who has owner authority.

        Raises:
            InvalidParamsError: something of it cannot be; ``field`` names it.
            UnavailableError: the ledger cannot be written.
        """
        intent = make_intent(
            wish,
            caller,
            str(uuid4()),
            now=self.clock.now(),
            zone=self.zone,
            settings=self.settings(caller.agent),
            stop_words=self._stop_words,
        )
        forms = keyword_forms(intent.keywords, self.stems)
        await self.state.write(partial(intents.add_intent, intent=intent, forms=forms))
        self.note_changed()
        return intent

    async def list(
        self,
        agent: str,
        statuses: Iterable[Status] = tuple(Status),
        *,
        limit: int = 200,
        after: str | None = None,
    ) -> list[Intent]:
        """Up to ``limit`` intents of ``agent`` in one of ``statuses``, oldest first, after the one ``after``.

        Raises:
            NotFoundError: there is no intent ``after``.
            UnavailableError: the ledger cannot be used.
        """
        wanted = frozenset(statuses)

        def work(connection: Any) -> Sequence[Intent]:
            now = self.clock.now()
            first = 0 if after is None else self._row(connection, agent, after, "after").number
            rows = intents.list_intents(connection, agent, tuple(Status), after=first)
            settled = (settle_by_clock(row.intent, now, self.zone) for row in rows)
            return tuple(islice((intent for intent in settled if intent.status in wanted), limit))

        return [*await self.state.read(work)]

    async def get(self, agent: str, intent_id: str) -> Intent:
        """One intent as it is now. Errors as ``list``."""
        row = await self.state.read(partial(self._row, agent=agent, intent_id=intent_id, field="id"))
        return settle_by_clock(row.intent, self.clock.now(), self.zone)

    async def cancel(self, agent: str, intent_id: str) -> tuple[Intent, bool]:
        """Cancel an intent; the intent, and whether this ended it for good. Errors as ``list``."""
        return await self._change(agent, intent_id, cancel)

    async def finish(self, agent: str, intent_id: str) -> tuple[Intent, bool]:
        """Say that an intent is done; the intent, and whether this ended it for good. Errors as ``list``."""
        return await self._change(agent, intent_id, finish)

    async def counts(self, agent: str) -> dict[Status, int]:
        """How many intents are in each open state."""
        return await self.state.read(partial(intents.count_open, agent=agent))

    @property
    def changed(self) -> trio.Event:
        """Set at the next change of any intent that somebody made."""
        return self._changed

    def note_changed(self) -> None:
        """Wake whoever waits for a change."""
        self._changed.set()
        self._changed = trio.Event()

    async def run(self) -> None:
        """Settle what time alone changes, and tell what comes due, until cancelled.

        The wall clock may be set and the machine may sleep, so it is looked at often.
        """
        sweep_at = trio.current_time()
        while True:
            changed = self._changed
            wait_s = SWEEP_S
            try:
                if trio.current_time() >= sweep_at:
                    await self.sweep()
                    sweep_at = trio.current_time() + SWEEP_S
                wait_s = await self._tell_due()
            except UnavailableError as error:  # who asks settles what is shown: nothing is wrong by waiting
                log.warning("intents not settled", reason=error.reason)
            with trio.move_on_after(min(wait_s, max(0.0, sweep_at - trio.current_time()) or SWEEP_S)):
                await changed.wait()

    async def _tell_due(self) -> float:
        """Tell each occurrence that is due once; the seconds until the next one."""
        now = self.clock.now()
        rows = await self.state.read(lambda connection: [*intents.find_due(connection, None, now)])
        settled = (settle_by_clock(row.intent, now, self.zone) for row in rows)
        due = {(intent.id, intent.due_at): intent for intent in settled if is_due(intent, now)}
        for occurrence, intent in due.items():
            if occurrence not in self._told:
                self.on_due(intent)
        self._told = frozenset(due)
        next_at = await self.state.read(partial(intents.next_due_at, after=now))
        return SWEEP_S if next_at is None else max(0.0, (next_at - self.clock.now()).total_seconds())

    async def sweep(self) -> None:
        """Store the steps that time took, and drop what nobody can come back to.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        now = self.clock.now()
        steps = (
            partial(
                intents.settle_intents,
                settle=lambda intent: settle_by_clock(intent, now, self.zone),
                forms=lambda intent: keyword_forms(intent.keywords, self.stems),
                now=now,
            ),
            partial(intent_words.drop_closed_words, before=now - RELEASE_WINDOW),
            partial(intent_fires.prune_fires, before=now - CLOSED_KEPT),
            partial(intents.mark_closed, now=now),
            partial(intents.prune_closed, before=now - CLOSED_KEPT),
        )
        for step in steps:
            while await self.state.write(partial(step, most=_SLICE_ROWS)) == _SLICE_ROWS:
                pass

    async def _change(self, agent: str, intent_id: str, change: Change) -> tuple[Intent, bool]:
        def work(connection: Any) -> tuple[Intent, bool]:
            row = self._row(connection, agent, intent_id, "id")
            intent = settle_by_clock(row.intent, self.clock.now(), self.zone)
            changed = change(intent)
            if changed is None:  # else a fire that is given back would open again what somebody ended
                intent_fires.keep_fires(connection, row.number)
            if changed is not None or intent != row.intent:
                intents.save_intent(connection, IntentRow(row.number, changed or intent))
            return changed or intent, changed is not None

        changed_ = await self.state.write(work)
        self.note_changed()
        return changed_

    @staticmethod
    def _row(connection: Any, agent: str, intent_id: str, field: str) -> IntentRow:
        row = intents.find_intent(connection, agent, intent_id)
        if row is None:
            raise NotFoundError("no such intent", field=field)
        return row
