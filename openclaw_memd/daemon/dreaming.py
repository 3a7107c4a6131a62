"""The dreaming of one workspace, wired: nights, their schedule, and what the owner decides about them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Dreaming as Settings
from openclaw_memd.daemon.chatting import AgentChat
from openclaw_memd.daemon.curating import budget_of
from openclaw_memd.daemon.lanes import Lanes
from openclaw_memd.daemon.write_path import WritePath
from openclaw_memd.domain.dream_pages import Phase
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.consolidating import Bounds, Consolidation
from openclaw_memd.dreaming.dating import Dating
from openclaw_memd.dreaming.diary import Diary
from openclaw_memd.dreaming.dreams import Dreams
from openclaw_memd.dreaming.night import Night
from openclaw_memd.dreaming.pages import Pages
from openclaw_memd.dreaming.phases import Phases
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.dreaming.reviewing import Reviewing
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.dreaming.schedule import Schedule, plan_phases
from openclaw_memd.dreaming.undoing import Undoing
from openclaw_memd.files.dreams import DreamPages
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Jobs
from openclaw_memd.models.chat.absent import AbsentChatModel
from openclaw_memd.ports import ChatModel, Clock
from openclaw_memd.zones import Zone

if TYPE_CHECKING:
    from openclaw_memd.dreaming.backfill import Backfill

Task = Callable[[], Awaitable[None]]
_NO_MODEL: Final = AbsentChatModel("there is no chat model")


class Dreaming:
    """The nights of one workspace, by the settings of the first of its agents; ``tasks`` run beside, by name.

    A chat model is lent by its agents; the first that has one now is asked.
    """

    def __init__(
        self,
        lanes: Lanes,
        config: Config,
        agents: Sequence[str],
        *,
        state: Store,
        roots: Roots,
        write_path: WritePath,
        analyzer: Analyzer,
        jobs: Jobs,
        key: str,
        clock: Clock,
        show: Callable[[str], Awaitable[None]],
        on_finished: Callable[[NightReport], None],
    ) -> None:
        self.settings: Settings = config.agents[agents[0]].dreaming
        self.zone = Zone(config.time.zone)
        self.now = clock.now
        self._chats: list[AgentChat] = []
        self._open_backfill = partial(
            _open_backfill, state=state, lanes=lanes, write_path=write_path, analyzer=analyzer, clock=clock
        )
        core, deletions = lanes.injecting.core, lanes.curating.deletions
        signals = lanes.signalling.store
        budgets = [budget_of(config.agents[agent].inject) for agent in agents]
        consolidation = Consolidation(
            state=state,
            core=core,
            writer=write_path.curated,
            deletions=deletions,
            signals=signals,
            sources=signals.sources,
            analyzer=analyzer,
            zone=self.zone,
            bounds=Bounds(
                lambda file: min(budget(file) for budget in budgets),
                loss_night=self.settings.loss_night,
                loss_week=self.settings.loss_week,
            ),
            model=lambda: self._model() or _NO_MODEL,
        )
        undoing = Undoing(
            state=state,
            core=core,
            writer=write_path.curated,
            history=write_path.history,
            deletions=deletions,
            signals=signals,
            analyzer=analyzer,
            turn=consolidation.turn,
        )
        self.reviewing = Reviewing(consolidation, undoing, clock)
        self.pages = Pages(DreamPages(roots))
        runs = Runs(state, clock)
        phases = Phases(
            signals=signals,
            consolidation=consolidation,
            is_deleted=deletions.is_deleted,
            dating=Dating(core, write_path.curated),
            runs=runs,
            pages=self.pages,
            analyzer=analyzer,
            zone=self.zone,
            settings=self.settings,
        )
        night = Night(
            signals=signals,
            ingestion=lanes.signalling.ingestion,
            phases=phases,
            pages=self.pages,
            diary=Diary(self._model),
            runs=runs,
            clock=clock,
            zone=self.zone,
            mode=self.settings.mode,
        )
        self.dreams = Dreams(
            night=night,
            phases=phases,
            runs=runs,
            pages=self.pages,
            core=core,
            state=state,
            roots=roots,
            analyzer=analyzer,
            jobs=jobs,
            key=key,
            clock=clock,
            zone=self.zone,
            stands_back=not self.settings.beside_openclaw,
            show=show,
            on_finished=on_finished,
        )
        own: Mapping[Phase, str] = {
            "light": self.settings.light_schedule,
            "rem": self.settings.rem_schedule,
            "deep": self.settings.deep_schedule,
        }
        plans = () if self.settings.mode == "off" else plan_phases(self.settings.schedule, own)
        self.schedule = Schedule(state, plans, self.zone, clock, self.dreams.follow_schedule)

    @cached_property
    def backfill(self) -> "Backfill":
        """Looks through old notes and sessions: seldom, so nothing of it is loaded before."""
        return self._open_backfill(pages=self.pages, is_off=self.settings.mode == "off")

    def lend(self, chat: AgentChat) -> None:
        """Take the chat model of one of the agents."""
        self._chats.append(chat)

    def warnings(self) -> list[str]:
        """What ``status`` says of it."""
        if not self.dreams.has_stood_back:
            return []
        return [
            "OpenClaw dreams on this workspace, so memd's schedule stands back;"
            " `[dreaming] beside_openclaw = true` lets both dream"
        ]

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {"dreaming": self.schedule.run, "dream pages": self.pages.run}

    def _model(self) -> ChatModel | None:
        return next((model for chat in self._chats if (model := chat.usable()) is not None), None)


def _open_backfill(
    *,
    state: Store,
    lanes: Lanes,
    write_path: WritePath,
    analyzer: Analyzer,
    clock: Clock,
    pages: Pages,
    is_off: bool,
) -> "Backfill":
    from openclaw_memd.dreaming.backfill import Backfill
    from openclaw_memd.dreaming.old_sources import OldSources

    signals = lanes.signalling.store
    old = OldSources(signals.sources, write_path.sessions.known, analyzer)
    return Backfill(state=state, signals=signals, old=old, pages=pages, clock=clock, is_off=is_off)
