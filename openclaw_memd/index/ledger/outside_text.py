"""Which texts are outside text that the ledger knows: for what is about to be written."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final

import apsw

from openclaw_memd.domain.line_hashes import hash_lines
from openclaw_memd.domain.line_kin import Alike, LineKin, LineReader
from openclaw_memd.domain.sketches import Sketch, near_duplicate_sketches
from openclaw_memd.index.ledger.spans import find_alike, has_sketches, spans_of

_NOWHERE: Final = ""  # what is about to be written is in no file yet


def find_outside(
    connection: apsw.Connection, texts: Sequence[str], *, sketch: Callable[[str], Sketch]
) -> list[bool]:
    """For each of ``texts``, which stand one below the other, whether any line of it is kin to outside text.

    What the owner decided to trust is not.
    """
    if not has_sketches(connection):
        return [False] * len(texts)
    sketches = cache(sketch)
    lines = [(number, line) for number, text in enumerate(texts) for line in text.split("\n") if line.strip()]

    def find_records(line: str) -> list[Alike]:
        wanted = sketches(line)
        alike = dict(find_alike(connection, wanted)) if wanted.words else {}
        return [
            Alike(record, alike[record.hash]) for record in spans_of(connection, alike.keys(), [_NOWHERE])
        ]

    reader = LineReader(sketches, find_records, lambda _hashes: {})
    kin = LineKin(
        _NOWHERE, lambda index: lines[index][1], now=hash_lines(line for _, line in lines), reader=reader
    )
    found = [False] * len(texts)
    for index, (number, line) in enumerate(lines):
        found[number] = found[number] or (
            kin.find(index) is not None and not _is_decided(sketches(line), find_records(line))
        )
    return found


def _is_decided(wanted: Sketch, alike: Iterable[Alike]) -> bool:
    """Whether the owner decided to trust a line that says nearly the same."""
    return any(
        record.decided and not record.is_outside and near_duplicate_sketches(wanted, sketch)
        for record, sketch in alike
    )
