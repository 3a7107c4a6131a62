"""The lines of a promoted claim, built by code: the text of a source, nothing that a model wrote. Pure."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from openclaw_memd.domain.annotations import Annotations, format_annotations
from openclaw_memd.domain.curated_files import MEMORY, USER, CuratedFile
from openclaw_memd.domain.fences import opening_fence
from openclaw_memd.domain.lineage import format_anchor, format_tail
from openclaw_memd.domain.note_entries import format_bullet
from openclaw_memd.domain.project_keys import tidy_project_key
from openclaw_memd.domain.promoted_triggers import choose_triggers
from openclaw_memd.domain.provenance import Origin, Provenance
from openclaw_memd.domain.user_contract import count_orders, is_order
from openclaw_memd.errors import InvalidParamsError

TEXT_CHARS: Final = 640  # OpenClaw's values, down to the shares
_SENTENCE_SHARE: Final = 0.55
_WORD_SHARE: Final = 0.65
_CUT: Final = "..."
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？]")


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim that is to come into a curated file.

    ``text`` is what its source says, in one line. ``said`` is what it says of itself; its ``observed`` is
    when it was noted. ``keys`` are those of the candidates that say it, the first that of this one.
    """

    keys: tuple[str, ...]
    text: str
    source: str
    provenance: Provenance
    said: Annotations

    @property
    def key(self) -> str:
        """The candidate's key."""
        return self.keys[0]

    @property
    def file(self) -> CuratedFile:
        """Where it belongs: what the owner orders for everywhere is for USER.md, all else for MEMORY.md."""
        is_owners = self.provenance.origin is Origin.OWNER and not self.said.projects
        return USER if is_owners and is_order(self.text) and count_orders(self.text) == 1 else MEMORY


def describe(
    said: Annotations,
    *,
    tags: Iterable[str],
    score: float,
    projects: Sequence[str],
    key: str | None,
    noted_on: date | None,
) -> Annotations:
    """What a promoted entry says of itself: what its source ``said``, else what is known of the candidate."""
    keys = said.projects or tuple(dict.fromkeys(filter(None, map(tidy_project_key, projects))))
    return Annotations(
        triggers=said.triggers or choose_triggers(tags),
        importance=said.importance or rate(score),
        projects=keys,
        key=said.key or (key if key is not None and _is_key(key) else None),
        review=said.review,
        observed=said.observed or noted_on,
        expires=said.expires,
    )


def rate(score: float) -> int:
    """The importance of a candidate with this score: a half goes up, as in OpenClaw."""
    return min(10, max(3, math.floor(score * 10 + 0.5)))


def format_fact(fact: Fact) -> list[str]:
    """The lines of its entry: comments, and one line below them.

    Raises:
        InvalidParamsError: nothing visible is in its text, or it would be more than a line, as code.
    """
    text = cut_text(fact.text)
    if opening_fence(text) is not None:
        raise InvalidParamsError("a code fence is no entry", field="text", reason="value")
    if fact.file == USER:
        above = [format_anchor(key, fact.source) for key in fact.keys]
        above.append(format_annotations(Annotations(observed=fact.said.observed, status="active")))
        rest = replace(fact.said, projects=(), observed=None, status=None)
        return [*above, format_bullet(text, rest)]
    anchors = [format_anchor(key) for key in fact.keys]
    return [*anchors, format_bullet(f"{text} {format_tail(fact.source)}", fact.said)]


def cut_text(text: str, most: int = TEXT_CHARS) -> str:
    """``text`` in at most ``most`` code points, cut behind a sentence or a word if there is a late one."""
    if len(text) <= most:
        return text
    head = text[: most - len(_CUT)]
    sentences = [
        found.end() for found in _SENTENCE_END.finditer(text, 0, len(head) + 1) if found.end() <= len(head)
    ]
    blank = head.rfind(" ")
    if sentences and sentences[-1] >= most * _SENTENCE_SHARE:
        head = head[: sentences[-1]]
    elif blank >= most * _WORD_SHARE:
        head = head[:blank]
    return head.rstrip() + _CUT


def _is_key(key: str) -> bool:
    try:
        Annotations(key=key)
    except ValueError:
        return False
    return True
