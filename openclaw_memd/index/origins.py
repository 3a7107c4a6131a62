"""Who is behind the lines of a file."""

from collections.abc import Sequence
from dataclasses import dataclass

from openclaw_memd.domain.provenance import Origin, SessionKind, Source, join
from openclaw_memd.files.catalog import ListedFile


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one text comes from."""

    origin: Origin
    session_kind: SessionKind


@dataclass(frozen=True, slots=True)
class Attribution:
    """The provenance of each line of a file, as runs: (first line, provenance), from line 1 on, ascending."""

    runs: tuple[tuple[int, Provenance], ...]

    @property
    def breaks(self) -> frozenset[int]:
        """Lines before which a chunk must end, so that no chunk mixes origins."""
        return frozenset(line for line, _ in self.runs[1:])

    def of_lines(self, start_line: int, end_line: int) -> Provenance:
        """The provenance of a text of these lines: that of the least trusted."""
        if len(self.runs) == 1:
            return self.runs[0][1]
        ends = [line for line, _ in self.runs[1:]] + [end_line + 1]
        touched = [
            provenance
            for (first, provenance), end in zip(self.runs, ends, strict=True)
            if first <= end_line and end > start_line
        ]
        origin = join(*(provenance.origin for provenance in touched))
        return next(provenance for provenance in touched if provenance.origin is origin)


HANDWRITTEN = Provenance(Origin.AGENT, SessionKind.UNKNOWN)
FOREIGN = Provenance(Origin.UNTRUSTED, SessionKind.UNKNOWN)

_OWN_SOURCES = frozenset({Source.MEMORY})


def attribute(file: ListedFile, lines: Sequence[str]) -> Attribution:
    """Attribute the ``lines`` of ``file``.

    Whoever edits the memory files by hand is inside the trust boundary; what was brought in from elsewhere
    is not.
    """
    return Attribution(((1, HANDWRITTEN if file.source in _OWN_SOURCES else FOREIGN),))
