"""Whether a message gets deep recall: by setting, by who speaks where, and by what is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from openclaw_memd.domain.callers import Caller, ChatType
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.domain.recall_intent import asks_about_past

EscalationMode = Literal["escalate", "always", "off"]


class EscalationReason(StrEnum):
    """Why deep recall runs, the first three, or does not."""

    ALWAYS = "always"
    RECALL_INTENT = "recall_intent"
    ASKED = "asked"
    OFF = "off"
    NOT_INTERACTIVE = "not_interactive"
    NOT_OWNER = "not_owner"
    CHAT_TYPE = "chat_type"
    DENIED = "denied_conversation"
    NOT_ALLOWED = "not_allowed"
    STRONG_HIT = "strong_hit"
    NO_RECALL_INTENT = "no_recall_intent"


ESCALATION_REASONS: Final[Mapping[EscalationReason, str]] = MappingProxyType(
    {
        EscalationReason.ALWAYS: "it runs: `[escalation] mode` is `always`.",
        EscalationReason.RECALL_INTENT: "it runs: the message asks about the past.",
        EscalationReason.ASKED: "it runs: the operator asks for it.",
        EscalationReason.OFF: "`[escalation] mode` is `off`.",
        EscalationReason.NOT_INTERACTIVE: "the session is not interactive.",
        EscalationReason.NOT_OWNER: "the context does not say that the sender is the owner.",
        EscalationReason.CHAT_TYPE: "the chat is none of `[escalation] chat_types`.",
        EscalationReason.DENIED: "the conversation is in `[escalation] deny`.",
        EscalationReason.NOT_ALLOWED: "`[escalation] allow` does not have the conversation, or it has no id.",
        EscalationReason.STRONG_HIT: "what was injected for the message answers it already.",
        EscalationReason.NO_RECALL_INTENT: "the message does not ask about the past.",
    }
)


@dataclass(frozen=True, slots=True)
class EscalationRules:
    """The section ``[escalation]``: ``allow`` and ``deny`` are ids of conversations, in any case."""

    mode: EscalationMode = "escalate"
    chat_types: frozenset[ChatType] = frozenset({ChatType.DIRECT})
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in ("allow", "deny"):
            folded = frozenset(one.strip().casefold() for one in getattr(self, name))
            object.__setattr__(self, name, folded)


@dataclass(frozen=True, slots=True)
class Escalation:
    """Whether deep recall runs, and why or why not."""

    run: bool
    reason: EscalationReason


def decide_escalation(
    rules: EscalationRules, caller: Caller | None, text: str, *, strong_hit: bool = False
) -> Escalation:
    """Whether ``text``, the message of this turn, gets deep recall.

    ``caller`` None is the operator, who asks for it. ``strong_hit`` says that something was injected for the
    message already; it counts in the mode ``escalate`` only, like what the message asks.
    """
    reason = _why_not(rules, caller)
    if reason is not None:
        return Escalation(run=False, reason=reason)
    if caller is None:
        return Escalation(run=True, reason=EscalationReason.ASKED)
    if rules.mode == "always":
        return Escalation(run=True, reason=EscalationReason.ALWAYS)
    if strong_hit:
        return Escalation(run=False, reason=EscalationReason.STRONG_HIT)
    if not asks_about_past(text):
        return Escalation(run=False, reason=EscalationReason.NO_RECALL_INTENT)
    return Escalation(run=True, reason=EscalationReason.RECALL_INTENT)


def _why_not(rules: EscalationRules, caller: Caller | None) -> EscalationReason | None:
    """What forbids it, whatever the message says."""
    if rules.mode == "off":
        return EscalationReason.OFF
    if caller is None:
        return None
    if caller.session_kind is not SessionKind.INTERACTIVE or caller.parent_session_id is not None:
        return EscalationReason.NOT_INTERACTIVE
    if not caller.sender.is_owner:
        return EscalationReason.NOT_OWNER
    return _why_not_here(rules, caller)


def _why_not_here(rules: EscalationRules, caller: Caller) -> EscalationReason | None:
    if caller.chat_type not in rules.chat_types:
        return EscalationReason.CHAT_TYPE
    conversation = caller.channel.conversation_id
    folded = None if conversation is None else conversation.strip().casefold()
    if folded in rules.deny:
        return EscalationReason.DENIED
    if rules.allow and folded not in rules.allow:
        return EscalationReason.NOT_ALLOWED
    return None
