"""What is remembered of the projects that a session works in, as one block. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.framing import PROJECT_CHARS, Block, Excerpt, frame_project

MOST_CANDIDATES: Final = 48  # OpenClaw's value


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """An entry that belongs to active projects alone. ``importance`` is 1 to 10; None ranks below all."""

    excerpt: Excerpt
    importance: int | None


def project_block(memories: Sequence[ProjectMemory], *, max_chars: int = PROJECT_CHARS) -> Block:
    """The block of ``memories``, which come in the order of their file: the most important first.

    It has at most ``max_chars`` code points. The 48 most important are looked at; one that does not fit is
    passed over, and shorter ones after it may fit. Indexes in the block are those of ``memories``.
    """
    ranked = sorted(range(len(memories)), key=lambda index: -(memories[index].importance or 0))
    ranked = ranked[:MOST_CANDIDATES]
    block = frame_project([memories[index].excerpt for index in ranked], max_chars=max_chars)
    return Block(block.text, tuple(ranked[place] for place in block.shown))
