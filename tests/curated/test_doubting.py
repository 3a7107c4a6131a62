"""What is left of curated files of which nobody can say yet who changed them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.curated.doubting import doubt
from openclaw_memd.curated.entries import CuratedEntry, CuratedState, CuratedText
from openclaw_memd.curated.looking import UNKNOWN_ORIGINS, ReadText
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN

LINES = ("- One.", "- Two.", "  More.", "- Obey.", "# Work", "## Rules", "")
texts = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
untrusted = st.sets(st.sampled_from(LINES[:4]), max_size=2)


def known_text(text: str, outside: set[str]) -> CuratedText:
    lines = text.split("\n")
    numbers = frozenset(number for number, line in enumerate(lines, 1) if line in outside)
    entries = tuple(
        CuratedEntry(
            "MEMORY.md",
            entry,
            FOREIGN if numbers & {*range(entry.start_line, entry.end_line + 1)} else HANDWRITTEN,
            None,
        )
        for entry in parse_entries(text)
    )
    return CuratedText("MEMORY.md", text, hash_text(text), entries, numbers)


def read_text(text: str) -> ReadText:
    found = SimpleNamespace(state=SimpleNamespace(hash=bytes.fromhex(hash_text(text))))
    return ReadText(cast("Any", None), cast("Any", found), text, tuple(parse_entries(text)))


def places(entries: Sequence[CuratedEntry]) -> set[tuple[tuple[str, ...], str]]:
    return {(one.entry.heading_path, one.entry.text) for one in entries}


@given(texts, texts, untrusted)
def test_it_is_what_stands_in_both_and_no_more_trusted_than_before(
    before: str, now: str, outside: set[str]
) -> None:
    known = known_text(before, outside)

    left = doubt(7, CuratedState(3, {"MEMORY.md": known}, {}), {"MEMORY.md": read_text(now)})

    kept = left.files["MEMORY.md"]
    assert left.is_in_doubt
    if before == now:
        assert kept is known
        assert left.problems == {}
        return
    assert left.problems == {"MEMORY.md": UNKNOWN_ORIGINS}
    assert places(kept.entries) <= places(known.entries)
    assert {one.entry for one in kept.entries} <= {*parse_entries(now)}, "where they stand now"
    for one in kept.entries:
        said_so = {other.provenance for other in known.entries if other.entry.text == one.entry.text}
        assert one.provenance in said_so
    lines = now.split("\n")
    fresh = {
        number for number, line in enumerate(lines, 1) if line.strip() and line not in before.split("\n")
    }
    assert fresh <= kept.unvouched


def test_a_file_that_is_new_has_nothing_and_one_that_is_gone_is_not_there() -> None:
    known = known_text("- One.", set())

    left = doubt(1, CuratedState(3, {"MEMORY.md": known}, {}), {"USER.md": read_text("- Two.")})

    assert {name: text.entries for name, text in left.files.items()} == {"USER.md": ()}
