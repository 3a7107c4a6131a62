"""One call that forgets: what it is to take, and what it found so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openclaw_memd.domain.forgetting import Wanted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.forgetting import Unwanted
from openclaw_memd.dreaming.lost_claims import LostClaims
from openclaw_memd.dreaming.promoted_forgetting import Promoted
from openclaw_memd.index.ledger.scopes import Scope
from openclaw_memd.ops.choosing import Chosen
from openclaw_memd.ops.drafts import Scrubbed
from openclaw_memd.ops.kept import Kept
from openclaw_memd.sessions.forgetting import SaidToForget


@dataclass(slots=True)
class Work:
    """What one call takes.

    ``lost`` are the claims that go with their lines, ``promoted`` the entries that nights made of them, and
    ``documents`` the parts of sessions that lose something. ``chunks`` counts those of each file before
    anything went, ``files`` is what became of the files.
    """

    analyzer: Analyzer
    wanted: Wanted
    chosen: Chosen
    said: SaidToForget
    scope: Scope
    chunks: Mapping[str, int]
    documents: tuple[str, ...] = ()
    lost: LostClaims = field(default_factory=LostClaims)
    promoted: Promoted = field(default_factory=Promoted)
    files: Scrubbed = field(default_factory=Scrubbed)
    going: Mapping[str, frozenset[int]] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)

    @property
    def affected(self) -> list[str]:
        """The files and parts of sessions that lose something."""
        return sorted({*self.files.going, *self.documents})

    def wanted_of(self, path: str) -> Wanted:
        """What is to go of a file."""
        wanted = self.wanted.whole() if self.chosen.takes(path) else self.wanted
        heads = self.promoted.heads.get(path)
        return wanted if heads is None else replace(wanted, entries=heads)

    def takes_text(self, text: str) -> bool:
        """Whether a text of no known date goes for its words."""
        return self.wanted.since is None and self.wanted.takes_text(text, self.analyzer)

    def takes_source(self, path: str) -> bool:
        """Whether nothing of a file or of a part of a session is to stay."""
        return self.unwanted().takes_source(path)

    def unwanted(self) -> Unwanted:
        """The same for what is known of claims, after files and sessions were cut."""
        return Unwanted(
            sessions=None if self.wanted.is_everything else self.scope.sessions,
            takes_path=self.chosen.takes,
            takes_text=self.takes_text,
            since=self.wanted.since,
        )

    def unwanted_soon(self) -> Unwanted:
        """The same before that."""
        return replace(self.unwanted(), going=self.going)
