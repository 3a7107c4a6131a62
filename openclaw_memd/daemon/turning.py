"""What one workspace answers to messages: intents, reminders, and turns by the settings of each agent."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from openclaw_memd.config.schema import Agent, Config
from openclaw_memd.daemon.injecting import Injecting
from openclaw_memd.domain.escalation import EscalationRules
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.store import Store
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.injection.intent_meanings import IntentMeanings
from openclaw_memd.injection.projects import ProjectScopes
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.intents.explaining import Explaining
from openclaw_memd.intents.firing import Firing
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.intents.reminders import Reminders
from openclaw_memd.intents.service import Intents
from openclaw_memd.ports import Clock
from openclaw_memd.turn.give_backs import GiveBacks
from openclaw_memd.turn.turns import LaneOne, Turns
from openclaw_memd.zones import Zone

Task = Callable[[], Awaitable[None]]
_DEFAULT: Final = Agent()


class Turning:
    """The intents of one workspace and what its messages bring along; ``tasks`` run beside, by name."""

    def __init__(
        self,
        *,
        state: Store,
        injecting: Injecting,
        projects: ProjectScopes,
        vectors: TriggerVectors,
        languages: Sequence[str],
        config: Config,
        clock: Clock,
    ) -> None:
        self._state = state
        self._injecting = injecting
        self._projects = projects
        self._clock = clock
        self._zone = Zone(config.time.zone)
        self._agents = config.agents
        self.intents = Intents(
            state, languages, clock, self._zone, lambda agent: self._agents.get(agent, _DEFAULT).intents
        )
        self.reminders = Reminders(self.intents)
        self._vectors = vectors
        self._meanings = IntentMeanings(self.intents, vectors)
        self.explaining = Explaining(self.intents, self._meanings.about)
        self.firing = Firing(state, self.intents.stems, clock, self._meanings.about)
        self.answers = TurnAnswers(state, clock)
        self._give_backs = GiveBacks(self.firing, self.answers)

    def turns(self, settings: Agent, bootstrap: Bootstrap, escalation: EscalationRules) -> Turns:
        """The turns of an agent with these settings."""
        return Turns(
            LaneOne(
                self._injecting.core, self._injecting.triggers(settings.inject), self._projects, bootstrap
            ),
            self.firing,
            self.reminders,
            self.answers,
            self._give_backs,
            intents=settings.intents,
            escalation=escalation,
            clock=self._clock,
            zone=self._zone,
        )

    def forgetting(self, analyzer: Analyzer) -> IntentForgetting:
        """Forgets intents and answers of turns."""
        return IntentForgetting(self._state, self.answers, analyzer, self.intents.note_changed)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {
            "intents": self.intents.run,
            "intent meanings": self._meanings.run,
            "intent vectors": self._vectors.run,
            "turns": self.answers.run,
            "fires": self._give_backs.run,
        }
