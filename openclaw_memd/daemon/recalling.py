"""Deep recall of one agent over the memory of its workspace."""

from typing import TYPE_CHECKING

from openclaw_memd.config.sections import Escalation
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain.callers import ChatType
from openclaw_memd.domain.escalation import EscalationRules
from openclaw_memd.injection.triggers import Triggers
from openclaw_memd.ports import Clock
from openclaw_memd.recall.dated import Dated
from openclaw_memd.recall.get import Get
from openclaw_memd.recall.search import Search
from openclaw_memd.zones import Zone

if TYPE_CHECKING:  # imported when it is opened
    from openclaw_memd.deep.recall import ChooseModel, DeepRecall


def open_deep_recall(
    memory: WorkspaceMemory,
    search: Search,
    get: Get,
    *,
    rules: Escalation,
    min_score: float,
    chat_model: "ChooseModel",
    triggers: Triggers,
    clock: Clock,
    zone: Zone,
) -> "DeepRecall":
    """Deep recall with the agent's own search and triggers, by the settings ``rules``."""
    from openclaw_memd.deep.gathering import Gatherer
    from openclaw_memd.deep.recall import DeepRecall, Memory

    async def brings_up(text: str, project_keys: tuple[str, ...], until_at: float) -> bool:
        return bool(await triggers.match(text, active_projects=project_keys, deadline_at=until_at))

    return DeepRecall(
        Memory(
            gatherer=Gatherer(search, Dated(memory.index, get).find, memory.analyzer, min_score=min_score),
            searching=search.search,
            getting=get.get,
            version=lambda: (memory.index.epoch, memory.indexer.generation),
            chat_model=chat_model,
            brings_up=brings_up,
        ),
        escalation_rules(rules),
        clock,
        zone,
    )


def escalation_rules(section: Escalation) -> EscalationRules:
    """The section ``[escalation]`` for the decision."""
    return EscalationRules(
        mode=section.mode,
        chat_types=frozenset(ChatType(kind) for kind in section.chat_types),
        allow=frozenset(section.allow),
        deny=frozenset(section.deny),
    )
