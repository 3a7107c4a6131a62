"""What may be shown of curated files that changed while nobody can say yet who is behind the change. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from openclaw_memd.curated.entries import CuratedEntry, CuratedState, CuratedText
from openclaw_memd.curated.looking import UNKNOWN_ORIGINS, ReadText


def doubt(number: int, state: CuratedState, texts: Mapping[str, ReadText]) -> CuratedState:
    """``state`` as far as it still holds by the ``texts``, as they were read by now.

    Of a file that changed stay the entries that stood in it under the same headings, each as trusted as it
    was; every other line counts as one that nobody vouches for. ``number`` makes the version one that no
    other state has.
    """
    files: dict[str, CuratedText] = {}
    problems = dict(state.problems)
    for name, read in texts.items():
        known = state.files.get(name)
        if known is not None and known.hash == read.found.state.hash.hex():
            files[name] = known
        else:
            files[name] = _keep(name, known, read)
            problems[name] = UNKNOWN_ORIGINS
    return CuratedState(-number, files, problems)


def _keep(name: str, known: CuratedText | None, read: ReadText) -> CuratedText:
    before: dict[tuple[tuple[str, ...], str], CuratedEntry] = {}
    vouched: frozenset[str] = frozenset()
    if known is not None:
        before = {(one.entry.heading_path, one.entry.text): one for one in known.entries}
        lines = enumerate(known.text.split("\n"), 1)
        vouched = frozenset(line for number, line in lines if number not in known.unvouched)
    entries = tuple(
        replace(one, entry=entry)
        for entry in read.entries
        if (one := before.get((entry.heading_path, entry.text))) is not None
    )
    unvouched = frozenset(
        number for number, line in enumerate(read.text.split("\n"), 1) if line.strip() and line not in vouched
    )
    return CuratedText(name, read.text, read.found.state.hash.hex(), entries, unvouched)
