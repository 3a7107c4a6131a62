"""What a chat model may say about the claims of a night, and whether it can be done. Pure.

It names an operation for each claim and quotes the entries that it is about; it writes nothing. A reply with
anything wrong in it counts for nothing as a whole, and what follows from rules alone is done.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openclaw_memd.domain.consolidation import Action, Prior, Step, is_one_line
from openclaw_memd.domain.curated_files import bare_text, is_active, scope_of
from openclaw_memd.domain.paraphrasing import is_paraphrase
from openclaw_memd.domain.text import Analyzer

REPLY_CHARS: Final = 65_536

_ACTIONS: Final[tuple[Action, ...]] = ("added", "merged", "superseded")
_MOST_PRIORS: Final = 4
_FIELDS: Final = {"candidateKey", "action", "priorEntries"}


@dataclass(frozen=True, slots=True)
class Operation:
    """What a model says of one claim; ``priors`` are the entries as it quotes them."""

    key: str
    action: Action
    priors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InvalidPlan:
    """Why a reply counts for nothing, as one plain phrase."""

    why: str


def operations_schema(keys: Sequence[str], entries: Sequence[str]) -> Mapping[str, Any]:
    """The JSON schema of a reply about the claims ``keys`` that may quote ``entries``."""
    quoted: Mapping[str, Any] = {"enum": list(dict.fromkeys(entries))} if entries else {"type": "string"}
    operation = {
        "type": "object",
        "properties": {
            "candidateKey": {"enum": list(keys)},
            "action": {"enum": list(_ACTIONS)},
            "priorEntries": {"type": "array", "items": quoted, "maxItems": _MOST_PRIORS if entries else 0},
        },
        "required": ["candidateKey", "action", "priorEntries"],
        "additionalProperties": False,
    }
    operations = {"type": "array", "items": operation, "minItems": len(keys), "maxItems": len(keys)}
    return {
        "type": "object",
        "properties": {"operations": operations},
        "required": ["operations"],
        "additionalProperties": False,
    }


def read_operations(reply: str, keys: Sequence[str]) -> list[Operation] | InvalidPlan:
    """The operations of a reply, one for each of ``keys`` in any order."""
    if len(reply) > REPLY_CHARS:
        return InvalidPlan("the reply is too long")
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return InvalidPlan("the reply is no JSON")
    listed = found.get("operations") if isinstance(found, dict) and found.keys() == {"operations"} else None
    if not isinstance(listed, list):
        return InvalidPlan("the reply has no list of operations alone")
    operations = [_read_operation(one) for one in listed]
    if any(one is None for one in operations):
        return InvalidPlan("an operation is malformed")
    known = [one for one in operations if one is not None]
    if Counter(one.key for one in known) != Counter(keys):
        return InvalidPlan("there is not one operation for each candidate")
    return known


def judge_operations(
    operations: Sequence[Operation], steps: Sequence[Step], priors: Sequence[Prior], analyzer: Analyzer
) -> list[Step] | InvalidPlan:
    """The steps that a model chose, in the order of ``steps``, which follow from rules alone.

    What rules know for certain a model cannot undo: who says the same is merged, an explicit key supersedes.
    It may hold that a new fact is in the file already in another order or with fillers; each word of it must
    be there then in the same part, for what is merged is written nowhere. ``priors`` are the entries of the
    file.
    """
    by_key = {operation.key: operation for operation in operations}
    taken = Counter(prior.strip() for operation in operations for prior in operation.priors)
    if any(count > 1 for count in taken.values()):
        return InvalidPlan("an entry is quoted twice")
    judged: list[Step] = []
    for step in steps:
        found = _judge(by_key[step.fact.key], step, priors, analyzer)
        if isinstance(found, InvalidPlan):
            return found
        judged.append(found)
    return judged


def _judge(
    operation: Operation, step: Step, priors: Sequence[Prior], analyzer: Analyzer
) -> Step | InvalidPlan:
    quoted = [_find_quoted(text, priors) for text in operation.priors]
    named = [prior for prior in quoted if prior is not None]
    if len(named) != len(quoted):
        return InvalidPlan("a prior entry is not one entry of one line in the file")
    match operation.action:
        case "added":
            if named:
                return InvalidPlan("an added entry names others")
            return step if step.action == "added" else InvalidPlan("what is added is there already")
        case "superseded":
            if step.action != "superseded" or {prior.entry.start for prior in named} != {
                prior.entry.start for prior in step.priors
            }:
                return InvalidPlan("only an explicit key supersedes, and all that has it")
            return step
        case "merged":
            return _merge(step, named, analyzer)


def _merge(step: Step, named: Sequence[Prior], analyzer: Analyzer) -> Step | InvalidPlan:
    if step.action == "superseded" or not named:
        return InvalidPlan("a merged entry names none, or its key supersedes")
    scope = frozenset(step.fact.said.projects)
    if any(scope_of(prior.file, prior.entry.annotations) != scope for prior in named):
        return InvalidPlan("an entry of another project is named")
    bare = bare_text(step.fact.text)
    if len(named) > 1 or not is_paraphrase(bare, bare_text(named[0].entry.text), analyzer):
        return InvalidPlan("a merged entry does not say the same")
    return Step(step.fact, "merged", tuple(named))


def _find_quoted(text: str, priors: Sequence[Prior]) -> Prior | None:
    """The one active entry that has this line."""
    found = [prior for prior in priors if quote(prior) == text.strip() and is_active(prior.entry)]
    return found[0] if len(found) == 1 and is_one_line(found[0].entry) and found[0].is_vouched else None


def quote(prior: Prior) -> str:
    """The line of an entry as a model is shown it: without anchors above."""
    lines = [line for line in prior.entry.text.split("\n") if not line.lstrip().startswith("<!--")]
    return "\n".join(lines).strip()


def _read_operation(found: object) -> Operation | None:
    if not isinstance(found, dict) or found.keys() != _FIELDS:
        return None
    key, action, priors = found["candidateKey"], found["action"], found["priorEntries"]
    if not isinstance(key, str) or action not in _ACTIONS or not isinstance(priors, list):
        return None
    if not all(isinstance(prior, str) for prior in priors):
        return None
    return Operation(key, action, tuple(priors))
