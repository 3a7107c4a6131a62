"""Lines that no one writes: as long as a file, with no blanks, or with nothing but signs."""

import base64
import random
from pathlib import Path

import pytest

from openclaw_memd.domain.passages import PASSAGE_CHARS
from openclaw_memd.domain.text import Analyzer, Token
from openclaw_memd.recall import live
from tests.recall.memory import open_memory

BYTES = base64.b64encode(random.Random(7).randbytes(60_000)).decode()


@pytest.mark.parametrize(
    "filling",
    ["word " * 20_000, "a-" * 30_000, "记" * 20_000, "\u0301" * 20_000, "a/b." * 20_000, f"![]({BYTES}) "],
    ids=["words", "hyphens", "no blanks", "accents", "path", "bytes"],
)
async def test_what_stands_in_a_long_line_is_shown_and_only_its_neighbourhood_is_analysed(
    tmp_path: Path, filling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed: list[int] = []
    tokens = Analyzer.tokens

    def count(self: Analyzer, text: str) -> list[Token]:
        analysed.append(len(text))
        return tokens(self, text)

    line = f"- zalgostart {filling} zalgoend"
    async with open_memory(
        tmp_path, {"MEMORY.md": f"{line}\n", "memory/small.md": "- other words\n"}
    ) as memory:
        monkeypatch.setattr(Analyzer, "tokens", count)
        for word in ("zalgostart", "zalgoend"):
            (hit,) = await memory.hits(word)
            assert word in hit.text
            assert len(hit.text) <= PASSAGE_CHARS
            assert (hit.start_line, hit.end_line) == (1, 1)
    assert max(analysed, default=0) <= 1_600 + 2 * live.MARGIN_CHARS


async def test_a_query_of_very_many_names_is_answered(tmp_path: Path) -> None:
    query = ".".join(f"ab{number}" for number in range(800))
    async with open_memory(tmp_path, {"MEMORY.md": "- the box is ab7\n- nothing else\n"}) as memory:
        (hit, *_) = await memory.hits(query)
        assert "ab7" in hit.text
