"""The attributor over its ledger does what the pure rules say, and what it stores is the same twice."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN, Provenance
from tests.domain.line_ledger import LineLedger
from tests.index.ledgers import AGENT, CRON, WEB, open_ledger

PATHS = ["MEMORY.md", "memory/a.md", "memory/b.md"]

_words = st.sampled_from(["depot", "gate", "opens", "late", "on", "monday", "7001", "never", "ok"])
lines = st.lists(_words, min_size=1, max_size=5).map(lambda words: f"- {' '.join(words)}")
texts = st.lists(st.one_of(lines, lines, lines, st.just("")), max_size=6)


@dataclass(frozen=True)
class Save:
    """Files are saved and seen together; ``tainted`` while network content is in some session."""

    files: dict[str, list[str]]
    tainted: bool


@dataclass(frozen=True)
class Append:
    """The daemon is about to write lines."""

    path: str
    lines: list[str]
    provenance: Provenance


saves = st.builds(Save, st.dictionaries(st.sampled_from(PATHS), texts, min_size=1, max_size=2), st.booleans())
appends = st.builds(
    Append, st.sampled_from(PATHS), st.lists(lines, max_size=3), st.sampled_from([AGENT, CRON, WEB])
)


@pytest.mark.slow
@given(st.lists(st.one_of(saves, saves, appends), max_size=8))
@settings(max_examples=60, deadline=None)
def test_it_follows_the_pure_rules(steps: Sequence[Save | Append]) -> None:
    async def run(folder: Path) -> None:
        pure = LineLedger()
        async with open_ledger(folder) as ledger:
            for step in steps:
                match step:
                    case Append(path, new, provenance):
                        pure.record(path, new, provenance)
                        await ledger.record(path, new, provenance)
                    case Save(files, tainted):
                        ledger.tainted = tainted
                        changed = {
                            path: text for path, text in files.items() if "\n".join(text) != seen.get(path)
                        }
                        expected = pure.look_at_lines(changed, change=FOREIGN if tainted else HANDWRITTEN)
                        found = await ledger.look({path: "\n".join(text) for path, text in changed.items()})
                        for path, text in changed.items():
                            seen[path] = "\n".join(text)
                            shown = [one for line, one in zip(text, found[path], strict=False) if line]
                            assert shown == expected[path]
                        stored = await ledger.dump()
                        again = {path: seen[path] for path in files}
                        assert {p: f for p, f in (await ledger.look(again)).items() if p in found} == found
                        assert await ledger.dump() == stored

    seen: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        trio.run(run, Path(folder))
