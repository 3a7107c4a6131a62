"""Which lines of a file a caller may see."""

from openclaw_memd.domain.audience import Notes, View, sees
from openclaw_memd.domain.provenance import Tier
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index.origins import Attribution


def may_see_any(view: View, file: ListedFile) -> bool:
    """Whether some line of the file could be seen, whoever wrote it."""
    writer = view.writer if view.notes is Notes.OWN or file.tier is Tier.SESSION else None
    return sees(view, tier=file.tier, path=file.path, writer=writer)


def find_visible(view: View, file: ListedFile, attribution: Attribution, total: int) -> list[range]:
    """The lines, from 1, that the view has of a file of ``total`` lines: ascending, with gaps between."""
    visible: list[range] = []
    runs = attribution.runs
    ends = [first for first, _ in runs[1:]] + [total + 1]
    for (first, provenance), end in zip(runs, ends, strict=True):
        if not sees(view, tier=file.tier, path=file.path, writer=provenance.writer):
            continue
        if visible and visible[-1].stop == first:
            visible[-1] = range(visible[-1].start, end)
        else:
            visible.append(range(first, end))
    return visible
