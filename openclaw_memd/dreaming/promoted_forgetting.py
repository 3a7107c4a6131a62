"""Forgetting what nights made of a source: entries of the curated files, by what they say of where they come
from, and proposals.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import partial

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.lineage import find_anchors, find_sources
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.dreaming.lost_claims import LostClaims
from openclaw_memd.dreaming.proposals import Content, Proposals
from openclaw_memd.index.ledger.proposals import drop_proposals
from openclaw_memd.index.store import Store

Takes = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Promoted:
    """Entries that come from what is forgotten: hashes of their first lines by file, and what they say."""

    heads: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    texts: frozenset[str] = frozenset()

    def count(self, files: Container[str]) -> int:
        """How many there are in ``files``."""
        return sum(len(heads) for file, heads in self.heads.items() if file in files)


class PromotedForgetting:
    """Finds what comes from a source that is forgotten, whatever else led to it."""

    def __init__(self, state: Store, core: CuratedCore) -> None:
        self._state = state
        self._core = core
        self._proposals = Proposals(state)

    async def find(self, takes_source: Takes, lost: LostClaims) -> Promoted:
        """The entries that come from paths that ``takes_source`` takes, or from claims that are lost.

        A source names lines as they were once, so of a file that stays the claim decides.
        """
        state = await self._core.refresh()
        texts = {file: known.text for file, known in state.files.items()}
        return await trio.to_thread.run_sync(_find, texts, takes_source, lost)

    async def forget_proposals(
        self, takes_source: Takes, takes_text: Takes, lost: LostClaims, *, dry_run: bool
    ) -> list[str]:
        """Forget the proposals that come from there, or that are taken; what they say.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used; called again, it goes on.
        """
        waiting = [
            one
            for one in await self._proposals.list()
            if takes_source(one.content.path)
            or lost.holds((one.id,), (one.content.path,))
            or any(map(takes_text, _texts(one.content)))
        ]
        if waiting and not dry_run:
            await self._state.write(partial(drop_proposals, keys=[one.id for one in waiting]))
        return [one.content.text for one in waiting]


def _find(files: Mapping[str, str], takes_source: Takes, lost: LostClaims) -> Promoted:
    heads: dict[str, frozenset[bytes]] = {}
    texts: set[str] = set()
    for file, text in files.items():
        found: set[bytes] = set()
        for entry in parse_entries(text):
            paths = [source.rpartition("#L")[0] for source in find_sources(entry.text)]
            if any(map(takes_source, paths)) or lost.holds(find_anchors(entry.text), paths):
                lines = entry.text.split("\n")
                found.add(hash_line(next((line for line in lines if not is_comment_line(line)), lines[0])))
                texts.add(bare_text(entry.text))
        if found:
            heads[file] = frozenset(found)
    return Promoted(heads, frozenset(texts))


def _texts(content: Content) -> tuple[str, ...]:
    return (content.text, content.lines, content.candidate_text, content.said, *content.replaces)
